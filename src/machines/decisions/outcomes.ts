// Taking in what executors and timers report.
//
// O1. An outcome counts once, and only for the live attempt; anything else is late, is counted as late, and changes nothing.
// O2. Facts change only here and by `fact.reported`, in the order in which outcomes are accepted.
import type { Json } from '../../plan/json.ts'
import type {
  StepDelegated,
  StepFailed,
  StepSucceeded,
  StepSurprised,
  StepTimedOut,
  StepUncertain,
} from '../coordinator.messages.ts'
import type { FactGiven, Failure, SubRunUse, Usage } from '../reports.messages.ts'
import { checkAssumptions } from './assumptions.ts'
import { mayHaveHadEffect } from './effects.ts'
import { expandReady } from './expand.ts'
import { failStep, surprise } from './fail.ts'
import { giveFacts, type FactChange } from './facts.ts'
import { countOut, roleOf } from './lanes.ts'
import type { Entry } from './ledger.ts'
import { recount } from './advance.ts'
import { setEntry, type Turn } from './turn.ts'
import { makeUncertain } from './uncertain.ts'

export type StepOutcome = StepSucceeded | StepFailed | StepSurprised | StepTimedOut | StepUncertain

export function takeOutcome(turn: Turn, event: StepOutcome): void {
  if ('usage' in event) {
    spend(turn, event.usage)
    noteSubRunUse(turn, event.stepId, event.usage.subRun)
  }
  const entry = turn.entries.get(event.stepId)
  if (entry?.status !== 'running' || entry.attempt !== event.attempt) {
    turn.late += 1
    return
  }
  switch (event.type) {
    case 'step.succeeded':
      succeed(turn, event.stepId, { ...entry, reusedFrom: event.reusedFrom }, event.output, event.facts)
      break
    case 'step.failed':
      if (event.failure.code === 'EXECUTOR_CRASHED') cutShort(turn, event.stepId, entry, event.failure)
      else failStep(turn, event.stepId, entry, event.failure)
      break
    case 'step.surprised':
      surprise(turn, event.stepId, entry, event.output, event.facts, event.failure)
      break
    case 'step.timedOut':
      abort(turn, event.stepId, entry, event.failure.message)
      cutShort(turn, event.stepId, entry, event.failure)
      break
    case 'step.uncertain':
      cutShort(turn, event.stepId, entry, event.failure)
      break
  }
  expandReady(turn)
}

/** The attempt has not said how it ended: where it may have had its effect, that is uncertain. */
function cutShort(turn: Turn, id: string, entry: Entry, failure: Failure): void {
  if (mayHaveHadEffect(turn.run, turn.steps.get(id))) makeUncertain(turn, id, entry, failure)
  else failStep(turn, id, entry, failure)
}

/** Notes the run that carries out a step. */
export function noteSubRun(turn: Turn, { stepId, attempt, subRunId }: StepDelegated): void {
  const entry = turn.entries.get(stepId)
  if (entry?.status !== 'running' || entry.attempt !== attempt) {
    turn.late += 1
    return
  }
  setEntry(turn, stepId, { ...entry, subRunId })
}

/** Late or not: it was used. */
function noteSubRunUse(turn: Turn, stepId: string, use: SubRunUse | undefined): void {
  if (use !== undefined) turn.subRunUse = turn.subRunUse.set(use.runId, { stepId, usage: use.models })
}

/** Ends a running step as succeeded, whoever says so: its executor, or a person who answers. */
export function succeed(turn: Turn, id: string, entry: Entry, output: Json, facts: readonly FactGiven[]): void {
  const step = turn.steps.get(id)
  if (step === undefined) return
  if (entry.status === 'running') countOut(turn, step, -1)
  turn.outputs = turn.outputs.set(id, output)
  setEntry(turn, id, {
    ...entry,
    status: 'succeeded',
    undecided: undefined,
    failure: undefined,
    loss: undefined,
    endedAt: turn.now,
  })
  turn.ended.push(id)
  takeFacts(turn, id, facts)
}

export function takeFacts(turn: Turn, by: string, given: readonly FactGiven[]): void {
  if (given.length === 0) return
  adoptFacts(turn, giveFacts(turn.facts, by, given, turn.now))
}

/** Takes over facts that have changed, and looks at what rests on them. */
export function adoptFacts(turn: Turn, { facts, changed }: FactChange): void {
  turn.facts = facts
  turn.changedFacts.push(...changed)
  checkAssumptions(turn, changed)
}

/** A backoff is over. */
export function takeRetryTimer(turn: Turn, key: string): void {
  turn.timers = turn.timers.delete(key)
  const id = key.slice('retry:'.length)
  if (turn.entries.get(id)?.status === 'backing_off') recount(turn, id) // what it depends on may be open again
}

export function abort(turn: Turn, id: string, entry: Entry, because: string): void {
  const step = turn.steps.get(id)
  if (step === undefined) return
  turn.commands.push({ type: 'step.abort', stepId: id, attempt: entry.attempt, role: roleOf(turn.run, step), because })
}

export function spend(turn: Turn, usage: Usage | undefined): void {
  if (usage === undefined) return
  const { tokens, cost, plannerCalls, replans, timeMs } = turn.used
  turn.used = {
    tokens: tokens + amountOf(usage.tokens),
    cost: cost + amountOf(usage.cost),
    plannerCalls: plannerCalls + amountOf(usage.plannerCalls),
    replans: replans + amountOf(usage.replans),
    timeMs,
  }
  const { limits, used } = turn
  if (used.tokens <= limits.tokens && used.cost <= limits.cost) return
  const what =
    used.tokens > limits.tokens
      ? `${String(used.tokens)} of ${String(limits.tokens)} tokens`
      : `${String(used.cost)} of ${String(limits.cost)} in money`
  turn.verdict ??= { status: 'failed', reason: 'budget_exhausted', message: `The budget is used up: ${what}.` }
}

/** Whatever is reported: nothing is ever given back, and the sum stays a number. */
function amountOf(reported: number | undefined): number {
  return reported !== undefined && Number.isFinite(reported) && reported > 0 ? reported : 0
}
