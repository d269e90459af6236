// Asking the planner, and taking in what it answers.
//
// P1. One question is out at a time; an answer to any other question changes nothing.
// P2. Replanning is bounded: by number, by tokens, cost and time, and by never accepting the same plan with the same
//     facts and no progress twice.
// P3. A trouble that an answer leaves alone is settled all the same: the failure is final, and what needed the step is skipped.
// P4. What has begun of a plan that broke off stands: the planner is asked again with it, and a plan without it is refused.
import { planHash } from '../../plan/hash.ts'
import type { Patch, Plan, Step } from '../../plan/schema.ts'
import type { PlanFailed, PlanGivenUp, PlanKept, PlanPatchProposed, PlanProposed } from '../coordinator.messages.ts'
import type { Failure, Trouble } from '../reports.messages.ts'
import type { Asked, Verdict } from '../coordinator.context.ts'
import { keepWaits, patchWaits, planWaits } from './approvals.ts'
import { expandReady } from './expand.ts'
import { budgetShort, mayHelpAgain, raise } from './fail.ts'
import { findUnmet, goalOf, inWords } from './goal.ts'
import { noteAmendment } from './lostEnd.ts'
import { spend, takeFacts } from './outcomes.ts'
import { adoptPlan, findConflict, tryPatch } from './revise.ts'
import { isOnly, settleTroubles } from './settle.ts'
import { adoptStreamedStep, findStreamConflict, withdrawUnbegun } from './stream.ts'
import { takeBackTroubles } from './troubles.ts'
import { clearTimer, setTimer, type Turn } from './turn.ts'
import { goalUnmet } from './verdict.ts'

/** Takes the plan that the run was started with, or asks the planner for one. */
export function beginPlanning(turn: Turn): void {
  const { goal, plan, at } = turn.run
  if (turn.requests === 0 && turn.plan === undefined) {
    const facts = Object.entries(goal.facts ?? {}).map(([key, value]) => ({ key, value }))
    takeFacts(turn, 'goal', facts)
    if (turn.limits.timeMs < Number.MAX_SAFE_INTEGER) setTimer(turn, 'run', at + turn.limits.timeMs)
  }
  if (turn.plan !== undefined || turn.asked !== undefined) return
  if (plan) takeWholePlan(turn, plan)
  else if (turn.verdict === undefined) ask(turn, [], 0)
}

/** All was done, and the goal lacks something: that is for the planner to know. */
export function raiseUnmetGoal(turn: Turn): void {
  raise(turn, { type: 'goal_unmet', text: inWords(findUnmet(turn)) })
}

export function askForPatch(turn: Turn): void {
  if (turn.asked !== undefined || turn.plan === undefined || turn.troubles.isEmpty() || turn.verdict) return
  const troubles = turn.troubles.toArray()
  turn.troubles = turn.troubles.clear()
  if (turn.used.replans >= turn.limits.replans) {
    const last = troubles.at(-1)
    if (goalOf(turn).partial === 'allow' || isOnly(troubles, 'goal_unmet')) {
      keepPlan(turn, troubles, 'The replannings are used up.')
      return
    }
    end(
      turn,
      'budget_exhausted',
      `${String(turn.used.replans)} replannings are used up, and there is trouble left: ${last?.text ?? ''}`,
      last,
    )
    return
  }
  turn.used = { ...turn.used, replans: turn.used.replans + 1 }
  ask(turn, troubles, 0)
}

function ask(turn: Turn, troubles: readonly Trouble[], breakdowns: number): void {
  if (turn.used.plannerCalls >= turn.limits.plannerCalls) {
    end(turn, 'budget_exhausted', `The ${String(turn.limits.plannerCalls)} planner calls are used up.`, troubles.at(-1))
    return
  }
  turn.requests += 1
  turn.used = { ...turn.used, plannerCalls: turn.used.plannerCalls + 1 }
  const requestId = `plan-${String(turn.requests)}`
  turn.asked = { requestId, troubles, breakdowns }
  sayRequest(turn, turn.asked)
}

/** Asks again what the planner was asked when the process ended; it is not counted again. */
export function askAfterRecovery(turn: Turn): void {
  if (turn.asked === undefined) return
  withdrawUnbegun(turn) // P4
  sayRequest(turn, turn.asked)
}

