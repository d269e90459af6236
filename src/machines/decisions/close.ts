// How a run ends: stopping what is out, and the outcome in words.
//
// E1. After the verdict nothing is dispatched; every live attempt is told to stop.
// E2. When the run is over each step has exactly one final status, and nothing of the run is alive.
import type { ActorFailed, Outcome, RunCancel } from '../coordinator.messages.ts'
import type { CoordinatorContext, Verdict } from '../coordinator.context.ts'
import { findUnmet, goalOf, inWords } from './goal.ts'
import { abort } from './outcomes.ts'
import { countOut } from './lanes.ts'
import { isSettled, type Entry } from './ledger.ts'
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
    const status = isUncertain ? 'uncertain' : 'cancelled'
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
    usage: { ...turn.used, timeMs: turn.now - turn.run.at },
    revision: turn.plan?.revision ?? 0,
  }
  turn.outcome = outcome
}

/** Steps that a revision has taken out are not counted: what became of the plan is the question. */
function countSteps({ counts, entries, steps }: Turn): Outcome['counts'] {
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
  return openSteps(context) > 0 && !waitsForApproval(context)
}

/** Some step waits for a person's approval, and for nothing else. */
function waitsForApproval(context: CoordinatorContext): boolean {
  if (context.counts.held === 0) return false
  return context.entries.some((entry) => entry.status === 'held' && entry.missing === 0 && !entry.heldBy?.length)
}

/** What the run has come to, where nobody has said so before. */
export function findVerdict(turn: Turn): Verdict {
  if (openSteps(turn) > 0) return stuckVerdict(turn)
  const { lost, missing, withdrawn } = findLosses(turn)
  const succeeded = turn.counts.succeeded - withdrawn
  const unmet = findUnmet(turn)
  if (missing === 0 && unmet.length === 0)
    return { status: 'completed', reason: 'done', message: `Done: ${count(succeeded)} succeeded.` }
  const losses = missing === 0 ? '' : `, ${String(missing)} ${missing === 1 ? 'was' : 'were'} lost`
  const wanting = unmet.length === 0 ? '' : `; ${inWords(unmet)}`
  const allowsPart = goalOf(turn).partial === 'allow'
  const isPermitted = lost === undefined && unmet.length === 0
  if (isPermitted || (allowsPart && isWorthHaving(turn, succeeded, unmet.length))) {
    const message = `Done in part: ${count(succeeded)} succeeded${losses}${wanting}.`
    return { status: 'completed', reason: 'partial', message, stepId: lost }
  }
  const why = allowsPart ? 'nothing of what is wanted was reached' : 'the goal does not allow for partial results'
  if (lost === undefined) return goalUnmet(`${inWords(unmet)} (${count(succeeded)} succeeded${losses}, and ${why}).`)
  const failure = turn.entries.get(lost)?.failure
  return {
    status: 'failed',
    reason: 'step_failed',
    message: `Step "${lost}" failed${failure ? `: ${failure.message}` : ''} (${count(succeeded)} succeeded${losses}, and ${why}).`,
    stepId: lost,
    failure,
  }
}

/** All was done that the plan says, and the goal is not reached. */
export function goalUnmet(text: string): Verdict {
  const message = `The goal is not reached: ${text}`
  const hint =
    'A tool says with `gives` which facts its output holds; a plan needs a step for each fact that is wanted.'
  return {
    status: 'failed',
    reason: 'goal_unmet',
    message,
    failure: { code: 'GOAL_UNMET', message, hint, retryable: false },
  }
}

interface Losses {
  /** The step that the first loss for good comes from. */
  readonly lost: string | undefined
  readonly missing: number
  /** Steps among them that had succeeded, and were given up with their branch. */
  readonly withdrawn: number
}

function findLosses(turn: Turn): Losses {
  let first: { readonly id: string; readonly entry: Entry } | undefined
  let missing = 0
  let withdrawn = 0
  for (const [id, entry] of turn.entries) {
    if (entry.loss === undefined) continue
    missing += 1
    if (entry.status === 'succeeded') withdrawn += 1
    if (entry.loss === 'lost' && (first === undefined || isNearerToCause(entry, first.entry))) first = { id, entry }
  }
  return { lost: first && (first.entry.causedBy ?? first.id), missing, withdrawn }
}

/** What broke by itself comes before what was lost because of others; then what ended first. */
function isNearerToCause(a: Entry, b: Entry): boolean {
  const [one, two] = [nearness(a), nearness(b)]
  if (one !== two) return one < two
  const [first, second] = [a.endedAt ?? Infinity, b.endedAt ?? Infinity]
  return first === second ? a.rank < b.rank : first < second
}

function nearness({ status, failure, causedBy }: Entry): number {
  const broke = status === 'failed' || status === 'uncertain'
  return broke && failure !== undefined && causedBy === undefined ? 0 : causedBy === undefined ? 2 : 1
}

/** A part of the goal is something only where a step succeeded and, if facts are wanted, one of them is as it should be. */
function isWorthHaving(turn: Turn, succeeded: number, unmet: number): boolean {
  const wanted = goalOf(turn).want?.length ?? 0
  return succeeded > 0 && (wanted === 0 || unmet < wanted)
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
