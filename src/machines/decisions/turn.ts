// One turn of the coordinator: an event in, a new context and the commands it causes out.
//
// A turn is a working copy of the context that decisions change by setting fields to new persistent values; nobody
// else sees it before it is finished, so that a decision as a whole stays a pure function of (context, event).
import type { CoordinatorContext } from '../coordinator.context.ts'
import type { CoordinatorCommand } from '../command.messages.ts'
import type { StepStatus } from '../reports.messages.ts'
import type { Entry } from './ledger.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

export interface Turn extends Writable<CoordinatorContext> {
  /** What the turn has once set in them is from then on set in place: read them by id, all of them by `entriesNow`. */
  entries: CoordinatorContext['entries']
  /** What the event in hand has caused so far. */
  commands: CoordinatorCommand[]
  /** Steps that have just ended, and whose dependents have not been told. */
  ended: string[]
  /** `forEach` steps whose array is known, to be expanded in one revision. */
  expanding: string[]
  changed: string[]
  changedFacts: string[]
  counts: Record<StepStatus, number>
}

const none: never[] = []

/** Runs one decision on a working copy, which then is the new context. One event may cause several decisions; the
 * commands and changes of all of them add up.
 *
 * The copy is made once and never looked through: what a decision costs does not depend on what the context holds. */
export function decide(
  context: CoordinatorContext,
  event: { readonly id: string; readonly at: number },
  decision: (turn: Turn) => void,
): CoordinatorContext {
  const turn = workingCopy(context, event)
  decision(turn)
  turn.ended = none
  turn.expanding = none
  turn.entries = turn.entries.asImmutable()
  return turn
}

/** Field by field: `{ ...context }` takes ten times as long and four times the memory as soon as V8 has seen contexts of some
 * shapes, and it is made for every event. */
function workingCopy(context: CoordinatorContext, event: { readonly id: string; readonly at: number }): Turn {
  const isSameEvent = context.eventId === event.id
  return {
    run: context.run,
    limits: context.limits,
    plan: context.plan,
    planIsWhole: context.planIsWhole,
    planIsApproved: context.planIsApproved,
    first: context.first,
    patches: context.patches,
    proposed: context.proposed,
    proposedFor: context.proposedFor,
    steps: context.steps,
    dependents: context.dependents,
    entries: context.entries,
    outputs: context.outputs,
    facts: context.facts,
    assumptions: context.assumptions,
    assumptionsByFact: context.assumptionsByFact,
    broken: context.broken,
    waived: context.waived,
    ready: context.ready,
    out: context.out,
    busy: context.busy,
    timers: context.timers,
    doubts: context.doubts,
    questions: context.questions,
    answered: context.answered,
    troubles: context.troubles,
    asked: context.asked,
    requests: context.requests,
    used: context.used,
    modelUse: context.modelUse,
    subRunUse: context.subRunUse,
    seen: context.seen,
    firstProgress: context.firstProgress,
    failures: context.failures,
    verdict: context.verdict,
    outcome: context.outcome,
    late: context.late,
    lostEnd: context.lostEnd,
    counts: { ...context.counts },
    eventId: event.id,
    now: event.at,
    commands: isSameEvent ? [...context.commands] : [],
    changed: isSameEvent ? [...context.changed] : [],
    changedFacts: isSameEvent ? [...context.changedFacts] : [],
    refused: isSameEvent ? context.refused : undefined,
    ended: [],
    expanding: [],
  }
}

/** Writes a step's new entry, and keeps the counters true. */
export function setEntry(turn: Turn, id: string, entry: Entry): void {
  const before = turn.entries.get(id)
  if (before?.status !== entry.status) {
    if (before !== undefined) turn.counts[before.status] -= 1
    turn.counts[entry.status] += 1
  }
  if (before === undefined || isToldOtherwise(before, entry)) turn.changed.push(id)
  putEntry(turn, id, entry)
}

/** Writes an entry of which nothing that is told has changed. */
export function putEntry(turn: Turn, id: string, entry: Entry): void {
  turn.entries = turn.entries.asMutable().set(id, entry)
}

/** All entries as they stand now, to go through or to keep: what is set afterwards changes nothing in them. */
export function entriesNow(turn: Turn): Turn['entries'] {
  turn.entries = turn.entries.asImmutable()
  return turn.entries
}

/** Whether the reports of the two differ (`reportOf`). */
function isToldOtherwise(before: Entry, after: Entry): boolean {
  return (
    before.status !== after.status ||
    before.attempt !== after.attempt ||
    before.failure !== after.failure ||
    before.causedBy !== after.causedBy ||
    before.startedAt !== after.startedAt ||
    before.endedAt !== after.endedAt ||
    before.subRunId !== after.subRunId ||
    before.reusedFrom !== after.reusedFrom
  )
}

/** Steps that have not ended, or of which it is being found out whether they have. */
export function openSteps({ counts, doubts }: CoordinatorContext): number {
  const { waiting, ready, held, running, backing_off } = counts
  return waiting + ready + held + running + backing_off + doubts.size
}

export function setTimer(turn: Turn, key: string, at: number): void {
  turn.timers = turn.timers.set(key, at)
  turn.commands.push({ type: 'timer.set', key, at })
}

export function clearTimer(turn: Turn, key: string): void {
  if (!turn.timers.has(key)) return
  turn.timers = turn.timers.delete(key)
  turn.commands.push({ type: 'timer.clear', key })
}
