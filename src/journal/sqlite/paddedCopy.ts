// A copy of a file that was cut short, with zeros where its end was: SQLite opens no file that is shorter than its header says.
//
// P1. The file itself is only read.
// P2. The copy is of one moment: while another process folds the log into the file, it is made again.
// P3. A page is there as a whole or not at all: a page whose end is zeros would be read as rows that nobody has written.
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PlanloomError } from '../../errors.ts'

export interface PaddedCopy {
  readonly path: string
  remove(): void
}

/** How often a copy is made again because the file has changed meanwhile. */
const mostTries = 5

export interface PaddedCopyOptions {
  /** That the copy is to have. */
  readonly bytes: number
  readonly pageBytes: number
}

/** @throws `JOURNAL_UNCOPIED` */
export function makePaddedCopy(path: string, { bytes, pageBytes }: PaddedCopyOptions): PaddedCopy {
  let folder: string | undefined
  const remove = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    folder = mkdtempSync(join(tmpdir(), 'planloom-'))
    const copy = join(folder, 'copy.db')
    copyAtOnce(path, copy)
    truncateSync(copy, Math.floor(statSync(copy).size / pageBytes) * pageBytes) // P3
    truncateSync(copy, bytes)
    return { path: copy, remove }
  } catch (cause) {
    remove()
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new PlanloomError(
      'JOURNAL_UNCOPIED',
      `The journal "${path}" was cut short, and could not be copied to be looked at: ${said}.`,
      { hint: `Make room in ${tmpdir()}, or name another folder for the copy in TMPDIR.`, where: { path }, cause },
    )
  }
}

function copyAtOnce(path: string, copy: string): void {
  for (let tries = 1; ; tries++) {
    const before = stamp(path)
    copyFileSync(path, copy)
    rmSync(`${copy}-wal`, { force: true })
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
    if (tries === mostTries || stamp(path) === before) return // P2
  }
}

function stamp(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stats) => (stats === undefined ? '' : `${String(stats.size)}/${String(stats.mtimeMs)}`))
    .join(' ')
}
