// What a run has come to where nobody has said so before: done, done in part, or failed, and because of which step.
//
// E3. Only a run that lost nothing, and has what its goal wants, is done.
import type { Verdict } from '../coordinator.context.ts'
import { findUnmet, goalOf, inWords } from './goal.ts'
import { isSettled, type Entry } from './ledger.ts'
import { entriesNow, openSteps, type Turn } from './turn.ts'

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
  for (const [id, entry] of entriesNow(turn)) {
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
  for (const [id, entry] of entriesNow(turn)) {
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
