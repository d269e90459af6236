// How a run ends: stopping what is out, and the outcome in words.
//
// E1. After the verdict nothing is dispatched; every live attempt is told to stop.
// E2. When the run is over each step has exactly one final status, and nothing of the run is alive.
import type { ActorFailed, Outcome, RunCancel, StepStatus } from '../coordinator.messages.ts'
import type { CoordinatorContext, Verdict } from '../coordinator.context.ts'
import { findFact } from './facts.ts'
import { abort } from './outcomes.ts'
import { countOut } from './lanes.ts'
import { isSettled } from './ledger.ts'
import { openSteps, setEntry, setTimer, type Turn } from './turn.ts'

/** Finds the verdict where the run came to its end by itself, and stops whatever is still out. */
export function stopEverything(turn: Turn): void {
  turn.verdict ??= findVerdict(turn)
  if (turn.asked) turn.commands.push({ type: 'plan.cancel', requestId: turn.asked.requestId })
  turn.asked = undefined
  turn.proposed = undefined
  for (const key of turn.timers.keys()) turn.commands.push({ type: 'timer.clear', key })
  turn.timers = turn.timers.clear()
  turn.ready = turn.ready.clear()
  if (openSteps(turn) === 0) return
  for (const [id, entry] of turn.entries) {
    if (entry.status === 'running') abort(turn, id, entry, turn.verdict.message)
    else if (!isSettled(entry.status)) {
      setEntry(turn, id, {
        ...entry,
        status: 'cancelled',
        causedBy: turn.verdict.stepId,
        loss: 'lost',
        endedAt: turn.now,
      })
    }
  }
  if (turn.counts.running > 0) setTimer(turn, 'grace', turn.now + turn.limits.graceMs)
}

/** The grace period is over: what has not answered by now is not waited for. */
export function stopWaiting(turn: Turn): void {
  turn.timers = turn.timers.delete('grace')
  for (const [id, entry] of turn.entries) {
    const step = turn.steps.get(id)
    if (entry.status !== 'running' || step === undefined) continue
    const traits = step.tool === undefined ? undefined : turn.run.tools[step.tool]
    const isUncertain =
      traits !== undefined && !traits.idempotent && (traits.effects === 'write' || traits.effects === 'external')
    countOut(turn, step, -1)
    setEntry(turn, id, { ...entry, status: isUncertain ? 'uncertain' : 'cancelled', loss: 'lost', endedAt: turn.now })
  }
}

/** Writes the outcome. */
export function closeRun(turn: Turn): void {
  for (const key of turn.timers.keys()) turn.commands.push({ type: 'timer.clear', key })
  turn.timers = turn.timers.clear()
  const verdict = turn.verdict ?? findVerdict(turn)
  const counts: Partial<Record<StepStatus, number>> = {}
  for (const [status, count] of Object.entries(turn.counts)) if (count > 0) counts[status as StepStatus] = count
  const outcome: Outcome = {
    status: verdict.status,
    reason: verdict.reason,
    message: verdict.message,
    ...(verdict.stepId !== undefined && { stepId: verdict.stepId }),
    ...(verdict.failure && { failure: verdict.failure }),
    ...(verdict.cycle && { cycle: verdict.cycle }),
    counts,
    usage: { ...turn.used, timeMs: turn.now - turn.run.at },
    revision: turn.plan?.revision ?? 0,
  }
  turn.outcome = outcome
}

/** Nothing is out, scheduled or asked, nobody is waited for, and yet steps are open: nothing will ever happen again. */
export function nothingCanHappen(context: CoordinatorContext): boolean {
  const { counts } = context
  if (counts.running > 0 || counts.backing_off > 0 || context.asked || context.proposed) return false
  return openSteps(context) > 0 && !waitsForApproval(context)
}

/** Some step waits for a person's approval, and for nothing else. */
function waitsForApproval(context: CoordinatorContext): boolean {
  if (context.counts.held === 0) return false
  return context.entries.some((entry) => entry.status === 'held' && entry.missing === 0 && !entry.heldBy?.length)
}

function findVerdict(turn: Turn): Verdict {
  if (openSteps(turn) > 0) return stuckVerdict(turn)
  let lost: string | undefined
  let missing = 0
  for (const [id, entry] of turn.entries) {
    if (entry.loss === undefined) continue
    missing += 1
    if (entry.loss === 'lost') lost ??= entry.causedBy ?? id
  }
  const succeeded = turn.counts.succeeded
  if (missing === 0) return { status: 'completed', reason: 'done', message: `Done: ${count(succeeded)} succeeded.` }
  const message = `${count(succeeded)} succeeded, ${String(missing)} ${missing === 1 ? 'was' : 'were'} lost`
  const allowsPart = turn.plan?.goal.partial === 'allow'
  if (lost === undefined || (allowsPart && isWorthHaving(turn))) {
    return { status: 'completed', reason: 'partial', message: `Done in part: ${message}.`, stepId: lost }
  }
  const failure = turn.entries.get(lost)?.failure
  return {
    status: 'failed',
    reason: 'step_failed',
    message: `Step "${lost}" failed${failure ? `: ${failure.message}` : ''} (${message}, and ${allowsPart ? 'nothing of what is wanted was reached' : 'the goal does not allow for partial results'}).`,
    stepId: lost,
    failure,
  }
}

/** A part of the goal is something only where a step succeeded and, if facts are wanted, one of them is there. */
function isWorthHaving(turn: Turn): boolean {
  const wanted = turn.plan?.goal.want ?? []
  if (turn.counts.succeeded === 0) return false
  return wanted.length === 0 || wanted.some(({ fact }) => findFact(turn.facts, fact) !== undefined)
}

function stuckVerdict(turn: Turn): Verdict {
  const waiting: string[] = []
  for (const [id, entry] of turn.entries) {
    if (isSettled(entry.status)) continue
    const why = entry.heldBy?.length
      ? `held by the broken assumption ${entry.heldBy.map((by) => `"${by}"`).join(', ')}`
      : entry.status
    waiting.push(`"${id}" (${why})`)
    if (waiting.length === 5) break
  }
  return {
    status: 'failed',
    reason: 'stuck',
    message: `Nothing is running, scheduled or asked, and steps are open: ${waiting.join(', ')}.`,
    cycle: waiting,
  }
}

function count(steps: number): string {
  return steps === 1 ? '1 step' : `${String(steps)} steps`
}

export function cancelRun(turn: Turn, event: RunCancel): void {
  const because = event.because === undefined ? '' : `: ${event.because}`
  turn.verdict ??= {
    status: 'cancelled',
    reason: 'cancelled',
    message: `Cancelled${event.by ? ` by ${event.by}` : ''}${because}.`,
  }
}

export function takeRunTimer(turn: Turn): void {
  turn.timers = turn.timers.delete('run')
  const message = `The run has used its ${String(turn.limits.timeMs)} ms.`
  turn.verdict ??= { status: 'failed', reason: 'budget_exhausted', message }
}

export function failWithActor(turn: Turn, event: ActorFailed): void {
  const reason = event.actor === 'planner' ? 'planner_failed' : 'executor_failed'
  turn.verdict ??= { status: 'failed', reason, message: event.failure.message, failure: event.failure }
}
