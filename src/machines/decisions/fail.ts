// What a failed attempt comes to: another attempt, a skipped step, the end of the run, or trouble for the planner.
//
// X1. The same step content failing in the same way again and again ends the run as `stuck`.
import { hashJson } from '../../plan/hash.ts'
import { resolveReferences } from '../../plan/references.ts'
import type { Json } from '../../plan/json.ts'
import type { Step } from '../../plan/schema.ts'
import type { FactGiven, Failure, Trouble } from '../reports.messages.ts'
import { lookUp } from './advance.ts'
import { backoffMs, retryPolicy } from './backoff.ts'
import { countOut } from './lanes.ts'
import type { Entry } from './ledger.ts'
import { setEntry, setTimer, type Turn } from './turn.ts'
import { recount } from './advance.ts'

/** What a model call that the budget does not suffice for fails with. */
export const budgetShort = 'BUDGET_SHORT'

/** Whether the same once more may come out otherwise. What a budget does not suffice for once, it never does. */
export function mayHelpAgain({ retryable, code }: Failure): boolean {
  return retryable && code !== budgetShort
}

/** Takes in that the live attempt of a step has failed. */
export function failStep(turn: Turn, id: string, entry: Entry, failure: Failure): void {
  const step = turn.steps.get(id)
  if (step === undefined) return
  countOut(turn, step, -1)
  const ended: Entry = { ...entry, failure, endedAt: turn.now }
  if (turn.verdict) {
    setEntry(turn, id, { ...ended, status: 'cancelled', causedBy: turn.verdict.stepId, loss: 'lost' })
    return
  }
  const retry = retryPolicy(step, turn.run)
  if (mayHelpAgain(failure) && entry.tries < retry.attempts) {
    backOff(turn, id, ended, backoffMs(retry, entry.tries, turn.run.settings.seed, id))
    return
  }
  endFailed(turn, step, ended, failure)
}

/** Takes in that a step succeeded, but not in the way it was expected to. */
export function surprise(
  turn: Turn,
  id: string,
  entry: Entry,
  output: Json,
  facts: readonly FactGiven[],
  failure: Failure,
): void {
  const step = turn.steps.get(id)
  if (step === undefined) return
  if (entry.status === 'running') countOut(turn, step, -1)
  if (step.onFailure === 'skip' || step.onFailure === 'fail' || turn.verdict) {
    endFailed(turn, step, { ...entry, failure, endedAt: turn.now }, failure)
    return
  }
  setEntry(turn, id, { ...entry, status: 'failed', failure, endedAt: turn.now, undecided: true, loss: undefined })
  raise(turn, {
    type: 'surprised',
    text: `"${id}" gave what was not expected: ${failure.message}`,
    ...about(step, entry),
    failure,
    output,
    facts,
  })
}

/** Has the next attempt come after a while, or at once. */
export function backOff(turn: Turn, id: string, entry: Entry, waitMs: number): void {
  setEntry(turn, id, { ...entry, status: 'backing_off' })
  if (waitMs > 0) setTimer(turn, `retry:${id}`, turn.now + waitMs)
  else recount(turn, id)
}

/** No further attempt: what that means says the step's `onFailure`. */
export function endFailed(turn: Turn, step: Step, entry: Entry, failure: Failure): void {
  const { id } = step
  if (step.onFailure === 'skip') {
    setEntry(turn, id, { ...entry, status: 'skipped', causedBy: id, loss: 'permitted' })
    turn.ended.push(id)
    return
  }
  if (failure.code === budgetShort && turn.verdict === undefined) {
    setEntry(turn, id, { ...entry, status: 'failed', loss: 'lost' })
    turn.verdict = { status: 'failed', reason: 'budget_exhausted', message: failure.message, stepId: id, failure }
    return
  }
  if (step.onFailure === 'fail' || turn.verdict) {
    setEntry(turn, id, { ...entry, status: 'failed', loss: 'lost' })
    turn.verdict ??= {
      status: 'failed',
      reason: 'step_failed',
      message: `Step "${id}" failed: ${failure.message}`,
      stepId: id,
      failure,
    }
    return
  }
  setEntry(turn, id, { ...entry, status: 'failed', undecided: true })
  const again = countFailure(turn, step, failure)
  raise(turn, {
    type: again > 1 ? 'repeated' : 'failed',
    text: `"${id}" failed${again > 1 ? ` as it did before (${String(again)} times)` : ''}: ${failure.message}`,
    ...about(step, entry),
    failure,
  })
}

export function about(step: Step, entry: Entry): Pick<Trouble, 'stepId' | 'tool' | 'attempts'> {
  return { stepId: step.id, ...(step.tool !== undefined && { tool: step.tool }), attempts: entry.tries }
}

export function raise(turn: Turn, trouble: Trouble): void {
  turn.troubles = turn.troubles.push(trouble)
}

/** How often the same content has failed finally in the same way; at the limit, that is the end (X1). */
function countFailure(turn: Turn, step: Step, failure: Failure): number {
  const resolved = resolveReferences(step.input ?? {}, (reference) => lookUp(turn, reference))
  const tried = 'value' in resolved ? resolved.value : (step.input ?? {})
  const signature = hashJson([
    step.tool ?? step.instruction ?? step.goal?.text ?? '',
    ...(step.tools === undefined ? [] : [step.tools]),
    tried,
    failure.code,
    failure.message,
  ])
  const steps = [...(turn.failures.get(signature) ?? []), step.id]
  turn.failures = turn.failures.set(signature, steps)
  if (steps.length >= turn.limits.sameFailure) {
    turn.verdict ??= {
      status: 'failed',
      reason: 'stuck',
      message: `The same input to ${step.tool ? `tool "${step.tool}"` : `step "${step.id}"`} failed in the same way ${String(steps.length)} times: ${failure.message}`,
      stepId: step.id,
      failure,
      cycle: steps,
    }
  }
  return steps.length
}
