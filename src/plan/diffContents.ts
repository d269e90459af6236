// What has changed inside of steps: an abandoned branch, a dependency in the place of another, or anything else.
//
// D1. The operations give the new content to the byte; where a small operation would not, the step is replaced whole.
// D2. `abandon` comes last, when all else is in place, and only where the branch it takes is the one that was abandoned.
import { canDoWithout, dependentsById } from './graph.ts'
import { stepHash } from './hash.ts'
import { dependenciesOf, isChildOf, rewireStep } from './references.ts'
import type { Operation, Step } from './schema.ts'

/** @param changed those of `steps` that were in the plan before, with another content. */
export function diffContents(
  before: ReadonlyMap<string, Step>,
  changed: readonly Step[],
  steps: readonly Step[],
): Operation[] {
  const marked = new Map<string, Step>()
  for (const step of changed) if (isOnlyMarked(before.get(step.id), step)) marked.set(step.id, step)
  const given = marked.size === 0 ? noBranches : branchesOf(marked, steps)
  const operations: Operation[] = []
  for (const step of changed) {
    if (!given.members.has(step.id))
      operations.push(findRewire(before.get(step.id), step) ?? { op: 'replace', id: step.id, step })
  }
  for (const { id, abandoned } of given.roots) operations.push({ op: 'abandon', id, because: abandoned ?? '' })
  return operations
}

interface Branches {
  readonly roots: readonly Step[]
  readonly members: ReadonlySet<string>
}

const noBranches: Branches = { roots: [], members: new Set() }

function isOnlyMarked(former: Step | undefined, step: Step): boolean {
  if (former === undefined || former.abandoned !== undefined || step.abandoned === undefined) return false
  return stepHash({ ...former, abandoned: step.abandoned }) === stepHash(step)
}

/** The branches that make up the marked steps, as far as they do: every step that an `abandon` of the root would take must
 * be marked because of the same, or have been marked before. */
function branchesOf(marked: ReadonlyMap<string, Step>, steps: readonly Step[]): Branches {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const dependents = dependentsById(steps)
  const isWhole = new Map<string, boolean>()
  for (const step of dependentsFirst(steps, byId)) {
    if (step.abandoned === undefined) continue
    const isNew = marked.has(step.id)
    const taken = (dependents.get(step.id) ?? [])
      .flatMap((id) => byId.get(id) ?? [])
      .filter((one) => !canDoWithout(one, step.id))
    const fits = taken.every((one) => {
      if (isWhole.get(one.id) !== true) return false
      return marked.has(one.id) ? isNew && one.abandoned === step.abandoned : true
    })
    isWhole.set(step.id, fits)
  }
  const members = new Set([...marked.keys()].filter((id) => isWhole.get(id) === true))
  const isTaken = ({ id, abandoned }: Step, by: string): boolean => {
    const dependency = byId.get(by)
    const step = byId.get(id)
    return members.has(by) && dependency?.abandoned === abandoned && step !== undefined && !canDoWithout(step, by)
  }
  const roots = [...members]
    .flatMap((id) => marked.get(id) ?? [])
    .filter((step) => !dependenciesOf(step).some((by) => isTaken(step, by)))
  return { roots, members }
}

/** Every step after all that depend on it; those that wait for each other are left out. */
function dependentsFirst(steps: readonly Step[], byId: ReadonlyMap<string, Step>): Step[] {
  const waiting = new Map<string, number>()
  for (const step of steps) for (const id of dependenciesOf(step)) waiting.set(id, (waiting.get(id) ?? 0) + 1)
  const order = steps.filter((step) => !waiting.has(step.id))
  for (const step of order) {
    for (const id of dependenciesOf(step)) {
      const left = (waiting.get(id) ?? 0) - 1
      waiting.set(id, left)
      const dependency = byId.get(id)
      if (left === 0 && dependency !== undefined) order.push(dependency)
    }
  }
  return order
}

/** One dependency that has taken the place of another, or has gone, where that is all. */
function findRewire(former: Step | undefined, step: Step): Operation | undefined {
  if (former === undefined) return undefined
  const now = dependenciesOf(step)
  const then = dependenciesOf(former)
  const gone = then.filter((id) => !now.includes(id))
  const come = now.filter((id) => !then.includes(id))
  const [from] = gone
  if (from === undefined || gone.length > 1 || come.length > 1 || now.length > mostDependencies) return undefined
  if (isChildOf(from, former)) return undefined
  for (const to of come.length === 1 ? come : [null, ...now]) {
    if (to === null && former.forEach?.$from === from) continue
    if (stepHash(rewireStep(former, from, to)) === stepHash(step))
      return { op: 'rewire', id: step.id, from, to: to ?? null }
  }
  return undefined
}

/** More than these are not searched for a rewiring. */
const mostDependencies = 20
