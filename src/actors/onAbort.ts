// Following a run's signal, however many do: on one listener for each signal, because Node warns of a leak from the
// eleventh on, and a pool alone has up to 128 executors.

interface Followers {
  readonly stops: Set<() => void>
  readonly tellAll: () => void
}

const followersOf = new WeakMap<AbortSignal, Followers>()

/** Calls `stop` when the signal fires.
 *
 * @returns a function that ends this; with the last one, the signal is left alone.
 */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  const { stops, tellAll } = followersOf.get(signal) ?? follow(signal)
  stops.add(stop)
  return () => {
    if (!stops.delete(stop) || stops.size > 0) return
    followersOf.delete(signal)
    signal.removeEventListener('abort', tellAll)
  }
}

function follow(signal: AbortSignal): Followers {
  const stops = new Set<() => void>()
  const tellAll = (): void => {
    for (const stop of [...stops]) stop()
  }
  const followers = { stops, tellAll }
  followersOf.set(signal, followers)
  signal.addEventListener('abort', tellAll)
  return followers
}
