// Who waits for whom, among the steps of a plan.
import { dependenciesOf } from '../../../plan/references.ts'
import type { Standing } from './standing.ts'

const known = new WeakMap<Standing, ReadonlyMap<string, readonly string[]>>()

export function dependentsOf(standing: Standing): ReadonlyMap<string, readonly string[]> {
  const made = known.get(standing)
  if (made) return made
  const dependents = new Map<string, string[]>()
  for (const step of standing.plan.steps) {
    for (const id of dependenciesOf(step)) {
      const others = dependents.get(id)
      if (others) others.push(step.id)
      else dependents.set(id, [step.id])
    }
  }
  known.set(standing, dependents)
  return dependents
}

/** These steps and all that wait for them, directly or through others. */
export function openBranch(ids: ReadonlySet<string>, standing: Standing): ReadonlySet<string> {
  const branch = new Set(ids)
  const dependents = dependentsOf(standing)
  for (const id of branch) for (const other of dependents.get(id) ?? []) if (!standing.isFixed(other)) branch.add(other)
  return branch
}