function sayRequest(turn: Turn, { requestId, troubles }: Asked): void {
  if (turn.limits.plannerMs < Number.MAX_SAFE_INTEGER)
    setTimer(turn, `planner:${requestId}`, turn.now + turn.limits.plannerMs)
  turn.commands.push({
    type: 'plan.request',
    requestId,
    goal: goalOf(turn),
    ...(turn.plan && turn.planIsWhole && { revision: turn.plan.revision }),
    troubles,
    ...(turn.plan && !turn.planIsWhole && { begun: turn.plan.steps }),
  })
}

function closeRequest(turn: Turn, event: { readonly requestId: string }): readonly Trouble[] {
  const troubles = turn.asked?.troubles ?? []
  clearTimer(turn, `planner:${event.requestId}`)
  turn.asked = undefined
  return troubles
}

export function takeStreamedStep(turn: Turn, step: Step): void {
  const { run, plan } = turn
  if (turn.steps.has(step.id)) return
  if (turn.steps.size >= turn.limits.steps) {
    endTooLarge(turn, `more than ${String(turn.limits.steps)}`)
    return
  }
  const steps = Object.freeze([...(plan?.steps ?? []), step])
  const grown: Plan = {
    id: run.runId,
    goal: run.goal,
    revision: 1,
    parent: null,
    by: { planner: run.planner },
    because: { type: 'streamed', text: 'the plan is still being written' },
    assumptions: [],
    ...plan,
    steps: steps as Step[],
  }
  adoptStreamedStep(turn, grown, step)
  expandReady(turn)
}

export function takePlan(turn: Turn, event: PlanProposed): void {
  const { asked } = turn
  closeRequest(turn, event)
  spend(turn, event.usage)
  const conflict = findStreamConflict(turn, event.plan)
  if (conflict === undefined) takeWholePlan(turn, event.plan)
  else if (asked?.breakdowns === 0) {
    turn.refused = conflict
    askAnew(turn, [...asked.troubles, { type: 'patch_refused', text: conflict }])
  } else {
    const hint = 'A planner that streams its steps must keep them in the plan as they are, also when it is asked again.'
    const failure = { code: 'PLAN_INVALID', message: conflict, hint, retryable: false }
    turn.verdict ??= { status: 'failed', reason: 'invalid_plan', message: conflict, failure }
  }
}

function takeWholePlan(turn: Turn, plan: Plan): void {
  if (plan.steps.length > turn.limits.steps) {
    endTooLarge(turn, String(plan.steps.length))
    return
  }
  adoptPlan(turn, plan)
  turn.planIsApproved = !planWaits(turn, plan)
  remember(turn, plan)
  expandReady(turn)
}

function endTooLarge(turn: Turn, steps: string): void {
  end(turn, 'budget_exhausted', `The plan has ${steps} steps, and ${String(turn.limits.steps)} are allowed.`)
}

export function takePatch(turn: Turn, event: PlanPatchProposed): void {
  const troubles = closeRequest(turn, event)
  spend(turn, event.usage)
  if (event.patch.operations.length === 0) keepPlan(turn, troubles, event.patch.because.text)
  else if (patchWaits(turn, event.patch)) propose(turn, event.patch, troubles)
  else applyProposal(turn, event.patch, troubles)
}

function propose(turn: Turn, patch: Patch, troubles: readonly Trouble[]): void {
  turn.proposed = patch
  turn.proposedFor = troubles
  turn.asked = undefined
  turn.troubles = turn.troubles.unshift(...troubles)
}

/** Leaves the plan as it is. Where that lets go what a broken assumption held back, it may be for somebody to approve: as a proposal
 * that changes nothing. */
function keepPlan(turn: Turn, troubles: readonly Trouble[], because: string): void {
  if (turn.plan !== undefined && keepWaits(turn, troubles)) {
    const { revision, by } = turn.plan
    propose(turn, { base: revision, by, because: { type: 'trouble', text: because }, operations: [] }, troubles)
    return
  }
  settleTroubles(turn, troubles, undefined)
  expandReady(turn)
}

