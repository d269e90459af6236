// Replay: a journal alone gives plan, ledger, facts and transitions again, bit for bit, without running anything.
import { PlanloomError } from '../errors.ts'
import type { JournalEvent } from '../journal/journal.ts'
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { CoordinatorFold, type CoordinatorStanding } from '../machines/coordinatorFold.ts'
import type { RunStarted } from '../machines/coordinator.messages.ts'
import type { Outcome } from '../machines/reports.messages.ts'
import { findFact, listFacts } from '../machines/decisions/facts.ts'
import { ledgerOf } from './ledgerOf.ts'
import { modelUseOf } from './modelUse.ts'
import { revisionsOf } from './revisions.ts'
import { findQuestions } from './questions.ts'
import type { Replay, RunState, Transition } from './run.ts'
import { transitionOf } from './runRecord.ts'

/** Replays events through the coordinator's chart.
 *
 * @param events from number 0 (`run.started`) on; a beginning of a run gives the run as it stood then.
 * @throws `JOURNAL_BROKEN` when they do not begin with `run.started`, and where no run can have had one of them.
 */
export function replayJournal(events: Iterable<JournalEvent>): Replay {
  const transitions: Transition[] = []
  let before: CoordinatorContext | undefined
  const { first, ...standing } = foldJournal(events, (event, reached, held) => {
    transitions.push(transitionOf(event, reached, held, before))
    before = held
  })
  return replayOf(first, standing, () => transitions)
}

/** Takes events through the chart, one by one.
 *
 * @param onEvent told of each event with the state and context after it
 * @throws as `replayJournal`
 */
export function foldJournal(
  events: Iterable<JournalEvent>,
  onEvent: (event: JournalEvent, state: RunState, context: CoordinatorContext) => void = () => undefined,
): { readonly first: RunStarted; readonly state: RunState; readonly context: CoordinatorContext } {
  if (typeof (events as Partial<Iterable<JournalEvent>> | null)?.[Symbol.iterator] !== 'function') {
    throw new PlanloomError('JOURNAL_BROKEN', 'What is to be replayed is no list of events.', {
      hint: 'Give what importJournal() made of a file, or all that journal.read() gave.',
    })
  }
  const iterator = events[Symbol.iterator]()
  const start = iterator.next()
  if (start.done === true || start.value.type !== 'run.started') {
    throw new PlanloomError('JOURNAL_BROKEN', 'The journal does not begin with "run.started".', {
      hint: 'Replay a run from its first event on.',
    })
  }
  const first = start.value
  const fold = takenIn(first, () => new CoordinatorFold(first))
  onEvent(first, fold.state, fold.context)
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    const event = next.value
    if (event.type === 'run.started') continue
    takenIn(event, () => {
      fold.take(event)
    })
    onEvent(event, fold.state, fold.context)
  }
  return { first, state: fold.state, context: fold.context }
}

/** What breaks the chart has been recorded by nobody: its own decisions never do. */
function takenIn<T>(event: JournalEvent, take: () => T): T {
  try {
    return take()
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new PlanloomError('JOURNAL_BROKEN', `No run can have had event ${event.seq} (${event.type}): ${message}`, {
      hint: 'What stands before it can be read.',
      where: event.type === 'run.started' ? { runId: event.runId } : {},
      cause,
    })
  }
}

/** @param standing may be read from a snapshot, as far as it is looked at */
export function replayOf(
  { runId, goal }: RunStarted,
  standing: CoordinatorStanding & { readonly outcome?: Outcome | undefined },
  transitions: () => readonly Transition[],
): Replay {
  let all: readonly Transition[] | undefined
  return {
    runId,
    goal,
    state: standing.state,
    get plan() {
      return standing.context.plan
    },
    get proposed() {
      return standing.context.proposed
    },
    get revisions() {
      return revisionsOf(standing.context)
    },
    get questions() {
      return findQuestions(standing.context)
    },
    get outcome() {
      return 'outcome' in standing ? standing.outcome : standing.context.outcome
    },
    get transitions() {
      return (all ??= transitions()) // without a snapshot they are there; else the whole record is taken in for them
    },
    ledger: () => ledgerOf(standing.context),
    output: (id) => standing.context.outputs.get(id),
    fact: (key) => findFact(standing.context.facts, key),
    facts: () => listFacts(standing.context.facts),
    modelUse: () => modelUseOf(standing.context),
  }
}
