// What people and programs may do to a run. Each is an event with who and when; what cannot be done is refused in words.
//
// C1. Each asks first whether it can be taken as things stand; a command that is refused changes nothing.
// C2. What a person decides about a step settles the trouble with it: the planner is not asked about it any more.
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
import type { Failure } from '../reports.messages.ts'
import type { Step } from '../../plan/schema.ts'
import { makeReady, recount, reopenDependents, skip } from './advance.ts'
import { expandReady } from './expand.ts'
import { raise } from './fail.ts'
import { countOut } from './lanes.ts'
import { wasTold, type Entry } from './ledger.ts'
import { noteEdit, noteKnown } from './lostEnd.ts'
import { abort, succeed, takeFacts } from './outcomes.ts'
import { applyProposal } from './planner.ts'
import { openQuestion } from './questionBook.ts'
import { takeAnswer } from './questions.ts'
import { findRefusal, type Command } from './refusal.ts'
import { findConflict, tryPatch } from './revise.ts'
import { takeBackTroubles } from './troubles.ts'
import { clearTimer, setEntry, setTimer, type Turn } from './turn.ts'

/** @returns whether the command can be taken; if not, the turn says why. */
function isTaken(turn: Turn, command: Command): boolean {
  turn.refused = findRefusal(turn, command)?.message
  return turn.refused === undefined
}

/** The step that a command is about, and how far it has come; `undefined` when the command is refused. */
function stepFor(
  turn: Turn,
  command: Command & { readonly stepId: string },
): { readonly step: Step; readonly entry: Entry } | undefined {
  if (!isTaken(turn, command)) return undefined
  const step = turn.steps.get(command.stepId)
  const entry = turn.entries.get(command.stepId)
  return step && entry && { step, entry }
}

/** For commands that only the chart itself can find out of place. */
export function refuse(turn: Turn, event: Command): void {
  isTaken(turn, event)
}

export function approve(turn: Turn, event: RunApprove): void {
  if (event.stepId !== undefined) approveStep(turn, { ...event, stepId: event.stepId })
  else if (!isTaken(turn, event)) return
  else if (turn.proposed) approvePatch(turn)
  else turn.planIsApproved = true
}

/** The patch answers the troubles that it was proposed for; what came up while it waited is still open. */
function approvePatch(turn: Turn): void {
  const { proposed, proposedFor } = turn
  if (proposed === undefined) return
  const isAnswered = new Set(proposedFor)
  const answered = turn.troubles.filter((trouble) => isAnswered.has(trouble)).toArray()
  turn.troubles = turn.troubles.filter((trouble) => !isAnswered.has(trouble))
  turn.proposed = undefined
  turn.proposedFor = []
  applyProposal(turn, proposed, answered)
  turn.refused = undefined // a patch that no longer fits is the planner's to mend: the approval was taken
}

function approveStep(turn: Turn, event: RunApprove & { readonly stepId: string }): void {
  const { stepId: id } = event
  const found = stepFor(turn, event)
  if (found === undefined) return
  const { entry } = found
  setEntry(turn, id, { ...entry, approved: true })
  if (entry.status === 'held' && entry.missing === 0) makeReady(turn, id)
  expandReady(turn)
}

export function reject(turn: Turn, event: RunReject): void {
  const { because, by, stepId } = event
  if (stepId !== undefined) {
    rejectStep(turn, { ...event, stepId })
    return
  }
  if (!isTaken(turn, event)) return
  const { proposed, proposedFor } = turn
  if (proposed === undefined) {
    turn.verdict ??= { status: 'failed', reason: 'rejected', message: `The plan was rejected: ${because}` }
    return
  }
  turn.proposed = undefined
  turn.proposedFor = []
  const troubles = proposedFor.filter(({ type }) => type !== 'rejected') // each tells of itself alone
  const { operations } = proposed
  raise(turn, {
    type: 'rejected',
    text: because,
    rejected: { because, ...(by !== undefined && { by }), operations, troubles },
  })
  takeBackTroubles(turn)
}

