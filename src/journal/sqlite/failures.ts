// What SQLite says when it cannot, in words for people and with codes for programs.
//
// Source of the numbers: https://www.sqlite.org/rescode.html (the low byte of an extended code is the primary one).
import { PlanloomError } from '../../errors.ts'

interface Kind {
  readonly code: string
  readonly what: string
  readonly hint: string
}

const damaged = 'Look with "planloom journal verify"; "planloom journal repair" writes what is intact into a new file.'

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
  return typeof code === 'number' ? code : undefined
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
  const kind = code === undefined ? undefined : (kinds[code] ?? kinds[code & 0xff])
  const said = error instanceof Error ? error.message : String(error)
  return new PlanloomError(
    kind?.code ?? 'JOURNAL_FAILED',
    `The journal "${path}" could not ${what}: ${kind === undefined ? said : `${kind.what} (${said})`}.`,
    { hint: kind?.hint ?? 'Look at the cause.', where: { path }, cause: error },
  )
}
