// Whether today's code decides as the code did that a run was recorded with: a test of orchestration from any real run.
//
// E1. What was recorded of outcomes, answers and times is taken in as it was; only the decisions are made anew.
// E2. Decisions are recorded with the event after the one that they were made at (`decided`). Those at which a process died are
//     not known, and not compared.
// E3. What is decided at the last event shows in how the run stood then, which a journal keeps beside the events.
import type { JournalEvent, RunEnd } from '../journal/journal.ts'
import { CoordinatorFold } from '../machines/coordinatorFold.ts'
import { decisionsOf } from './decisions.ts'
import { startOf } from './recovery.ts'

/** Where decisions differ for the first time. */
export interface ReplayDifference {
  /** Number of the event at which they were made. */
  readonly seq: number
  /** What was decided then, as `send a/1`, `stop a/1`, `check a/1`, `ask plan-2`, `unask plan-2`. */
  readonly then: readonly string[]
  /** What is decided today. */
  readonly now: readonly string[]
  /** Today the run is over there, and then it was not. */
  readonly isOverNow?: true
  /** At the last event: how the run stood then, and how it does today. */
  readonly end?: { readonly then: RunEnd; readonly now: RunEnd }
}

export interface ReplayCheck {
  /** How many events' decisions were compared; none where the run was recorded before decisions were. */
  readonly compared: number
  /** How the run stood after its last event was compared, too. */
  readonly comparesEnd: boolean
  readonly difference?: ReplayDifference
}

/** Takes a recorded run through today's coordinator, and compares what it decides with what was decided then.
 *
 * @param events all of a run, from number 0 on
 * @param recorded how it stood after the last of them, as `journal.runs()` tells, or an exported run (`stood`); without it, what was decided there is not compared
 * @throws `JOURNAL_BROKEN` when they do not begin with `run.started`
 * @example
 * import { checkReplay, createRuntime, memoryJournal } from 'planloom'
 * const journal = memoryJournal()
 * await using runtime = createRuntime({ journal })
 * const run = runtime.start('nothing to do')
 * await run.result
 * checkReplay([...(journal.read(run.id) as Iterable<never>)]).difference // undefined
 */
export function checkReplay(events: readonly JournalEvent[], recorded?: Partial<RunEnd>): ReplayCheck {
  const first = startOf(events, events[0]?.id ?? '')
  const comparesEnd = recorded?.state !== undefined
  const fold = new CoordinatorFold(first)
  let compared = 0
  let before: JournalEvent | undefined
  for (const event of events) {
    if (first.recordsDecisions && before !== undefined && isKnown(before, event)) {
      const { outcome, commands, eventId } = fold.context
      // An event that the chart does not take leaves the commands of the one before it standing.
      const now = eventId === before.id ? decisionsOf(commands) : []
      const then = event.decided ?? []
      const isOver = outcome !== undefined
      if (isOver || then.join() !== now.join())
        return { compared, comparesEnd, difference: { seq: before.seq, then, now, ...(isOver && { isOverNow: true }) } }
      compared += 1
    }
    if (event.type !== 'run.started') fold.take(event)
    before = event
  }
  if (recorded?.state === undefined) return { compared, comparesEnd }
  const then: RunEnd = { state: recorded.state, ...(recorded.reason !== undefined && { reason: recorded.reason }) }
  const { outcome } = fold.context
  const now: RunEnd = { state: fold.state, ...(outcome && { reason: outcome.reason }) }
  if (then.state === now.state && then.reason === now.reason) return { compared, comparesEnd }
  const seq = before?.seq ?? 0
  return { compared, comparesEnd, difference: { seq, then: [], now: [], end: { then, now } } }
}

/** E2; and what is asked of a run that nobody has is taken in without a word to anybody. */
function isKnown(before: JournalEvent, event: JournalEvent): boolean {
  if (event.type === 'run.recovered' || event.type === 'run.forked' || event.type === 'run.endLost') return false
  return !isUnattended(before) && !isUnattended(event)
}

function isUnattended(event: JournalEvent): boolean {
  return 'unattended' in event
}
