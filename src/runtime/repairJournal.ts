// What is intact in a journal file: told, or saved into a new one.
import type { CutShort } from '../journal/sqlite/fileLength.ts'
import { openSalvage, type Salvage } from '../journal/sqlite/salvage.ts'
import { sqliteJournal } from '../journal/sqlite/sqliteJournal.ts'
import type { VerifyReport } from '../journal/sqlite/verify.ts'
import { copyRun } from './copyRun.ts'
import { writeFresh } from './freshFile.ts'

/** Looks a journal file through, also one that was cut short and that `sqliteJournal` cannot open.
 *
 * The file stays as it is.
 *
 * @throws `JOURNAL_UNKNOWN` and `JOURNAL_FORMAT` where there is no journal, `JOURNAL_DAMAGED` where too little is left to read
 *   anything, `JOURNAL_UNCOPIED` where a file that was cut short cannot be copied to be looked at.
 */
export function verifyJournal(path: string): VerifyReport {
  const salvage = openSalvage(path)
  try {
    return salvage.verify()
  } finally {
    salvage.close()
  }
}

/** What a repair could save. */
export interface Repaired {
  readonly runs: readonly {
    readonly runId: string
    /** Events that were intact, and are in the new file. */
    readonly kept: number
    /** Events that the run had; absent where the file does not tell any more. */
    readonly of?: number
    /** Why the rest is lost, where something is. */
    readonly because?: string
  }[]
  /** The file had lost its end. */
  readonly cutShort?: CutShort
  /** Why the file may have had more runs than it tells of. */
  readonly because?: string
}

/** Writes what is intact in a journal file into a new one: of each run all events before the first that is damaged. Those of
 * which something is lost say so in their record (`run.endLost`).
 *
 * The damaged file stays as it is; the new one is there when it is whole.
 *
 * @throws `JOURNAL_EXISTS` when there is a file at `to`, and as `verifyJournal`.
 */
export async function repairJournal(from: string, to: string): Promise<Repaired> {
  const salvage = openSalvage(from)
  try {
    return await writeFresh(to, (draft) => saveAll(salvage, draft))
  } finally {
    salvage.close()
  }
}

async function saveAll(salvage: Salvage, to: string): Promise<Repaired> {
  const fresh = sqliteJournal(to, { file: 'new' })
  try {
    const { runs: found, cutShort, fault } = salvage.runs()
    const runs: Repaired['runs'][number][] = []
    for (const { runId, events, of, fault: lost } of found) {
      const because = lost && { because: lost.message }
      const had = of !== undefined && { of }
      if (events.length > 0) await copyRun(events, fresh, because && { lost: { ...because, ...had } })
      runs.push({ runId, kept: events.length, ...had, ...because })
    }
    return { runs, ...(cutShort && { cutShort }), ...(fault && { because: fault.message }) }
  } finally {
    await fresh.close()
  }
}
