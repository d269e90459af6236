// Random runs as data: a plan, how its tools and planner behave, and what people do meanwhile. All of it shrinks.
//
// Whatever has to be chosen while a run goes on is chosen by the next number of `luck`, so that the same scenario is the same run.
import fc from 'fast-check'
import type { Assumption, Operation, Plan, Step } from '../../src/plan/index.ts'
import type { RunLimits, UncertainPolicy } from '../../src/index.ts'
import type { Death } from '../support/mortalJournal.ts'

export interface Act {
  readonly afterMs: number
  readonly kind: (typeof actKinds)[number]
  /** Which step, or which operations. */
  readonly nth: number
}

export interface Scenario {
  readonly steps: readonly Step[]
  readonly assumptions: readonly Assumption[]
  readonly acts: readonly Act[]
  readonly luck: readonly number[]
  readonly partial: 'allow' | 'forbid'
  readonly approval: 'none' | 'required' | 'effects'
  readonly uncertain: UncertainPolicy
  /** How its processes end, one after the other; the one after the last lives on. */
  readonly deaths: readonly Death[]
  readonly concurrency: RunLimits['concurrency']
  readonly seed: number
}

const actKinds = [
  'pause', 'resume', 'edit', 'edit', 'edit', 'retry', 'retry', 'skip', 'report', 'answer', 'approve', 'approveStep', 'reject',
  'rejectStep', 'extend', 'cancel',
] as const // prettier-ignore

const sometimes = <T>(what: fc.Arbitrary<T>, one: number): fc.Arbitrary<T | undefined> =>
  fc.option(what, { nil: undefined, freq: one })

const spec = fc.record({
  tool: fc.constantFrom('work', 'work', 'work', 'pay', 'mail', 'narrow', 'person'),
  reads: sometimes(fc.nat(), 2),
  path: fc.constantFrom('', '/v'),
  after: sometimes(fc.nat(), 1),
  over: fc.option(fc.nat(), { nil: undefined, freq: 1 }),
  when: fc.option(fc.nat(), { nil: undefined, freq: 1 }),
  onFailure: fc.constantFrom(undefined, undefined, undefined, 'skip' as const, 'fail' as const),
  onSkipped: fc.constantFrom(undefined, undefined, 'run' as const),
  approval: fc.constantFrom(...Array.from({ length: 8 }, () => undefined), 'required' as const),
  retry: fc.constantFrom(undefined, undefined, undefined, 0, 4),
  timeoutMs: fc.constantFrom(...Array.from({ length: 8 }, () => undefined), 2, 5),
  expects: fc.constantFrom(false, false, false, false, false, false, false, true),
  chance: fc.nat(3),
})
type Spec = typeof spec extends fc.Arbitrary<infer T> ? T : never

/** @param before ids that it may depend on. */
function stepOf(id: string, given: Spec, before: readonly string[]): Step {
  const pick = (nth: number): string => before[nth % before.length] as string
  const { tool, onFailure, onSkipped, approval, retry, timeoutMs, chance } = given
  const step: Step = tool === 'person' ? { id, instruction: 'Well?' } : { id, tool }
  if (onFailure) step.onFailure = onFailure
  if (onSkipped) step.onSkipped = onSkipped
  if (approval) step.approval = approval
  if (retry !== undefined) step.retry = { attempts: 2, backoffMs: retry, factor: 1, maxBackoffMs: retry, jitter: 0 }
  if (timeoutMs !== undefined) step.timeoutMs = timeoutMs
  if (given.expects) step.expect = { type: 'object', properties: { v: { type: 'integer' } } }
  if (before.length === 0) return step
  if (given.reads !== undefined) step.input = { a: { $from: pick(given.reads), path: given.path } }
  if (given.after !== undefined) step.after = [pick(given.after)]
  if (given.over !== undefined && chance === 0) {
    step.forEach = { $from: pick(given.over), path: '/list' }
    step.input = { a: { $item: '/k' } }
  } else if (given.when !== undefined && chance === 1) {
    step.when = { value: { $from: pick(given.when), path: '/v' }, is: { minimum: 2 } }
  }
  return step
}

