// How much longer a run will take: a range with a basis, or the plain word that there is none.
//
// T1. Nothing is invented: without enough finished steps of the kinds that remain, the answer is `unknown` and says why.
// T2. The middle of the range is a rehearsal: the rest of the plan played through with the mean times measured so far,
//     with its dependencies and within its limits. The width comes from how much those times vary.
// T3. What cannot be known yet (the length of a list, a person's answer) is said, not guessed.
import { rehearse, type OpenStep } from './rehearsal.ts'
import type { Durations, Measured } from './durations.ts'

export type Estimate =
  | { readonly type: 'unknown'; readonly because: 'too_early' | 'unmeasured' | 'person' }
  | {
      readonly type: 'range'
      readonly lowMs: number
      readonly highMs: number
      /** There is more than the basis knows: a list of unknown length, or a kind of step that has never finished. */
      readonly orMore: boolean
    }

export interface Remaining {
  readonly steps: readonly OpenStep[]
  readonly durations: Durations
  /** Steps out at once. */
  readonly concurrency: number
  /** Attempts at once, by kind of step, where there is a limit. */
  readonly kindLimits: Readonly<Record<string, number>>
  readonly mayGrow: boolean
  /** Somebody must answer before the rest can go on. */
  readonly waitsForPerson: boolean
}

/** Finished steps that an estimate needs at the least. */
const leastBasis = 4
/** Share of the remaining steps whose kind has been measured. */
const leastCover = 0.5

export function estimate(remaining: Remaining): Estimate {
  const { durations } = remaining
  const steps = remaining.steps.filter((step) => !step.instant)
  const all = durations.all
  if (remaining.waitsForPerson) return { type: 'unknown', because: 'person' }
  if (!all || all.count < leastBasis) return { type: 'unknown', because: 'too_early' }
  const unmeasured = steps.filter((step) => !durations.of(step.kind)).length / Math.max(1, steps.length)
  if (unmeasured > 1 - leastCover) return { type: 'unknown', because: 'unmeasured' }

  const timeOf = (step: OpenStep): Measured => durations.of(step.kind) ?? all
  const middleMs = rehearse(remaining.steps, {
    concurrency: remaining.concurrency,
    kindLimits: remaining.kindLimits,
    durationMs: (step) => restOf(timeOf(step).meanMs, step.elapsedMs),
  })
  const doubt = doubtOf(steps.map(timeOf), remaining.concurrency) + unmeasured
  return {
    type: 'range',
    lowMs: middleMs * Math.max(0.2, 1 - doubt),
    highMs: middleMs * (1 + 1.5 * doubt),
    orMore: remaining.mayGrow || unmeasured > 0,
  }
}

/** Of a step that is out: what is left of its mean, and when it is past that, a part of what it has taken already. */
function restOf(meanMs: number, elapsedMs: number | undefined): number {
  return elapsedMs === undefined ? meanMs : Math.max(meanMs - elapsedMs, meanMs * 0.25, elapsedMs * 0.25)
}

/** Relative doubt: deviations even out over the steps that follow each other, and the means themselves are uncertain. */
function doubtOf(times: readonly Measured[], concurrency: number): number {
  let mean = 0
  let variance = 0
  let samples = Infinity
  for (const time of times) {
    mean += time.meanMs
    variance += (time.count > 1 ? time.spreadMs : time.meanMs) ** 2
    samples = Math.min(samples, time.count)
  }
  if (mean === 0) return 0.1
  const varies = Math.sqrt(variance * times.length) / mean
  const oneAfterAnother = Math.max(1, times.length / concurrency)
  return 0.1 + 0.65 * varies * Math.sqrt(1 / oneAfterAnother + 1 / samples)
}