/** A step that a person does not want is not run; what that means says its `onFailure`, as for a step that failed. */
function rejectStep(turn: Turn, event: RunReject & { readonly stepId: string }): void {
  const { stepId: id, because, by } = event
  const found = stepFor(turn, event)
  if (found === undefined) return
  const { step } = found
  const message = `Step "${id}" was rejected: ${because}`
  const failure: Failure = { code: 'STEP_REJECTED', message, retryable: false }
  const entry: Entry = { ...found.entry, failure }
  if (step.onFailure === 'skip') skip(turn, id, entry, id, 'permitted')
  else if (step.onFailure === 'fail') {
    setEntry(turn, id, { ...entry, status: 'skipped', causedBy: id, loss: 'lost', endedAt: turn.now })
    turn.verdict ??= { status: 'failed', reason: 'rejected', message, stepId: id, failure }
  } else {
    setEntry(turn, id, { ...entry, status: 'skipped', causedBy: id, undecided: true, endedAt: turn.now })
    const tool = step.tool === undefined ? {} : { tool: step.tool }
    const rejected = { because, ...(by !== undefined && { by }) }
    raise(turn, { type: 'rejected', text: message, stepId: id, ...tool, failure, rejected })
  }
  expandReady(turn)
}

export function edit(turn: Turn, event: RunEdit): void {
  if (!isTaken(turn, event)) return
  turn.refused = findConflict(turn, event.patch) ?? tryPatch(turn, event.patch)
  if (turn.refused !== undefined) return
  noteEdit(turn, event.patch)
  takeBackTroubles(turn)
  expandReady(turn)
}

/** One more attempt, by hand: for a step that failed, is uncertain, was skipped, or waits for its next attempt. */
export function retryStep(turn: Turn, event: StepRetry): void {
  const { stepId: id } = event
  const found = stepFor(turn, event)
  if (found === undefined) return
  clearTimer(turn, `retry:${id}`)
  noteKnown(turn, [id])
  if (found.entry.status === 'running') countOut(turn, found.step, -1) // nobody had the run (F3)
  setEntry(turn, id, {
    ...found.entry,
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

export function skipStep(turn: Turn, event: StepSkip): void {
  const { stepId: id, because } = event
  const found = stepFor(turn, event)
  if (found === undefined) return
  const { step, entry } = found
  clearTimer(turn, `retry:${id}`)
  if (entry.status === 'running') {
    abort(turn, id, entry, because ?? 'skipped by hand')
    countOut(turn, step, -1)
  }
  skip(turn, id, { ...entry, undecided: undefined }, id, 'permitted')
  takeBackTroubles(turn)
  expandReady(turn)
}

/** The answer to a person step or to what an attempt asks, or by hand the output of a step that is uncertain. */
export function answerStep(turn: Turn, event: StepAnswered): void {
  const { stepId: id, value, facts = [] } = event
  const found = stepFor(turn, event)
  if (found === undefined) return
  const { step, entry } = found
  if (entry.status === 'running' && openQuestion(turn, id) !== undefined) {
    takeAnswer(turn, step, entry, event)
    return
  }
  if (entry.status === 'running') abort(turn, id, entry, 'answered')
  succeed(turn, id, entry, value, facts)
  takeBackTroubles(turn)
  if (wasTold(entry)) {
    turn.ended.pop()
    reopenDependents(turn, id)
  }
  expandReady(turn)
}

export function reportFact(turn: Turn, event: FactReported): void {
  if (!isTaken(turn, event)) return
  takeFacts(turn, `report:${event.by ?? 'api'}`, [{ key: event.key, value: event.value }])
  takeBackTroubles(turn)
  expandReady(turn)
}

export function extendBudget(turn: Turn, event: BudgetExtend): void {
  if (!isTaken(turn, event)) return
  const { limits } = event
  turn.limits = { ...turn.limits, ...limits, roles: { ...turn.limits.roles, ...limits.roles } }
  const { timeMs } = limits
  if (timeMs === undefined) return
  if (timeMs < Number.MAX_SAFE_INTEGER) setTimer(turn, 'run', turn.run.at + timeMs)
  else clearTimer(turn, 'run')
}
