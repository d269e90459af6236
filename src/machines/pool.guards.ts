// The pool's guards: each costs the same for any number of attempts.
import { attemptKey } from './executor.messages.ts'
import type { PoolContext } from './pool.context.ts'
import type { PoolMessage } from './pool.messages.ts'

interface Asked {
  readonly context: PoolContext
  readonly event: PoolMessage
}

/** The common case of an attempt that comes: it is new, and an executor is free. */
export const oneIsFree = ({ context, event }: Asked): boolean =>
  context.free !== undefined && event.type === 'step.execute' && !context.held.has(attemptKey(event))

/** The common case of an attempt that is over: it was not aborted, and no other waits for its executor. */
export const nothingWaitsForIt = ({ context, event }: Asked): boolean => {
  if (event.type !== 'attempt.settled' || context.queue.attempts.size > 0) return false
  const held = context.held.get(attemptKey(event.outcome))
  return held?.executorId === event.executorId && held.stopping === undefined
}

/** Nothing is out and nothing waits. */
export const nothingIsHeld = ({ context }: Asked): boolean =>
  context.held.size === 0 && context.queue.attempts.size === 0

/** One more restart would be more than `intensity` within `periodMs`. */
export const restartsAreUsedUp = ({ context: { restarts, settings } }: Asked): boolean => {
  const { intensity, periodMs, now } = settings
  const oldest = restarts[0]
  return restarts.length >= intensity && (oldest === undefined || now() - oldest <= periodMs)
}