/** Applies what the planner proposed, or, where it no longer fits, tells it so as one more trouble. */
export function applyProposal(turn: Turn, patch: Patch, troubles: readonly Trouble[]): void {
  if (patch.operations.length === 0) {
    settleTroubles(turn, troubles, undefined)
    expandReady(turn)
    return
  }
  const refusal = findConflict(turn, patch) ?? tryPatch(turn, patch)
  if (refusal !== undefined) {
    turn.refused = refusal
    turn.troubles = turn.troubles.unshift(...troubles)
    raise(turn, { type: 'patch_refused', text: refusal })
    return
  }
  noteAmendment(turn, patch, troubles)
  settleTroubles(turn, troubles, patch)
  takeBackTroubles(turn)
  expandReady(turn)
  if (turn.plan) remember(turn, turn.plan)
}

export function takeKept(turn: Turn, event: PlanKept): void {
  const troubles = closeRequest(turn, event)
  spend(turn, event.usage)
  keepPlan(turn, troubles, event.because)
}

export function takeGivenUp(turn: Turn, event: PlanGivenUp): void {
  const troubles = closeRequest(turn, event)
  spend(turn, event.usage)
  const goesOn =
    turn.plan !== undefined && turn.planIsWhole && (isOnly(troubles, 'expanded') || turn.plan.goal.partial === 'allow')
  if (goesOn) {
    keepPlan(turn, troubles, `The planner gave up: ${event.because}`)
    return
  }
  if (isOnly(troubles, 'goal_unmet')) {
    turn.verdict ??= goalUnmet(`${inWords(findUnmet(turn))} (the planner gave up: ${event.because})`)
    return
  }
  end(turn, 'gave_up', `The planner gave up: ${event.because}`, troubles.at(-1))
}

/** A planner that breaks down is asked once more; after that, the run has failed. */
export function takePlannerFailure(turn: Turn, event: Pick<PlanFailed, 'requestId' | 'failure' | 'usage'>): void {
  const { asked } = turn
  if (asked === undefined) return
  closeRequest(turn, event)
  spend(turn, event.usage)
  if (mayHelpAgain(event.failure) && asked.breakdowns === 0) askAnew(turn, asked.troubles)
  else {
    const { failure } = event
    turn.verdict ??= { status: 'failed', reason: reasonOf(failure), message: failure.message, failure }
  }
}

function reasonOf({ code }: Failure): Verdict['reason'] {
  if (code === budgetShort) return 'budget_exhausted'
  return code === 'PLAN_INVALID' ? 'invalid_plan' : 'planner_failed'
}

/** Asks once more after a breakdown. Troubles that have come up meanwhile wait for their own question. */
function askAnew(turn: Turn, troubles: readonly Trouble[]): void {
  withdrawUnbegun(turn) // P4
  ask(turn, troubles, 1)
}

export function takePlannerTimer(turn: Turn, key: string): void {
  turn.timers = turn.timers.delete(key)
  const requestId = key.slice('planner:'.length)
  if (turn.asked?.requestId !== requestId) return
  turn.commands.push({ type: 'plan.cancel', requestId })
  takePlannerFailure(turn, {
    requestId,
    failure: {
      code: 'PLANNER_TIMEOUT',
      message: `The planner "${turn.run.planner}" gave no answer within ${String(turn.limits.plannerMs)} ms.`,
      hint: 'Raise limits.plannerMs, or look at what the planner waits for.',
      retryable: true,
    },
  })
}

/** Notes that this plan is followed with these facts and this much done; the same again is a loop (P2). A plan's hash costs
 * a look at each step, so the first plan gets its own only when a second one comes. */
function remember(turn: Turn, plan: Plan): void {
  const progress = `${String(turn.facts.version)} ${String(turn.counts.succeeded)}`
  if (turn.first === undefined || plan === turn.first) {
    turn.firstProgress = progress
    return
  }
  const first = `${planHash(turn.first)} ${turn.firstProgress}`
  const key = `${planHash(plan)} ${progress}`
  if (key === first || turn.seen.has(key)) {
    const revisions = turn.patches
      .takeLast(4)
      .map((patch) => `revision ${String(patch.base + 1)}: ${patch.because.text}`)
    turn.verdict ??= {
      status: 'failed',
      reason: 'stuck',
      message: `Replanning goes in circles: revision ${String(plan.revision)} is a plan that was followed before, and no fact has changed since.`,
      cycle: revisions.toArray(),
    }
  }
  turn.seen = turn.seen.add(key)
}

function end(turn: Turn, reason: Verdict['reason'], message: string, trouble?: Trouble): void {
  turn.verdict ??= { status: 'failed', reason, message, stepId: trouble?.stepId, failure: trouble?.failure }
}
