// The difference of two plans, as a patch: small where little has changed.
import { diffContents } from './diffContents.ts'
import { canonicalJson, stepHash } from './hash.ts'
import type { Assumption, Operation, Patch, Plan, Step } from './schema.ts'

/** What turns `a` into `b`: `applyPatch(a, diffPlans(a, b))` is `b`, to the byte, for any two valid plans.
 *
 * A step that only moved is a `reorder`, a branch that was given up an `abandon`, another dependency in the place of one
 * a `rewire`; any other change is a `replace`.
 *
 * @returns operations in the order goal, removed, moved and inserted, changed, abandoned, assumptions. Time grows with n log n.
 * @example
 * import { diffPlans, parsePlan } from 'planloom/plan'
 * const steps = [{ id: 'x', tool: 't' }, { id: 'y', tool: 't' }, { id: 'z', tool: 't' }]
 * const a = parsePlan({ id: 'p', goal: { text: 'go' }, steps })
 * const b = parsePlan({ id: 'p', goal: { text: 'go' }, steps: [steps[2], steps[0], steps[1]] })
 * diffPlans(a, b).operations // [{ op: 'reorder', ids: ['z'], before: 'x' }]
 */
export function diffPlans(a: Plan, b: Plan): Patch {
  const before = new Map(a.steps.map((step) => [step.id, step]))
  const after = new Set(b.steps.map((step) => step.id))
  const operations: Operation[] = []
  if (canonicalJson(a.goal) !== canonicalJson(b.goal)) operations.push({ op: 'regoal', goal: b.goal })
  for (const { id } of a.steps) if (!after.has(id)) operations.push({ op: 'remove', id })
  operations.push(...diffOrder(a.steps, before, b.steps))
  operations.push(
    ...diffContents(
      before,
      b.steps.filter((step) => isChanged(before.get(step.id), step)),
      b.steps,
    ),
  )
  operations.push(...diffAssumptions(a.assumptions, b.assumptions))
  return {
    base: a.revision,
    ...(b.id !== a.id && { id: b.id }),
    ...(b.revision !== a.revision + 1 && { revision: b.revision }),
    ...(b.parent !== a.revision && { parent: b.parent }),
    by: b.by,
    because: b.because,
    operations,
  }
}

function isChanged(former: Step | undefined, step: Step): boolean {
  return former !== undefined && former !== step && stepHash(former) !== stepHash(step)
}

/** Moves and inserts. The most steps that can stay stay; what lies between two of those is placed before the second. */
function diffOrder(old: readonly Step[], before: ReadonlyMap<string, Step>, steps: readonly Step[]): Operation[] {
  const position = new Map(old.map((step, index) => [step.id, index]))
  const common = steps.filter((step) => before.has(step.id))
  const stays = new Set<string>()
  for (const index of longestIncreasing(common.map((step) => position.get(step.id) ?? 0)))
    stays.add(common[index]?.id ?? '')
  const operations: Operation[] = []
  let moved: string[] = []
  let gap: Operation[] = []
  const place = (id?: string): void => {
    const before = id === undefined ? {} : { before: id }
    if (moved.length > 0) gap.push({ op: 'reorder', ids: moved })
    operations.push(...gap.map((operation) => ({ ...operation, ...before })))
    moved = []
    gap = []
  }
  for (const step of steps) {
    if (stays.has(step.id)) place(step.id)
    else if (before.has(step.id)) moved.push(step.id)
    else {
      if (moved.length > 0) gap.push({ op: 'reorder', ids: moved })
      moved = []
      gap.push({ op: 'insert', step })
    }
  }
  place()
  return operations
}

/** Indexes of a longest increasing subsequence (patience sorting: Fredman 1975). */
function longestIncreasing(values: readonly number[]): number[] {
  const tails: number[] = []
  const previous: number[] = []
  for (const [index, value] of values.entries()) {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    previous.push(low > 0 ? (tails[low - 1] ?? -1) : -1)
    tails[low] = index
  }
  const indexes: number[] = []
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) indexes.push(index)
  return indexes.reverse()
}

/** What is assumed anew goes to the end, so only the first ones that have kept their order can stay where they are. */
function diffAssumptions(a: readonly Assumption[], b: readonly Assumption[]): Operation[] {
  const places = new Map(a.map((assumption, index) => [assumption.id, index]))
  const kept = new Set<string>()
  let last = -1
  for (const { id } of b) {
    const place = places.get(id) ?? -1
    if (place <= last) break
    kept.add(id)
    last = place
  }
  const isSame = (assumption: Assumption): boolean => {
    const former = a[places.get(assumption.id) ?? -1]
    return kept.has(assumption.id) && canonicalJson(former) === canonicalJson(assumption)
  }
  return [
    ...a.filter(({ id }) => !kept.has(id)).map(({ id }): Operation => ({ op: 'unassume', id })),
    ...b.filter((assumption) => !isSame(assumption)).map((assumption): Operation => ({ op: 'assume', assumption })),
  ]
}
