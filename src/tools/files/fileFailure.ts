// What the operating system says about a file, as a failure with a code that a planner can act on.
import { ToolError } from '../toolError.ts'

interface Cause {
  readonly code: string
  readonly says: (path: string) => string
  readonly hint: string
  /** Whether it may be otherwise a moment later. */
  readonly retryable: boolean
}

const fileMissing: Cause = {
  code: 'FILE_MISSING',
  says: (path) => `"${path}" is not there (any more).`,
  hint: 'Check the path; if the file was there before, something has moved or deleted it.',
  retryable: false,
}
const noPermission: Cause = {
  code: 'NO_PERMISSION',
  says: (path) => `No permission: this user may not read or write "${path}".`,
  hint: 'Give the user that runs this process the right to it, or leave it out.',
  retryable: false,
}
const diskFull: Cause = {
  code: 'DISK_FULL',
  says: (path) => `There is no space left to write "${path}"; what was there before is unharmed.`,
  hint: 'Free some space (or quota) on that disk, then try again.',
  retryable: true,
}
const readOnly: Cause = {
  code: 'READ_ONLY',
  says: (path) => `"${path}" lies on a file system that is mounted read-only.`,
  hint: 'Write somewhere else.',
  retryable: false,
}
const tooManyOpen: Cause = {
  code: 'TOO_MANY_OPEN_FILES',
  says: (path) => `"${path}" could not be opened: too many files are open.`,
  hint: 'Lower the concurrency, or raise the limit of open files (ulimit -n).',
  retryable: true,
}
const notAFile: Cause = {
  code: 'NOT_A_FILE',
  says: (path) => `"${path}" is not a file that can be read or written.`,
  hint: 'Give the path of a file, not of a folder, a device or a pipe.',
  retryable: false,
}
const causes = new Map<string, Cause>([
  ['ENOENT', fileMissing],
  ['ENOTDIR', fileMissing],
  ['EACCES', noPermission],
  ['EPERM', noPermission],
  ['ENOSPC', diskFull],
  ['EDQUOT', diskFull],
  ['EROFS', readOnly],
  ['EMFILE', tooManyOpen],
  ['ENFILE', tooManyOpen],
  ['EISDIR', notAFile],
  ['ENXIO', notAFile],
  [
    'EEXIST',
    {
      code: 'FILE_EXISTS',
      says: (path) => `"${path}" is there already, with other content.`,
      hint: 'Pass ifExists: "replace", or another path.',
      retryable: false,
    },
  ],
  [
    'ENAMETOOLONG',
    {
      code: 'PATH_INVALID',
      says: () => 'The path, or a name in it, is longer than the file system allows.',
      hint: 'Shorten it: most file systems allow 255 bytes for a name.',
      retryable: false,
    },
  ],
])

/** Makes the failure of a file; one that is a failure already stays as it is.
 *
 * @param path as the step gave it: the place on the disk is nobody's business.
 * @example
 * fileFailure('a.csv', Object.assign(new Error('no space'), { code: 'ENOSPC' })).code // 'DISK_FULL'
 */
export function fileFailure(path: string, thrown: unknown): ToolError {
  if (thrown instanceof ToolError) return thrown
  const code = codeOf(thrown)
  const { says, ...cause } = causes.get(code) ?? {
    code: 'FILE_FAILED',
    says: () => `"${path}" could not be used: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    hint: 'The cause is what the operating system said.',
    retryable: true,
  }
  return new ToolError(cause.code, says(path), {
    hint: cause.hint,
    retryable: cause.retryable,
    where: { path },
    cause: thrown,
  })
}

/** The same for a folder: what is missing is a folder then. */
export function folderFailure(path: string, thrown: unknown): ToolError {
  const code = codeOf(thrown)
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return fileFailure(path, thrown)
  const [says, hint] =
    code === 'ENOENT'
      ? [`There is no folder "${path}".`, 'Check the path; to make it while writing, pass parents: true.']
      : [`"${path}" is not a folder, or something on the way to it is not.`, 'Give the path of a folder.']
  return new ToolError('FOLDER_MISSING', says, { hint, retryable: false, where: { path }, cause: thrown })
}

/** Something is there, but no file. */
export function notAFileFailure(path: string): ToolError {
  return fileFailure(path, { code: 'EISDIR' })
}

/** What the operating system calls it: `ENOENT`; empty where it said nothing. */
export function codeOf(thrown: unknown): string {
  const has = typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string'
  return has ? String(thrown.code) : ''
}
