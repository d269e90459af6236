// Time that never goes back: what a run, and the gate of a runtime, take for the time.
//
// S1. Nothing is earlier than what came before it, also where the clock was set back meanwhile, here or between two processes.
// S2. A clock that is set back delays a timer by no more than what had passed of its wait.
import type { Clock } from './clock.ts'

/** @param notBefore time of what came before, in ms since the epoch */
export function steadyClock(clock: Clock, notBefore = -Infinity): Clock {
  let latest = notBefore
  let aheadMs = 0
  return {
    now() {
      const now = clock.now() + aheadMs
      if (now >= latest) return (latest = now)
      aheadMs += latest - now
      return latest
    },
    setTimeout: (callback, delayMs) => clock.setTimeout(callback, delayMs),
    clearTimeout: (handle) => {
      clock.clearTimeout(handle)
    },
  }
}
