// Lengths of time in words, no more exact than they are useful.

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  if (seconds < 59.5) return `${Math.round(seconds)} s`
  const minutes = Math.floor(Math.round(seconds) / 60)
  if (minutes < 60) return withRest(minutes, 'min', Math.round(seconds) % 60, 's')
  const hours = Math.floor(Math.round(seconds / 60) / 60)
  return withRest(hours, 'h', Math.round(seconds / 60) % 60, 'min')
}

/** In one unit, rounded down: `4 s`, `18 min`, `5 h`. */
export function roughDuration(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000)
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}

/** A range such as `20–40 s` or `2–4 min`; one value (`about 8 s`) where both ends round to the same. */
export function durationRange(lowMs: number, highMs: number): string {
  const [unit, sign] = highMs < 90_000 ? [1000, 's'] : highMs < 5_400_000 ? [60_000, 'min'] : [3_600_000, 'h']
  const low = rounded(lowMs / unit)
  const high = rounded(highMs / unit)
  if (high === 0) return `under 1 ${sign}`
  if (low === high) return `about ${high} ${sign}`
  return low === 0 ? `up to ${high} ${sign}` : `${low}–${high} ${sign}`
}

/** Below 10 every unit counts, above that fives do. */
function rounded(value: number): number {
  return value < 9.5 ? Math.round(value) : Math.round(value / 5) * 5
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${restUnit}`
}
