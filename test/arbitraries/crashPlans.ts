// Random work for processes that die: plans whose end does not depend on when anything happens, and how it is carried out.
import fc from 'fast-check'
import type { Plan, Step } from '../../src/plan/index.ts'
import { planOf } from '../support/plans.ts'

export interface CrashWork {
  readonly plan: Plan
  readonly concurrency: number
  /** `ask`: whoever is asked knows, so that the end is the same. `replan`: the planner leaves such a step as it is. */
  readonly uncertain: 'ask' | 'replan'
}

const kinds = ['calc', 'write', 'write', 'mail', 'mail', 'pay', 'pay', 'odd', 'odd', 'person', 'goal'] as const

const spec = fc.record({
  kind: fc.constantFrom(...kinds),
  reads: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
  after: fc.option(fc.nat(), { nil: undefined, freq: 1 }),
  over: fc.option(fc.nat(), { nil: undefined, freq: 1 }),
  when: fc.option(fc.nat(), { nil: undefined, freq: 1 }),
  onFailure: fc.constantFrom(undefined, undefined, 'skip' as const),
  onSkipped: fc.constantFrom(undefined, 'run' as const),
  retry: fc.constantFrom(undefined, undefined, 0, 5),
  waitMs: fc.constantFrom(0, 0, 1, 2, 4, 6),
})
type Spec = typeof spec extends fc.Arbitrary<infer T> ? T : never

function stepOf(given: Spec, index: number): Step {
  const id = `s${index}`
  const before = (nth: number): string => `s${nth % index}`
  const { kind, onFailure, onSkipped, retry, reads, after, over, when, waitMs } = given
  const step: Step =
    kind === 'person'
      ? { id, instruction: 'Well?' }
      : kind === 'goal'
        ? { id, goal: { text: `part-${id}` } }
        : { id, tool: kind }
  if (onFailure) step.onFailure = onFailure
  if (onSkipped) step.onSkipped = onSkipped
  if (kind === 'goal' || kind === 'person') return index > 0 && after !== undefined ? { ...step, after: [before(after)] } : step
  if (retry !== undefined) step.retry = { attempts: 2, backoffMs: retry, factor: 1, maxBackoffMs: retry, jitter: 0 }
  step.input = { n: index, waitMs }
  if (index === 0) return step
  if (reads !== undefined) step.input = { ...step.input, a: { $from: before(reads), path: '' } }
  if (after !== undefined) step.after = [before(after)]
  if (over !== undefined) return { ...step, forEach: { $from: before(over), path: '/list' }, input: { ...step.input, b: { $item: '' } } }
  if (when !== undefined) step.when = { value: { $from: before(when), path: '/v' }, is: { not: { multipleOf: 3 } } }
  return step
} // prettier-ignore

export function crashWorks(): fc.Arbitrary<CrashWork> {
  return fc.record({
    plan: fc
      .array(spec, { minLength: 3, maxLength: 10 })
      .map((specs) => planOf(specs.map(stepOf), { goal: { partial: 'allow' } })),
    concurrency: fc.integer({ min: 1, max: 4 }),
    uncertain: fc.constantFrom('ask', 'ask', 'replan'),
  })
}
