// The coordinator's guards: statements that cost the same for any plan.
import type { CoordinatorContext } from './coordinator.context.ts'
import type { CoordinatorMessage } from './coordinator.messages.ts'
import { nothingCanHappen as nothingEverHappens } from './decisions/close.ts'
import { openSteps } from './decisions/turn.ts'

interface Asked {
  readonly context: CoordinatorContext
  readonly event: CoordinatorMessage
}

/** The answer is to the question that is out. */
export const isCurrentAnswer = ({ context, event }: Asked): boolean =>
  'requestId' in event && context.asked?.requestId === event.requestId

export const planIsWhole = ({ context }: Asked): boolean => context.planIsWhole

/** Somebody has to approve before the run goes on: the first plan, or a patch. */
export const approvalIsWanted = ({ context }: Asked): boolean =>
  context.proposed !== undefined || (context.planIsWhole && !context.planIsApproved)

export const verdictIsIn = ({ context }: Asked): boolean => context.verdict !== undefined
export const troubleIsOpen = ({ context }: Asked): boolean => context.asked !== undefined || !context.troubles.isEmpty()
export const answerIsIn = ({ context }: Asked): boolean => context.asked === undefined && context.planIsWhole
export const everyStepSettled = ({ context }: Asked): boolean => openSteps(context) === 0
export const nothingIsOut = ({ context }: Asked): boolean => context.counts.running === 0
export const nothingCanHappen = ({ context }: Asked): boolean => nothingEverHappens(context)
export const runIsCompleted = ({ context }: Asked): boolean =>
  context.counts.running === 0 && context.verdict?.status === 'completed'
export const runIsFailed = ({ context }: Asked): boolean =>
  context.counts.running === 0 && context.verdict?.status === 'failed'
export const runIsCancelled = ({ context }: Asked): boolean =>
  context.counts.running === 0 && context.verdict?.status === 'cancelled'

/** A streamed step that may be dispatched before the plan is whole. */
export const isEagerStep = (asked: Asked): boolean => {
  const { approval, dispatch } = asked.context.run.settings
  return isCurrentAnswer(asked) && dispatch === 'eager' && approval === 'none'
}
export const approvalIsGiven = (asked: Asked): boolean => !approvalIsWanted(asked)
