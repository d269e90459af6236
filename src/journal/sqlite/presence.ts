// Whether there is a file to be opened, and whether it is one at all.
import { existsSync, statSync } from 'node:fs'
import { PlanloomError } from '../../errors.ts'
import { headerLost } from './failures.ts'

/** @throws `JOURNAL_EXISTS`, `JOURNAL_UNKNOWN`, `JOURNAL_FORMAT` for an empty file that should be a journal */
export function checkPresence(path: string, wanted: 'new' | 'existing' | undefined): void {
  const isThere = existsSync(path)
  if (wanted === 'new' && isThere) {
    throw new PlanloomError('JOURNAL_EXISTS', `There is a file "${path}" already.`, {
      hint: 'Choose another path, or take that file away.',
      where: { path },
    })
  }
  if (wanted === 'existing' && !isThere) {
    throw new PlanloomError('JOURNAL_UNKNOWN', `There is no journal "${path}".`, {
      hint: 'Check the path; "planloom run --journal" makes one.',
      where: { path },
    })
  }
  // SQLite would make an empty file new, and throw away the log beside it.
  if (wanted === 'existing' && statSync(path).size === 0) throw headerLost(path, 0)
}