export function scenarios(): fc.Arbitrary<Scenario> {
  return fc.record({
    steps: fc
      .array(spec, { minLength: 1, maxLength: 9 })
      .map((specs) => specs.map((one, index) => stepOf(`s${index}`, one, specs.slice(0, index).map((_, n) => `s${n}`)))),
    assumptions: fc
      .option(fc.record({ fact: fc.constantFrom('f', 'q'), not: fc.nat(4) }), { nil: undefined, freq: 1 })
      .map((given): Assumption[] =>
        given === undefined
          ? []
          : [{ id: 'as', statement: 'it is not so', fact: given.fact, is: { not: { const: given.not } }, steps: ['s0'] }],
      ),
    acts: fc.array(fc.record({ afterMs: fc.nat(8), kind: fc.constantFrom(...actKinds), nth: fc.nat() }), { maxLength: 12 }),
    luck: fc.array(fc.nat(9_999), { minLength: 8, maxLength: 60 }),
    partial: fc.constantFrom('allow', 'forbid'),
    approval: fc.constantFrom('none', 'none', 'none', 'none', 'required', 'effects'),
    uncertain: fc.constantFrom('replan', 'ask', 'retry', 'fail'),
    deaths: fc.oneof({ arbitrary: fc.constant([]), weight: 1 }, { arbitrary: deaths({ maxLength: 4, mostEvents: 12 }), weight: 1 }),
    concurrency: fc.integer({ min: 1, max: 4 }),
    seed: fc.nat(),
  }) // prettier-ignore
}

/** Processes that end after a few events, of which the first is taken for granted. */
export function deaths({
  minLength = 0,
  maxLength,
  mostEvents,
}: {
  minLength?: number
  maxLength: number
  mostEvents: number
}): fc.Arbitrary<Death[]> {
  const at = fc.constantFrom('lost' as const, 'written' as const, 'delivered' as const)
  return fc.array(fc.record({ afterEvents: fc.integer({ min: 2, max: mostEvents }), at }), { minLength, maxLength })
}

/** The next number of a scenario, 0 or more and less than `below`; again from the first where all have been drawn, moved on by
 * one each time, so that nothing goes in circles. */
export function drawFrom(luck: readonly number[]): (below: number) => number {
  let drawn = 0
  return (below) => {
    const index = drawn++
    return ((luck[index % luck.length] as number) + Math.floor(index / luck.length)) % below
  }
}

/** Operations that may fit the plan or not: of a person, or of the planner. */
export function operationsFor(plan: Plan, draw: (below: number) => number, fresh: () => string): Operation[] {
  const ids = plan.steps.map(({ id }) => id)
  const pick = (): string => ids[draw(ids.length)] as string
  if (ids.length === 0) return [{ op: 'insert', step: { id: fresh(), tool: 'work' } }]
  return Array.from({ length: 1 + draw(2) }, (): Operation => {
    const id = pick()
    const content = (own: string, before: string): Step => ({
      id: own,
      tool: (['work', 'pay', 'narrow'] as const)[draw(3)],
      ...(draw(2) === 0 && own !== before && { after: [before] }),
      ...(draw(4) === 0 && { onSkipped: 'run' as const }),
      ...(draw(6) === 0 && own !== before && { forEach: { $from: before, path: '/list' }, input: { a: { $item: '/k' } } }),
    })
    switch (draw(8)) {
      case 0:
        return { op: 'abandon', id, because: 'not worth it' }
      case 1:
        return { op: 'reorder', ids: [id] }
      case 2:
        return { op: 'remove', id }
      case 3:
        return { op: 'rewire', id, from: pick(), to: draw(3) === 0 ? null : pick() }
      case 4:
      case 5:
        return { op: 'replace', id, step: content(id, pick()) }
      default:
        return { op: 'insert', step: content(fresh(), id), ...(draw(2) === 0 && { before: pick() }) }
    }
  }) // prettier-ignore
}
