// Ends a request whose server has said nothing for too long: before its first byte, or between two.
import type { ServerClock } from '../server/serverClock.ts'

export interface SilenceWatch extends Disposable {
  /** Fires when the silence has been too long, or with the signal that was given. */
  readonly signal: AbortSignal
  /** Nothing was heard for so long. */
  readonly hasFired: boolean
  /** Something was heard. */
  heard(): void
}

export function watchSilence(clock: ServerClock, timeoutMs: number, outer: AbortSignal): SilenceWatch {
  const silence = new AbortController()
  const end = new AbortController()
  const follow = (): void => {
    silence.abort(outer.reason)
  }
  if (outer.aborted) follow()
  else outer.addEventListener('abort', follow, { once: true })
  const watch = { heardAt: clock.now(), hasFired: false }
  const wait = async (): Promise<void> => {
    // One wait after another, and not a new one for each piece: those are many.
    for (let left = timeoutMs; left > 0; left = watch.heardAt + timeoutMs - clock.now())
      await clock.wait(left, end.signal)
    watch.hasFired = true
    silence.abort(new Error(`silent for ${timeoutMs} ms`))
  }
  wait().catch(() => undefined) // disposed of
  return {
    signal: silence.signal,
    get hasFired() {
      return watch.hasFired
    },
    heard() {
      watch.heardAt = clock.now()
    },
    [Symbol.dispose]() {
      outer.removeEventListener('abort', follow)
      end.abort()
    },
  }
}
