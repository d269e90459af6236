// The planner's guards.
import type { PlannerContext } from './planner.context.ts'
import type { PlannerMessage } from './planner.messages.ts'

interface Asked {
  readonly context: PlannerContext
  readonly event: PlannerMessage
}

/** The message is about the request that is being answered. */
export const isAboutRequest = ({ context, event }: Asked): boolean =>
  'requestId' in event && event.requestId === context.request?.requestId

/** The answer is to the last question, not to one that was stopped or repaired since. */
export const isAwaited = (asked: Asked): boolean =>
  isAboutRequest(asked) && 'round' in asked.event && asked.event.round === asked.context.round

export const answerIsSound = ({ context }: Asked): boolean => context.checked?.status === 'sound'
export const roundsAreLeft = ({ context }: Asked): boolean => context.unsound <= context.settings.repairRounds
export const hasCrashedBefore = ({ context }: Asked): boolean => context.crashes > 0
