// How long steps have taken, by kind: the basis of every estimate.

/** What has been measured of one kind of step. */
export interface Measured {
  readonly count: number
  readonly meanMs: number
  /** Standard deviation; 0 for one sample. */
  readonly spreadMs: number
}

export interface Durations {
  add(kind: string, ms: number): void
  /** Undefined until a step of this kind has finished. */
  of(kind: string): Measured | undefined
  readonly all: Measured | undefined
}

interface Sums {
  count: number
  mean: number
  squares: number
}

/** Running means and deviations (Welford 1962): no sample is kept, so a long run costs no more than a short one. */
export function createDurations(): Durations {
  const kinds = new Map<string, Sums>()
  const all: Sums = { count: 0, mean: 0, squares: 0 }
  return {
    add(kind, ms) {
      const sums = kinds.get(kind) ?? { count: 0, mean: 0, squares: 0 }
      kinds.set(kind, sums)
      take(sums, ms)
      take(all, ms)
    },
    of(kind) {
      const sums = kinds.get(kind)
      return sums && measured(sums)
    },
    get all() {
      return all.count === 0 ? undefined : measured(all)
    },
  }
}

function take(sums: Sums, ms: number): void {
  sums.count++
  const before = ms - sums.mean
  sums.mean += before / sums.count
  sums.squares += before * (ms - sums.mean)
}

function measured({ count, mean, squares }: Sums): Measured {
  return { count, meanMs: mean, spreadMs: count > 1 ? Math.sqrt(squares / (count - 1)) : 0 }
}
