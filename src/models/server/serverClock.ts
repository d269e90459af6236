// Time and chance of what waits for a server: passed in, so that a test can turn them.
//
// K1. The system's time here never goes back: where the clock of the machine is set back, no rate limit waits for the hour to
//     come again.

export interface ServerClock {
  /** ms since the epoch. */
  now(): number
  /** Resolves after `delayMs`; rejects, and forgets the wait, as soon as the signal fires. */
  wait(delayMs: number, signal: AbortSignal): Promise<void>
  /** From 0 up to, but not including, 1. */
  random(): number
}

export const systemServerClock: ServerClock = {
  now: () => performance.timeOrigin + performance.now(), // K1
  wait: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timeout)
        reject(signal.reason as Error)
      }
      const timeout = setTimeout(() => {
        signal.removeEventListener('abort', stop)
        resolve()
      }, delayMs)
      signal.addEventListener('abort', stop, { once: true })
    }),
  random: () => Math.random(),
}
