// Looking a journal file through: SQLite's own check of its pages, then each run's chain and each output's hash.
import { PlanloomError } from '../../errors.ts'
import type { Database } from './driver.ts'
import { journalFailure } from './failures.ts'
import type { Contents } from './contents.ts'
import { readEvents } from './readEvents.ts'
import type { RunRow } from './runsTable.ts'

export interface JournalFault {
  /** The run that has it; absent for faults of the file as a whole. */
  readonly runId?: string
  /** Events before this one are intact. */
  readonly seq?: number
  readonly code: string
  readonly message: string
}

export interface VerifyReport {
  readonly runs: number
  /** Events that are intact. */
  readonly events: number
  readonly faults: readonly JournalFault[]
}

export function verifyFile(database: Database, contents: Contents, path: string): VerifyReport {
  const faults: JournalFault[] = checkPages(database, path)
  let runs: readonly RunRow[] = []
  try {
    runs = database.prepare('SELECT * FROM runs ORDER BY id').all()
  } catch (error) {
    faults.push(faultOf(error, path))
  }
  let events = 0
  for (const run of runs) {
    let seq = 0
    try {
      for (const _ of readEvents({ database, contents, run, path, from: 0 })) seq += 1
    } catch (error) {
      faults.push({ ...faultOf(error, path), runId: run.run_id, seq })
    }
    events += seq
  }
  return { runs: runs.length, events, faults }
}

function checkPages(database: Database, path: string): JournalFault[] {
  try {
    const rows = database.prepare('PRAGMA integrity_check(20)').all() as readonly { readonly integrity_check: string }[]
    return rows
      .map(({ integrity_check: said }) => said)
      .filter((said) => said !== 'ok')
      .map((message) => ({ code: 'JOURNAL_DAMAGED', message }))
  } catch (error) {
    return [faultOf(error, path)]
  }
}

function faultOf(error: unknown, path: string): JournalFault {
  const { code, message } = error instanceof PlanloomError ? error : journalFailure(error, path, 'be read')
  return { code, message }
}
