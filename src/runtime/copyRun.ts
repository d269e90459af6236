// Runs from one journal into another: what an import and a repair do with each.
import type { Journal, JournalEvent, RunEnd } from '../journal/journal.ts'
import { progressOf } from './progressOf.ts'
import { foldJournal } from './replay.ts'

/** Events that are written together. */
const groupSize = 1_000

/** Why events of a run are missing after those that are copied, and how many it had, where that is known. */
export interface LostEvents {
  readonly because: string
  readonly of?: number
}

export interface CopyOptions {
  /** Where the events are not all that the run had: its record says so, and it is gone on with accordingly. */
  readonly lost?: LostEvents
  /** How the run stood after the last of them, as its export tells; it is listed so. @default as today's code has it */
  readonly stood?: RunEnd
}

/** Writes a run into a journal, as it stands in these events: whole, or as far as they go. It is seen there when all of it is.
 *
 * @param events from number 0 on, as `importJournal` or `journal.read` gives them.
 * @returns the run's id.
 * @throws `JOURNAL_BROKEN` when they do not begin with `run.started`, `RUN_EXISTS` when the journal has a run of this id.
 */
export async function copyRun(
  given: readonly JournalEvent[],
  to: Journal,
  { lost, stood }: CopyOptions = {},
): Promise<string> {
  const events = lost === undefined ? given : marked(given, lost)
  const { first, state, context } = foldJournal(events)
  const run = to.create(first.runId)
  try {
    run.hide?.()
    run.describe?.({ ...progressOf(state, context), ...stood })
    for (const [index, event] of events.entries()) {
      run.append(event)
      if (index % groupSize === groupSize - 1) await run.flush()
    }
    run.show?.()
    await run.flush('power')
  } finally {
    await run.close()
  }
  return first.runId
}

/** With the mark that the run's end is lost, unless it is over. */
function marked(events: readonly JournalEvent[], { because, of }: LostEvents): readonly JournalEvent[] {
  const last = events.at(-1)
  if (last === undefined || foldJournal(events).context.outcome !== undefined) return events
  const seq = last.seq + 1
  const mark: JournalEvent = {
    type: 'run.endLost',
    id: `e${String(seq)}`,
    at: last.at,
    seq,
    after: last.seq,
    ...(of !== undefined && { of }),
    because,
    unattended: true,
  }
  return [...events, mark]
}
