// Troubles that need no answer any more: somebody else has dealt with what they are about.
//
// U1. A question holds no trouble that is over: the planner is asked anew without it, or not at all. What it still answers
//     to the question that was taken back changes nothing.
import type { Trouble } from '../reports.messages.ts'
import { isGoalUnmet } from './goal.ts'
import { clearTimer, type Turn } from './turn.ts'
import { dropDoubts } from './uncertain.ts'

/** Takes back, from what the planner was asked and is going to be asked, all that is over (U1). To be called whenever
 * anything but the planner's answer may have ended a trouble; costs a look at each open one. */
export function takeBackTroubles(turn: Turn): void {
  dropDoubts(turn, 'it has been decided otherwise')
  if (turn.asked !== undefined && turn.planIsWhole && !turn.asked.troubles.every((trouble) => isOpen(turn, trouble))) {
    const { requestId, troubles } = turn.asked
    turn.commands.push({ type: 'plan.cancel', requestId })
    clearTimer(turn, `planner:${requestId}`)
    turn.asked = undefined
    turn.used = { ...turn.used, replans: turn.used.replans - 1 }
    turn.troubles = turn.troubles.unshift(...troubles)
  }
  const left = turn.troubles.filter((trouble) => isOpen(turn, trouble))
  turn.troubles = left.some((trouble) => !isAboutAnswer(trouble)) || turn.asked !== undefined ? left : left.clear()
}

/** It is about what the planner answered to other troubles, and nothing without them. */
function isAboutAnswer({ type, stepId }: Trouble): boolean {
  return type === 'patch_refused' || (type === 'rejected' && stepId === undefined)
}

function isOpen(turn: Turn, { type, stepId, assumption }: Trouble): boolean {
  switch (type) {
    case 'failed':
    case 'repeated':
    case 'surprised':
    case 'uncertain':
      return stepId !== undefined && turn.entries.get(stepId)?.undecided === true
    case 'assumption_broken':
      return assumption !== undefined && turn.broken.has(assumption.id)
    case 'goal_unmet':
      return isGoalUnmet(turn)
    case 'expanded':
    case 'patch_refused':
      return true
    case 'rejected':
      return stepId === undefined || turn.entries.get(stepId)?.undecided === true
  }
}
