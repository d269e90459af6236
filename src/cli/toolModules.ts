// Where the tools are that a user names: in a module, or in a folder that holds one.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PlanloomError } from '../errors.ts'
import { isModulePath } from './loadModule.ts'

const names = ['tools', 'goal', 'index']
const endings = ['.ts', '.js', '.mjs']

/** The path of a module. A folder stands for its `tools`, `goal` or `index`, and may be one under `examples`.
 *
 * @throws `MODULE_UNUSABLE` where there is none
 */
export function toolModule(name: string): string {
  if (isModulePath(name)) return name
  const folders = name === '' ? [] : [name, join('examples', name)]
  const candidates = folders.flatMap((folder) =>
    names.flatMap((file) => endings.map((ending) => join(folder, `${file}${ending}`))),
  )
  const found = candidates.find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new PlanloomError(
    'MODULE_UNUSABLE',
    `${name === '' ? 'The name of a module is empty' : `${name} is no module`}, and tools come from one.`,
    {
      hint: 'Name a JavaScript or TypeScript file that exports what defineTool() gives, or a folder with such a file named tools, goal or index.',
      where: { path: name },
    },
  )
}
