// Steps of which nobody can tell whether they had their effect: who finds it out, and what follows where nobody can.
//
// B1. An attempt whose effect may have happened is repeated only where it is known not to have, or where the run's policy
//     says so: until then the step is `uncertain`.
// B2. The tool's own check comes first; the policy decides what that cannot tell.
// B3. A run does not end while something is being found out, unless its verdict is in.
import { resolveReferences } from '../../plan/references.ts'
import type { Step } from '../../plan/schema.ts'
import type { Failure } from '../reports.messages.ts'
import { lookUp, recount } from './advance.ts'
import { backoffMs, retryPolicy } from './backoff.ts'
import { executeCommand } from './execute.ts'
import { about, backOff, endFailed, raise } from './fail.ts'
import { countOut } from './lanes.ts'
import type { Entry } from './ledger.ts'
import { endLost, noteKnown } from './lostEnd.ts'
import { setEntry, type Turn } from './turn.ts'

/** The failure of an attempt whose process ended: it says nothing of the step itself. */
export const processEnded = 'PROCESS_ENDED'

/** Takes in that nobody can tell whether the live attempt had its effect. */
export function makeUncertain(turn: Turn, id: string, entry: Entry, failure: Failure): void {
  const step = turn.steps.get(id)
  if (step === undefined) return
  countOut(turn, step, -1)
  noteKnown(turn, [id])
  setEntry(turn, id, { ...entry, status: 'uncertain', failure, endedAt: turn.now, undecided: true, loss: 'lost' })
  if (turn.verdict === undefined) resolveDoubt(turn, step)
}

/** Has it found out by the tool itself, or does what the policy says (B2). */
export function resolveDoubt(turn: Turn, step: Step): void {
  const canCheck = step.tool !== undefined && turn.run.tools[step.tool]?.checks === true
  if (canCheck) findOut(turn, step, 'tool')
  else followPolicy(turn, step)
}

export function followPolicy(turn: Turn, step: Step): void {
  const entry = turn.entries.get(step.id)
  if (entry === undefined) return
  switch (turn.run.settings.uncertain ?? 'replan') {
    case 'replan':
      tellPlanner(turn, step)
      break
    case 'ask':
      findOut(turn, step, 'person')
      break
    case 'retry':
      if (isGone(turn, step)) tellPlanner(turn, step)
      else sendAgain(turn, step, entry)
      break
    case 'fail':
      setEntry(turn, step.id, { ...entry, undecided: undefined })
      turn.verdict ??= {
        status: 'failed',
        reason: 'step_failed',
        message: doubtOf(step.id, entry),
        stepId: step.id,
        failure: entry.failure,
      }
  }
}

/** There is no tool any more that could do it again. */
function isGone(turn: Turn, { tool }: Step): boolean {
  return tool !== undefined && turn.run.tools[tool] === undefined
}

export function tellPlanner(turn: Turn, step: Step): void {
  const entry = turn.entries.get(step.id)
  if (entry === undefined) return
  const { failure } = entry
  raise(turn, { type: 'uncertain', text: doubtOf(step.id, entry), ...about(step, entry), ...(failure && { failure }) })
}

/** One more attempt, with the same idempotency key. Where the process had ended, or the record is lost, it does not count as a try; a step that is cut
 * short again and again has failed after `limits.sameFailure` tries, or as many as its own policy allows. */
export function sendAgain(turn: Turn, step: Step, entry: Entry): void {
  const { id } = step
  const { failure } = entry
  const again: Entry = { ...entry, undecided: undefined, loss: undefined }
  if (failure === undefined || failure.code === processEnded || failure.code === endLost) {
    putBack(turn, id, again)
    return
  }
  const retry = retryPolicy(step, turn.run)
  if (entry.tries < Math.max(retry.attempts, turn.limits.sameFailure))
    backOff(turn, id, again, backoffMs(retry, entry.tries, turn.run.settings.seed, id))
  else endFailed(turn, step, again, failure)
}

/** A step whose attempt was cut short waits for its next one, which has the same key; the one before does not count as a try. */
export function putBack(turn: Turn, id: string, entry: Entry): void {
  setEntry(turn, id, { ...entry, status: 'waiting', tries: Math.max(0, entry.tries - 1) })
  recount(turn, id)
}

/** Nothing need be found out any more about steps that somebody has decided about otherwise. Costs a look at each doubt. */
export function dropDoubts(turn: Turn, because: string): void {
  for (const id of turn.doubts.keys()) {
    const entry = turn.entries.get(id)
    if (turn.verdict === undefined && entry?.status === 'uncertain' && entry.undecided && turn.steps.has(id)) continue
    turn.doubts = turn.doubts.delete(id)
    turn.commands.push({ type: 'step.checkAbort', stepId: id, attempt: entry?.attempt ?? 0, because })
  }
}

/** What is in doubt, in words. */
export function doubtOf(id: string, { failure }: Pick<Entry, 'failure'>): string {
  return `it cannot be told whether "${id}" had its effect${failure ? `: ${failure.message}` : ''}`
}

function findOut(turn: Turn, step: Step, of: 'tool' | 'person'): void {
  const entry = turn.entries.get(step.id)
  const input = resolveReferences(step.input ?? {}, (reference) => lookUp(turn, reference))
  if (entry === undefined || 'missing' in input) return // it was there when the attempt began
  turn.doubts = turn.doubts.set(step.id, of)
  const work = executeCommand(turn, step, entry, input.value)
  turn.commands.push({ ...work, type: 'step.check', of, text: doubtOf(step.id, entry) })
}
