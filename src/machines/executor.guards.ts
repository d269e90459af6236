// The executor's guards.
import type { ExecutorContext } from './executor.setup.ts'
import type { ExecutorMessage } from './executor.messages.ts'

/** The message is about the attempt in hand. */
export const isAboutAttempt = ({
  context,
  event,
}: {
  readonly context: ExecutorContext
  readonly event: ExecutorMessage
}): boolean => {
  const { stepId, attempt } = event.type === 'attempt.settled' ? event.outcome : event
  return context.attempt?.stepId === stepId && context.attempt.attempt === attempt
}
