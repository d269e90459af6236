// What the planner's answer leaves of the troubles that it was asked about.
//
// R1. A failure is worked around only by other means, and where nobody still waits for the step who cannot do without it.
import { canDoWithout } from '../../plan/graph.ts'
import type { Patch } from '../../plan/schema.ts'
import type { Trouble } from '../reports.messages.ts'
import { propagate } from './advance.ts'
import { waive } from './assumptions.ts'
import { isGoalUnmet } from './goal.ts'
import { eachLink, isSettled, type Entry } from './ledger.ts'
import { succeed } from './outcomes.ts'
import { setEntry, type Turn } from './turn.ts'
import { findVerdict } from './verdict.ts'

/** What is left of each trouble after the answer: a failure is final, a kept surprise is a success, a kept assumption is waived.
 *
 * @param patch what the planner answered; nothing where the plan is kept. */
export function settleTroubles(turn: Turn, troubles: readonly Trouble[], patch: Patch | undefined): void {
  for (const trouble of troubles) {
    if (trouble.assumption && patch === undefined) waive(turn, trouble.assumption.id)
    const { stepId } = trouble
    const entry = stepId === undefined ? undefined : turn.entries.get(stepId)
    if (stepId === undefined || !entry?.undecided) continue
    if (trouble.type === 'surprised' && patch === undefined) {
      succeed(turn, stepId, entry, trouble.output ?? null, trouble.facts ?? [])
      continue
    }
    const isWorkedAround = patch !== undefined && bringsMeans(patch) && isDispensable(turn, stepId, entry)
    setEntry(turn, stepId, { ...entry, undecided: undefined, loss: isWorkedAround ? undefined : 'lost' })
    turn.ended.push(stepId)
  }
  propagate(turn)
  const isLeftSo = patch === undefined && troubles.some(({ type }) => type === 'goal_unmet')
  if (isLeftSo && isGoalUnmet(turn)) turn.verdict ??= findVerdict(turn)
}

/** Other steps, other ways, or another goal: without them a failure is left as it is (P3). */
function bringsMeans({ operations }: Patch): boolean {
  return operations.some(({ op }) => op === 'insert' || op === 'replace' || op === 'rewire' || op === 'regoal')
}

/** The step may be missing: it was not given up, and nobody waits for it who cannot do without. */
function isDispensable(turn: Turn, id: string, { status }: Entry): boolean {
  if (status === 'uncertain' || turn.steps.get(id)?.abandoned !== undefined) return false
  for (const dependent of eachLink(turn.dependents.get(id))) {
    const step = turn.steps.get(dependent)
    const entry = turn.entries.get(dependent)
    if (step && entry && !isSettled(entry.status) && !canDoWithout(step, id)) return false
  }
  return true
}

export function isOnly(troubles: readonly Trouble[], type: Trouble['type']): boolean {
  return troubles.length > 0 && troubles.every((trouble) => trouble.type === type)
}
