// Who waits for whom, among the steps of a plan.
import type { Standing } from './standing.ts'

/** These steps and all that wait for them, directly or through others. */
export function openBranch(ids: ReadonlySet<string>, standing: Standing): ReadonlySet<string> {
  const branch = new Set(ids)
  for (const id of branch)
    for (const other of standing.dependents.get(id) ?? []) if (!standing.isFixed(other)) branch.add(other)
  return branch
}
