// Runs from one journal into another: what an import and a repair do with each.
import type { Journal, JournalEvent } from '../journal/journal.ts'
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
