// The coordinator's guards: statements that cost the same for any plan.
import type { Holding } from './coordinator.setup.ts'
import type { CoordinatorMessage } from './coordinator.messages.ts'
import { nothingCanHappen as nothingEverHappens } from './decisions/close.ts'
import { isGoalUnmet } from './decisions/goal.ts'
import { isUnattended } from './decisions/refusal.ts'
import { openSteps } from './decisions/turn.ts'

interface Asked {
  readonly context: Holding
  readonly event: CoordinatorMessage
}

/** The answer is to the question that is out. */
export const isCurrentAnswer = ({ context: { held }, event }: Asked): boolean =>
  'requestId' in event && held.asked?.requestId === event.requestId

export const planIsWhole = ({ context: { held } }: Asked): boolean => held.planIsWhole

/** Somebody has to approve before the run goes on: the first plan, or a patch. */
export const approvalIsWanted = ({ context: { held } }: Asked): boolean =>
  held.proposed !== undefined || (held.planIsWhole && !held.planIsApproved)

export const verdictIsIn = ({ context: { held } }: Asked): boolean => held.verdict !== undefined
export const troubleIsOpen = ({ context: { held } }: Asked): boolean =>
  held.asked !== undefined || !held.troubles.isEmpty()
export const answerIsIn = ({ context: { held } }: Asked): boolean => held.asked === undefined && held.planIsWhole
export const everyStepSettled = ({ context: { held } }: Asked): boolean => openSteps(held) === 0
/** Costs the same for any plan until its last step has ended. */
export const goalIsUnmet = ({ context: { held } }: Asked): boolean => isGoalUnmet(held)
export const nothingIsOut = ({ context: { held } }: Asked): boolean => held.counts.running === 0
/** Of a run that nobody has that cannot be told yet: what is ready goes out when it is gone on with. */
export const nothingCanHappen = ({ context: { held }, event }: Asked): boolean =>
  !isUnattended(event) && nothingEverHappens(held)
export const runIsCompleted = ({ context: { held } }: Asked): boolean =>
  held.counts.running === 0 && held.verdict?.status === 'completed'
export const runIsFailed = ({ context: { held } }: Asked): boolean =>
  held.counts.running === 0 && held.verdict?.status === 'failed'
export const runIsCancelled = ({ context: { held } }: Asked): boolean =>
  held.counts.running === 0 && held.verdict?.status === 'cancelled'

export const approvalIsGiven = (asked: Asked): boolean => !approvalIsWanted(asked)
