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

interface Averages {
  count: number
  mean: number
  variance: number
}

/** The last so many steps are what counts: a machine that was busy for a while is not taken for slow for ever. */
const memory = 100

/** Running averages, in which a new step has the weight of one in `memory`: none is kept, so a long run costs no more. */
export function createDurations(): Durations {
  const kinds = new Map<string, Averages>()
  const all: Averages = { count: 0, mean: 0, variance: 0 }
  return {
    add(kind, ms) {
      const averages = kinds.get(kind) ?? { count: 0, mean: 0, variance: 0 }
      kinds.set(kind, averages)
      take(averages, ms)
      take(all, ms)
    },
    of(kind) {
      const averages = kinds.get(kind)
      return averages && measured(averages)
    },
    get all() {
      return all.count === 0 ? undefined : measured(all)
    },
  }
}

function take(averages: Averages, ms: number): void {
  averages.count++
  const weight = 1 / Math.min(averages.count, memory)
  const apart = ms - averages.mean
  averages.mean += weight * apart
  averages.variance = (1 - weight) * (averages.variance + weight * apart ** 2)
}

function measured({ count, mean, variance }: Averages): Measured {
  const unbiased = count > 1 ? Math.min(count, memory) / (Math.min(count, memory) - 1) : 0
  return { count, meanMs: mean, spreadMs: Math.sqrt(variance * unbiased) }
}
