// How a run ends: stopping what is out, and the outcome in words.
//
// E1. After the verdict nothing is dispatched; every live attempt is told to stop.
// E2. When the run is over each step has exactly one final status, and nothing of the run is alive.
import type { ActorFailed, RunCancel } from '../coordinator.messages.ts'
import type { Outcome } from '../reports.messages.ts'
import { usedIn, type CoordinatorContext } from '../coordinator.context.ts'
import { mayHaveHadEffect } from './effects.ts'
import { abort } from './outcomes.ts'
import { countOut } from './lanes.ts'
import { isSettled } from './ledger.ts'
import { entriesNow, openSteps, setEntry, setTimer, type Turn } from './turn.ts'
import { dropDoubts } from './uncertain.ts'
import { findVerdict } from './verdict.ts'

/** Finds the verdict where the run came to its end by itself, and stops whatever is still out. */
export function stopEverything(turn: Turn): void {
  turn.verdict ??= findVerdict(turn)
  if (turn.asked) turn.commands.push({ type: 'plan.cancel', requestId: turn.asked.requestId })
  turn.asked = undefined
  turn.proposed = undefined
  dropDoubts(turn, turn.verdict.message)
  for (const key of turn.timers.keys()) turn.commands.push({ type: 'timer.clear', key })
  turn.timers = turn.timers.clear()
  turn.ready = turn.ready.clear()
  if (openSteps(turn) === 0) return
  for (const [id, entry] of entriesNow(turn)) {
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
  for (const [id, entry] of entriesNow(turn)) {
    const step = turn.steps.get(id)
    if (entry.status !== 'running' || step === undefined) continue
    countOut(turn, step, -1)
    const status = mayHaveHadEffect(turn.run, step) ? 'uncertain' : 'cancelled'
    setEntry(turn, id, { ...entry, status, causedBy: turn.verdict?.stepId, loss: 'lost', endedAt: turn.now })
  }
}

/** Writes the outcome. */
export function closeRun(turn: Turn): void {
  for (const key of turn.timers.keys()) turn.commands.push({ type: 'timer.clear', key })
  turn.timers = turn.timers.clear()
  const verdict = turn.verdict ?? findVerdict(turn)
  const outcome: Outcome = {
    status: verdict.status,
    reason: verdict.reason,
    message: verdict.message,
    ...(verdict.stepId !== undefined && { stepId: verdict.stepId }),
    ...(verdict.failure && { failure: verdict.failure }),
    ...(verdict.cycle && { cycle: verdict.cycle }),
    counts: countSteps(turn),
    usage: usedIn(turn),
    revision: turn.plan?.revision ?? 0,
  }
  turn.outcome = outcome
}

/** Steps that a revision has taken out are not counted: what became of the plan is the question. */
export function countSteps({
  counts,
  entries,
  steps,
}: Pick<CoordinatorContext, 'counts' | 'entries' | 'steps'>): Outcome['counts'] {
  const found = new Map(Object.entries(counts))
  if (entries.size > steps.size) {
    for (const [id, { status }] of entries) if (!steps.has(id)) found.set(status, (found.get(status) ?? 0) - 1)
  }
  return Object.fromEntries([...found].filter(([, count]) => count > 0))
}

/** Nothing is out, scheduled or asked, nobody is waited for, and yet steps are open: nothing will ever happen again. */
export function nothingCanHappen(context: CoordinatorContext): boolean {
  const { counts } = context
  if (counts.running > 0 || counts.backing_off > 0 || context.asked || context.proposed) return false
  if (!context.doubts.isEmpty()) return false
  return openSteps(context) > 0 && !waitsForApproval(context)
}

/** Some step waits for a person's approval, and for nothing else. */
function waitsForApproval(context: CoordinatorContext): boolean {
  if (context.counts.held === 0) return false
  return context.entries.some((entry) => entry.status === 'held' && entry.missing === 0 && !entry.heldBy?.length)
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
