// The one clock of a runtime: everything that a run does in time goes through it, so that a test can turn it.

/** Handle of a pending timeout. */
export type TimeoutHandle = object | number

export interface Clock {
  /** ms since the epoch. */
  now(): number
  setTimeout(callback: () => void, delayMs: number): TimeoutHandle
  clearTimeout(handle: TimeoutHandle): void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (handle) => {
    clearTimeout(handle as ReturnType<typeof setTimeout>)
  },
}
