// What people and programs may do to a run. Each is an event with who and when; what cannot be done is refused in words.
import type {
  BudgetExtend,
  FactReported,
  RunApprove,
  RunEdit,
  RunReject,
  StepAnswered,
  StepRetry,
  StepSkip,
} from '../coordinator.messages.ts'
import { makeReady, recount, reopenDependents, skip } from './advance.ts'
import { expandReady } from './expand.ts'
import { raise } from './fail.ts'
import { countOut } from './lanes.ts'
import { isSettled, wasTold } from './ledger.ts'
import { abort, succeed, takeFacts } from './outcomes.ts'
import { applyProposal } from './planner.ts'
import { findConflict, tryPatch } from './revise.ts'
import { takeBackTroubles } from './troubles.ts'
import { clearTimer, setEntry, setTimer, type Turn } from './turn.ts'

export function approve(turn: Turn, event: RunApprove): void {
  if (event.stepId !== undefined) approveStep(turn, event.stepId)
  else if (turn.proposed) {
    const patch = turn.proposed
    const troubles = turn.troubles.toArray()
    turn.proposed = undefined
    turn.troubles = turn.troubles.clear()
    applyProposal(turn, patch, troubles)
  } else turn.planIsApproved = true
}

function approveStep(turn: Turn, id: string): void {
  const entry = turn.entries.get(id)
  if (entry === undefined || isSettled(entry.status) || entry.status === 'running') {
    turn.refused = `Step "${id}" does not wait for approval.`
    return
  }
  setEntry(turn, id, { ...entry, approved: true })
  if (entry.status === 'held' && entry.missing === 0) makeReady(turn, id)
  expandReady(turn)
}

export function reject(turn: Turn, event: RunReject): void {
  if (event.stepId !== undefined) {
    skipStep(turn, { stepId: event.stepId, because: event.because })
    return
  }
  if (turn.proposed) {
    turn.proposed = undefined
    raise(turn, { type: 'rejected', text: event.because })
    takeBackTroubles(turn)
    return
  }
  turn.verdict ??= { status: 'failed', reason: 'rejected', message: `The plan was rejected: ${event.because}` }
}

export function edit(turn: Turn, event: RunEdit): void {
  const refusal =
    turn.plan === undefined || !turn.planIsWhole
      ? 'There is no whole plan yet.'
      : (findConflict(turn, event.patch) ?? tryPatch(turn, event.patch))
  if (refusal !== undefined) turn.refused = refusal
  else {
    takeBackTroubles(turn)
    expandReady(turn)
  }
}

/** One more attempt, by hand: for a step that failed, is uncertain, or waits for its next attempt. */
export function retryStep(turn: Turn, event: StepRetry): void {
  const { stepId: id } = event
  const entry = turn.entries.get(id)
  if (entry === undefined || !['failed', 'uncertain', 'backing_off', 'skipped'].includes(entry.status)) {
    turn.refused = `Step "${id}" cannot be retried: it is ${entry?.status ?? 'not in the plan'}.`
    return
  }
  clearTimer(turn, `retry:${id}`)
  setEntry(turn, id, {
    ...entry,
    status: 'waiting',
    tries: 0,
    undecided: undefined,
    loss: undefined,
    causedBy: undefined,
  })
  reopenDependents(turn, id)
  recount(turn, id)
  takeBackTroubles(turn)
  expandReady(turn)
}

export function skipStep(turn: Turn, event: Pick<StepSkip, 'stepId' | 'because'>): void {
  const { stepId: id, because } = event
  const entry = turn.entries.get(id)
  const step = turn.steps.get(id)
  if (
    entry === undefined ||
    step === undefined ||
    entry.status === 'succeeded' ||
    entry.status === 'skipped' ||
    entry.status === 'abandoned'
  ) {
    turn.refused = `Step "${id}" cannot be skipped: it is ${entry?.status ?? 'not in the plan'}.`
    return
  }
  clearTimer(turn, `retry:${id}`)
  if (entry.status === 'running') {
    abort(turn, id, entry, because ?? 'skipped by hand')
    countOut(turn, step, -1)
  }
  skip(turn, id, { ...entry, undecided: undefined }, id, 'permitted')
  takeBackTroubles(turn)
  if (wasTold(entry)) turn.ended.pop() // its dependents have been told already that it gives nothing
  expandReady(turn)
}

/** The answer to a person step, or by hand the output of a step that is uncertain. */
export function answerStep(turn: Turn, event: StepAnswered): void {
  const entry = turn.entries.get(event.stepId)
  if (entry?.status !== 'running' && entry?.status !== 'uncertain') {
    turn.refused = `Step "${event.stepId}" does not wait for an answer: it is ${entry?.status ?? 'not in the plan'}.`
    return
  }
  if (entry.status === 'running') abort(turn, event.stepId, entry, 'answered')
  succeed(turn, event.stepId, entry, event.value, [])
  takeBackTroubles(turn)
  if (wasTold(entry)) {
    turn.ended.pop()
    reopenDependents(turn, event.stepId)
  }
  expandReady(turn)
}

export function reportFact(turn: Turn, event: FactReported): void {
  takeFacts(turn, `report:${event.by ?? 'api'}`, [{ key: event.key, value: event.value }])
  takeBackTroubles(turn)
  expandReady(turn)
}

export function extendBudget(turn: Turn, event: BudgetExtend): void {
  turn.limits = { ...turn.limits, ...event.limits }
  const { timeMs } = event.limits
  if (timeMs === undefined) return
  if (timeMs < Number.MAX_SAFE_INTEGER) setTimer(turn, 'run', turn.run.at + timeMs)
  else clearTimer(turn, 'run')
}
