// The clock of servers, turned by a test; chance gives what the test says, in turn.
import type { ServerClock } from '../../src/models/server/serverClock.ts'
import type { VirtualClock } from './virtualClock.ts'

export function serverClock(clock: VirtualClock, ...chances: number[]): ServerClock {
  let drawn = 0
  return {
    now: () => clock.now(),
    wait: (delayMs, signal) => clock.wait(delayMs, signal),
    random: () => (chances.length === 0 ? 0.5 : chances[drawn++ % chances.length]!),
  }
}
