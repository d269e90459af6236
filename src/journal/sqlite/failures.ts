// What SQLite says when it cannot, in words for people and with codes for programs.
//
// Source of the numbers: https://www.sqlite.org/rescode.html (the low byte of an extended code is the primary one).
import { PlanloomError } from '../../errors.ts'
import { cutOf, headerBytes, lengthOf, type CutShort } from './fileLength.ts'

interface Kind {
  readonly code: string
  readonly what: string
  readonly hint: string
}

const damaged = 'Look with "planloom journal verify"; "planloom journal repair" writes what is intact into a new file.'

const elsewhere = 'If there is a backup of the file, or an exported run (planloom import), go on with that.'

const kinds: Readonly<Record<number, Kind>> = {
  5: {
    code: 'JOURNAL_BUSY',
    what: 'another process is writing to it',
    hint: 'Try again; if it stays so, look for a process that has hung while it held the file.',
  },
  8: {
    code: 'JOURNAL_READONLY',
    what: 'it may only be read',
    hint: 'Give write permission on the file and on its folder, or choose another file.',
  },
  10: {
    code: 'JOURNAL_IO',
    what: 'the disk failed',
    hint: 'Look at the disk; what was recorded before is still in the file.',
  },
  11: { code: 'JOURNAL_DAMAGED', what: 'it is damaged', hint: damaged },
  13: {
    code: 'JOURNAL_FULL',
    what: 'the disk is full',
    hint: 'Make room; what was recorded before is intact, and the run can be resumed.',
  },
  14: {
    code: 'JOURNAL_UNOPENED',
    what: 'there is no such folder, or no permission',
    hint: 'Make the folder, or choose another path.',
  },
  // A page that ends too early: the file was cut off.
  522: { code: 'JOURNAL_DAMAGED', what: 'it is cut off', hint: damaged },
  26: {
    code: 'JOURNAL_FORMAT',
    what: 'it is no SQLite file',
    hint: 'Choose another file, or one that planloom has made.',
  },
}

/** The extended result code of SQLite, where an error has one. */
function sqliteCode(error: unknown): number | undefined {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode
  if (typeof code === 'number') return code
  // While it goes through rows, the driver gives SQLite's words only.
  return error instanceof Error && error.message.includes('database disk image is malformed') ? 11 : undefined
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error)
  return code !== undefined && (code & 0xff) === 5
}

/** An error of ours for one of SQLite's. One that is ours already stays as it is.
 *
 * @param what the journal could not: "be opened", "be written".
 */
export function journalFailure(error: unknown, path: string, what: string): PlanloomError {
  if (error instanceof PlanloomError) return error
  const code = sqliteCode(error)
  const byLength = code === undefined ? undefined : lengthFailure(code & 0xff, path, error)
  if (byLength !== undefined) return byLength
  const kind = code === undefined ? undefined : (kinds[code] ?? kinds[code & 0xff])
  const said = error instanceof Error ? error.message : String(error)
  return new PlanloomError(
    kind?.code ?? 'JOURNAL_FAILED',
    `The journal "${path}" could not ${what}: ${kind === undefined ? said : `${kind.what} (${said})`}.`,
    { hint: kind?.hint ?? 'Look at the cause.', where: { path }, cause: error },
  )
}

/** What the length of the file says better than SQLite does. */
function lengthFailure(code: number, path: string, cause: unknown): PlanloomError | undefined {
  if (![10, 11, 26].includes(code)) return undefined
  const length = lengthOf(path)
  if (length !== undefined && length.bytes < headerBytes) return headerLost(path, length.bytes, cause)
  const cut = cutOf(length)
  return cut === undefined ? undefined : cutShort(path, cut, cause)
}

/** The file has lost its end. */
export function cutShort(path: string, { bytes, of }: CutShort, cause?: unknown): PlanloomError {
  const message = `The journal "${path}" was cut short: ${inDigits(bytes)} of ${inDigits(of)} bytes are left.`
  return new PlanloomError('JOURNAL_DAMAGED', message, { hint: damaged, where: { path }, cause })
}

/** Not even the list of tables can be read. */
export function tooLittleLeft(path: string, { bytes, of }: CutShort, cause: unknown): PlanloomError {
  const message = `The journal "${path}" was cut short: of ${inDigits(of)} bytes only ${inDigits(bytes)} are left, which is too little to read anything of it.`
  return new PlanloomError('JOURNAL_DAMAGED', message, { hint: elsewhere, where: { path }, cause })
}

/** What is there is less than every SQLite file begins with. */
export function headerLost(path: string, bytes: number, cause?: unknown): PlanloomError {
  const left = bytes === 0 ? 'is empty' : `has only ${String(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`
  const message = `The file "${path}" ${left}: there is no journal in it, or nothing of one is left that could be read or saved.`
  return new PlanloomError('JOURNAL_FORMAT', message, { hint: elsewhere, where: { path }, cause })
}

function inDigits(bytes: number): string {
  return bytes.toLocaleString('en')
}
