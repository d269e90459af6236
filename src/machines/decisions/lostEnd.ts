// A record whose end is lost: nobody knows what the run did after that.
//
// Z1. A step that must not have its effect twice may have been carried out in the part that is lost: when its turn comes for
//     the first time, it is uncertain instead of being sent (B1). From then on it is a step like any other.
// Z2. That goes for whatever was in the plan, and for what the planner brings: it may have brought the same before. It does not
//     go for what people put into the plan, nor for what the planner does about a step of which it was told so.
// Z3. The tool of then decides as well as the tool of now.
// Z4. A sub-run that begins for a step may be the second one for it: it is in doubt as a whole.
import { Set as PersistentSet } from 'immutable'
import type { Patch, Step } from '../../plan/schema.ts'
import type { RunEndLost } from '../coordinator.messages.ts'
import type { Failure, Trouble } from '../reports.messages.ts'
import { mayHaveHadEffect } from './effects.ts'
import { renewedBy } from './operations.ts'
import type { Turn } from './turn.ts'

/** The failure of a step that may have been carried out already: it says nothing of the step itself. */
export const endLost = 'RUN_END_LOST'

export function noteLostEnd(turn: Turn, { after }: RunEndLost): void {
  turn.lostEnd = { after, tools: turn.run.tools, known: PersistentSet() }
}

/** Whether nobody can tell if the step, whose turn has come, was carried out in the part that is lost (Z1). */
export function mayHaveBeenDone(turn: Turn, step: Step): boolean {
  const { lostEnd, run } = turn
  if (lostEnd === undefined || lostEnd.known.has(step.id)) return false
  return mayHaveHadEffect(run, step) || mayHaveHadEffect(lostEnd, step) // Z3
}

/** Why such a step is uncertain. */
export function lostFailure({ lostEnd }: Turn, { id }: Step): Failure {
  const what =
    lostEnd?.after === undefined
      ? 'The record of a sub-run that was to do the same is lost'
      : `The end of the record was lost after event ${String(lostEnd.after)}`
  return {
    code: endLost,
    message: `${what}, and it cannot be told whether step "${id}" had been carried out.`,
    hint: 'Find out outside, and then answer the step (it had), retry it (it had not), or skip it.',
    retryable: false,
  }
}

/** Whether a sub-run that is begun for the step may be the second one (Z4); asked once. */
export function isBegunInDoubt(turn: Turn, step: Step): boolean {
  if (step.goal === undefined || turn.lostEnd === undefined || turn.lostEnd.known.has(step.id)) return false
  noteKnown(turn, [step.id])
  return true
}

/** Nothing that is lost has to do with these steps, or it was asked whether it has. */
export function noteKnown(turn: Turn, ids: readonly string[]): void {
  if (turn.lostEnd === undefined) return
  turn.lostEnd = { ...turn.lostEnd, known: turn.lostEnd.known.union(ids) }
}

/** The plan was amended in answer to troubles (Z2). */
export function noteAmendment(turn: Turn, patch: Patch, troubles: readonly Trouble[]): void {
  if (turn.lostEnd === undefined) return
  const renewed = patch.operations.flatMap(renewedBy)
  if (troubles.some(({ failure }) => failure?.code === endLost)) noteKnown(turn, renewed)
  else turn.lostEnd = { ...turn.lostEnd, known: turn.lostEnd.known.subtract(renewed) }
}

/** Somebody has changed the plan by hand (Z2). */
export function noteEdit(turn: Turn, patch: Patch): void {
  noteKnown(turn, patch.operations.flatMap(renewedBy))
}

/** Items of a list are known where the step that goes over it is. */
export function noteItems(turn: Turn, { operations }: Patch, listId: string): void {
  if (turn.lostEnd?.known.has(listId) !== true) return
  noteKnown(
    turn,
    operations.flatMap(renewedBy).filter((id) => id.startsWith(`${listId}[`)),
  )
}
