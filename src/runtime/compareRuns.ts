// What is not the same in two runs, or in one at two moments.
import type { FactReport, StepStatus } from '../machines/coordinator.messages.ts'
import { canonicalJson } from '../plan/hash.ts'
import type { Json } from '../plan/json.ts'
import { diffPlans } from '../plan/diff.ts'
import type { Operation } from '../plan/schema.ts'
import type { Replay } from './run.ts'

/** How far a step had come; a side is left out where there is no such step. */
export interface StepDifference {
  readonly id: string
  readonly before?: { readonly status: StepStatus; readonly attempt: number; readonly output?: Json }
  readonly after?: { readonly status: StepStatus; readonly attempt: number; readonly output?: Json }
}

/** A fact whose value differs, or that is known on one side only. */
export interface FactDifference {
  readonly key: string
  readonly before?: Json
  readonly after?: Json
}

export interface RunDifference {
  /** What turns the one plan into the other; none where one of them has no plan. */
  readonly operations: readonly Operation[]
  /** Steps that ended otherwise, or gave something else. */
  readonly steps: readonly StepDifference[]
  readonly facts: readonly FactDifference[]
}

/** Compares what `readRun` or `run.at` gave: two moments of a run, a run and its fork, or any two.
 *
 * @example
 * import { compareRuns, createRuntime } from 'planloom'
 * await using runtime = createRuntime()
 * const run = runtime.start('nothing to do')
 * await run.result
 * compareRuns(run.at(0), run.at(0)).steps // []
 */
export function compareRuns(before: Replay, after: Replay): RunDifference {
  return {
    operations: before.plan && after.plan ? diffPlans(before.plan, after.plan).operations : [],
    steps: [...stepDifferences(before, after)],
    facts: [...factDifferences(before.facts(), after.facts())],
  }
}

function* stepDifferences(before: Replay, after: Replay): Generator<StepDifference> {
  const earlier = new Map([...before.ledger()].map((step) => [step.id, step]))
  const later = new Map([...after.ledger()].map((step) => [step.id, step]))
  for (const id of new Set([...earlier.keys(), ...later.keys()])) {
    const [was, is] = [sideOf(before, earlier.get(id)), sideOf(after, later.get(id))]
    if (isSame(was, is)) continue
    yield { id, ...(was && { before: was }), ...(is && { after: is }) }
  }
}

function sideOf(
  run: Replay,
  step: { readonly id: string; readonly status: StepStatus; readonly attempt: number } | undefined,
): StepDifference['before'] {
  if (step === undefined) return undefined
  const { id, status, attempt } = step
  const output = run.output(id)
  return { status, attempt, ...(output !== undefined && { output }) }
}

function* factDifferences(before: Iterable<FactReport>, after: Iterable<FactReport>): Generator<FactDifference> {
  const earlier = new Map([...before].map(({ key, value }) => [key, value]))
  const later = new Map([...after].map(({ key, value }) => [key, value]))
  for (const key of new Set([...earlier.keys(), ...later.keys()])) {
    const [was, is] = [earlier.get(key), later.get(key)]
    if (isSameValue(was, is)) continue
    yield { key, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) }
  }
}

/** How often a step was tried says nothing of what came of it. */
function isSame(a: StepDifference['before'], b: StepDifference['before']): boolean {
  return a?.status === b?.status && isSameValue(a?.output, b?.output)
}

function isSameValue(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a === b || canonicalJson(a) === canonicalJson(b)
}
