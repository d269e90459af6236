// The difference of two plans, as a patch: small where little has changed.
import { canonicalJson, stepHash } from './hash.ts'
import { branchOf } from './graph.ts'
import type { Assumption, Operation, Patch, Plan, Step } from './schema.ts'

/** What turns `a` into `b`: `applyPatch(a, diffPlans(a, b))` is `b`, to the byte, for plans with the same id.
 *
 * A step that only moved is a `reorder`; one that was given up is an `abandon`; any other change is a `replace`.
 *
 * @returns operations in the order removed, changed, moved and inserted. Time grows with n log n.
 * @example
 * import { diffPlans, parsePlan } from 'planloom/plan'
 * const a = parsePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'x', tool: 't' }, { id: 'y', tool: 't' }] })
 * const b = { ...a, steps: [...a.steps].reverse() }
 * diffPlans(a, b).operations // [{ op: 'reorder', ids: ['y'], before: 'x' }]
 */
export function diffPlans(a: Plan, b: Plan): Patch {
  const before = new Map(a.steps.map((step) => [step.id, step]))
  const after = new Map(b.steps.map((step) => [step.id, step]))
  const operations: Operation[] = []
  if (canonicalJson(a.goal) !== canonicalJson(b.goal)) operations.push({ op: 'regoal', goal: b.goal })
  for (const step of a.steps) if (!after.has(step.id)) operations.push({ op: 'remove', id: step.id })
  operations.push(...changesOf(a, before, b.steps))
  operations.push(...movesOf(a.steps.filter((step) => after.has(step.id)), before, b.steps))
  operations.push(...assumptionChanges(a.assumptions, b.assumptions))
  return { base: a.revision, revision: b.revision, parent: b.parent, by: b.by, because: b.because, operations }
}

function changesOf(a: Plan, before: ReadonlyMap<string, Step>, steps: readonly Step[]): Operation[] {
  const changed = steps.filter((step) => {
    const former = before.get(step.id)
    return former !== undefined && former !== step && stepHash(former) !== stepHash(step)
  })
  const abandoned = new Map<string, string>()
  for (const step of changed) {
    const former = before.get(step.id)
    if (former === undefined || former.abandoned !== undefined || step.abandoned === undefined) continue
    if (canonicalJson({ ...former, abandoned: step.abandoned }) === canonicalJson(step)) abandoned.set(step.id, step.abandoned)
  }
  const operations: Operation[] = []
  const done = new Set<string>()
  for (const [id, because] of abandoned) {
    if (done.has(id)) continue
    const branch = [...branchOf(a.steps, id)].filter((member) => before.get(member)?.abandoned === undefined)
    if (!branch.every((member) => abandoned.get(member) === because && !done.has(member))) continue
    for (const member of branch) done.add(member)
    operations.push({ op: 'abandon', id, because })
  }
  // The abandoned branches are looked for in `a`, so they come before what is replaced.
  for (const step of changed) if (!done.has(step.id)) operations.push({ op: 'replace', id: step.id, step })
  return operations
}

/** Places `b`'s steps from the last to the first; those that keep their relative order stay where they are. */
function movesOf(kept: readonly Step[], before: ReadonlyMap<string, Step>, steps: readonly Step[]): Operation[] {
  const position = new Map(kept.map((step, index) => [step.id, index]))
  const common = steps.filter((step) => before.has(step.id))
  const staying = new Set(longestIncreasing(common.map((step) => position.get(step.id) ?? 0)).map((index) => common[index]?.id))
  const operations: Operation[] = []
  let next: string | undefined
  for (const step of [...steps].reverse()) {
    const place = next === undefined ? {} : { before: next }
    if (!before.has(step.id)) operations.push({ op: 'insert', step, ...place })
    else if (!staying.has(step.id)) operations.push({ op: 'reorder', ids: [step.id], ...place })
    next = step.id
  }
  return operations
}

/** Indexes of a longest increasing subsequence (patience sorting). */
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
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1
    tails[low] = index
  }
  const indexes: number[] = []
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) indexes.push(index)
  return indexes.reverse()
}

function assumptionChanges(a: readonly Assumption[], b: readonly Assumption[]): Operation[] {
  if (canonicalJson(a) === canonicalJson(b)) return []
  const texts = new Map(b.map((assumption) => [assumption.id, canonicalJson(assumption)]))
  const stays = a.filter((assumption) => texts.get(assumption.id) === canonicalJson(assumption))
  const isPrefix = stays.every((assumption, index) => b[index]?.id === assumption.id)
  const kept = new Set(isPrefix ? stays.map(({ id }) => id) : [])
  return [
    ...a.filter(({ id }) => !kept.has(id)).map(({ id }): Operation => ({ op: 'unassume', id })),
    ...b.filter(({ id }) => !kept.has(id)).map((assumption): Operation => ({ op: 'assume', assumption })),
  ]
}
