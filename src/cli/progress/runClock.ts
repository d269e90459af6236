// How long a run has taken, as its outcome and its time limit count it: from its first event on, also while nobody had it. A fork
// goes on from the time that the other run had come to; what lies between that moment and the fork is not counted.
import type { Transition } from '../../runtime/index.ts'

export interface RunClock {
  take(event: Transition['event']): void
  /** At `now`, in ms since the epoch; 0 before the first event. */
  elapsedMs(now: number): number
}

export function createRunClock(): RunClock {
  let origin: number | undefined
  return {
    take(event) {
      if (event.type === 'run.started') origin = event.at
      if (event.type === 'run.forked' && origin !== undefined) origin += event.at - event.since
    },
    elapsedMs: (now) => (origin === undefined ? 0 : Math.max(0, now - origin)),
  }
}
