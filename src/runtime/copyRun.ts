// Runs from one journal into another: what an import and a repair do.
import { PlanloomError } from '../errors.ts'
import type { Journal, JournalEvent } from '../journal/journal.ts'
import { sqliteJournal, type SqliteJournal } from '../journal/sqlite/sqliteJournal.ts'
import { progressOf } from './progressOf.ts'
import { foldJournal } from './replay.ts'

/** Events that are written together. */
const groupSize = 1_000

/** Writes a run into a journal, as it stands in these events: whole, or as far as they go.
 *
 * @param events from number 0 on, as `importJournal` or `journal.read` gives them.
 * @returns the run's id.
 * @throws `JOURNAL_BROKEN` when they do not begin with `run.started`, `RUN_EXISTS` when the journal has a run of this id.
 */
export async function copyRun(events: readonly JournalEvent[], to: Journal): Promise<string> {
  const { first, state, context } = foldJournal(events)
  const run = to.create(first.runId)
  try {
    run.describe?.(progressOf(state, context))
    for (const [index, event] of events.entries()) {
      run.append(event)
      if (index % groupSize === groupSize - 1) await run.flush()
    }
    await run.flush('power')
  } finally {
    await run.close()
  }
  return first.runId
}

/** What a repair could save. */
export interface Repaired {
  readonly runs: readonly {
    readonly runId: string
    /** Events that were intact, and are in the new file. */
    readonly kept: number
    /** Events that the run had. */
    readonly of: number
    /** Why the rest is lost, where something is. */
    readonly because?: string
  }[]
}

/** Writes what is intact in a journal file into a new one: of each run all events before the first that is damaged.
 *
 * The damaged file stays as it is.
 *
 * @throws `JOURNAL_EXISTS` when there is a file at `to`, and as `sqliteJournal` when not even the list of runs can be read.
 */
export async function repairJournal(from: SqliteJournal, to: string): Promise<Repaired> {
  const fresh = sqliteJournal(to, { file: 'new' })
  try {
    const runs: Repaired['runs'][number][] = []
    for (const { runId, events: of } of [...from.runs()].reverse()) {
      const { events, because } = readIntact(from, runId)
      if (events.length > 0) await copyRun(events, fresh)
      runs.push({ runId, kept: events.length, of, ...(because !== undefined && { because }) })
    }
    return { runs }
  } finally {
    await fresh.close()
  }
}

function readIntact(
  journal: SqliteJournal,
  runId: string,
): { readonly events: readonly JournalEvent[]; readonly because?: string } {
  const events: JournalEvent[] = []
  try {
    for (const event of journal.read(runId)) events.push(event)
    return { events }
  } catch (error) {
    if (error instanceof PlanloomError) return { events, because: error.message }
    throw error
  }
}
