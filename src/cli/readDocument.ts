// Reads a JSON or YAML file (or `-`, the standard input) as a value.
import { readFileSync } from 'node:fs'
import { PlanloomError } from '../errors.ts'
import { parsePlanText } from '../plan/index.ts'

/** The value that a document holds.
 *
 * @throws `FILE_UNREADABLE` when it cannot be read, `PLAN_SYNTAX` with line and column when it is neither JSON nor YAML.
 */
export function readDocument(path: string): unknown {
  const text = readText(path)
  try {
    return JSON.parse(text) as unknown // many times as fast as YAML, for plans of thousands of steps
  } catch {
    return parsePlanText(text, { name: path })
  }
}

/** @throws `FILE_UNREADABLE` */
export function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new PlanloomError('FILE_UNREADABLE', `${path} cannot be read: ${reasons[code ?? ''] ?? message}.`, {
      hint: 'Check the path.',
      where: { path },
      cause: error,
    })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'there is no permission to read it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
}
