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
  if (text.trim() === '') {
    throw new PlanloomError('DOCUMENT_INVALID', `${nameOf(path)} is empty.`, {
      hint: 'A plan has `goal` and `steps`; a goal has `text`.',
      where: { path },
    })
  }
  if (/\.json$/i.test(path)) return parsePlanText(text, { name: path, format: 'json' })
  try {
    return JSON.parse(text) as unknown // many times as fast as YAML, for plans of thousands of steps
  } catch {
    return parsePlanText(text, { name: nameOf(path) })
  }
}

function nameOf(path: string): string {
  return path === '-' ? 'The standard input' : path
}

/** @throws `FILE_UNREADABLE`, `USAGE` for a name that is empty */
export function readText(path: string): string {
  if (path === '')
    throw new PlanloomError('USAGE', 'The name of a file is empty.', { hint: 'Give the path of a file.' })
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new PlanloomError('FILE_UNREADABLE', `${nameOf(path)} cannot be read: ${reasons[code ?? ''] ?? message}.`, {
      hint: /^\w+$/.test(path) ? 'Check the path. (A goal in words has several of them.)' : 'Check the path.',
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
