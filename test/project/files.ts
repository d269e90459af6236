// Files of the project, found by folder and ending.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Paths under a folder that end so, sorted; none where the folder is missing. */
export function filesUnder(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending) && !path.includes('node_modules'))
    .map((path) => join(folder, path))
    .sort()
}
