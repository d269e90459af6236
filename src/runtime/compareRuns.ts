// What is not the same in two runs, or in one at two moments.
import type { StepStatus } from '../machines/reports.messages.ts'
import type { Json } from '../plan/json.ts'
import { diffPlans } from '../plan/diff.ts'
import { sameJson } from '../plan/sameJson.ts'
import type { Operation } from '../plan/schema.ts'
import type { Replay } from './run.ts'

/** How far a step had come. */
interface StepSide {
  readonly status: StepStatus
  readonly attempt: number
  readonly output?: Json
}

/** A side is left out where there is no such step. */
export interface StepDifference {
  readonly id: string
  readonly before?: StepSide
  readonly after?: StepSide
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
    steps: differences(stepsOf(before), stepsOf(after), isSame).map(([id, sides]) => ({ id, ...sides })),
    facts: differences(factsOf(before), factsOf(after), sameJson).map(([key, sides]) => ({ key, ...sides })),
  }
}

interface Sides<T> {
  readonly before?: T
  readonly after?: T
}

/** What stands on one side only, or not alike on both. */
function differences<T>(
  earlier: ReadonlyMap<string, T>,
  later: ReadonlyMap<string, T>,
  areSame: (before: T, after: T) => boolean,
): (readonly [string, Sides<T>])[] {
  const found: (readonly [string, Sides<T>])[] = []
  for (const key of new Set([...earlier.keys(), ...later.keys()])) {
    const [before, after] = [earlier.get(key), later.get(key)]
    if (before !== undefined && after !== undefined && areSame(before, after)) continue
    found.push([key, { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }])
  }
  return found
}

function stepsOf(run: Replay): ReadonlyMap<string, StepSide> {
  const steps = new Map<string, StepSide>()
  for (const { id, status, attempt } of run.ledger()) {
    const output = run.output(id)
    steps.set(id, { status, attempt, ...(output !== undefined && { output }) })
  }
  return steps
}

function factsOf(run: Replay): ReadonlyMap<string, Json> {
  return new Map([...run.facts()].map(({ key, value }) => [key, value]))
}

/** How often a step was tried says nothing of what came of it. */
function isSame(before: StepSide, after: StepSide): boolean {
  return before.status === after.status && sameJson(before.output, after.output)
}
