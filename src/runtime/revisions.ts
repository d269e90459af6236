// The revisions of a run, made again from its first plan and its patches.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { applyPatch } from '../plan/patch.ts'
import type { Plan } from '../plan/schema.ts'

/** Every revision so far, oldest first. Costs as much as all of them together: it is made when it is asked for. */
export function revisionsOf({ first, patches }: Pick<CoordinatorContext, 'first' | 'patches'>): readonly Plan[] {
  if (first === undefined) return []
  const revisions = [first]
  let plan = first
  for (const patch of patches) {
    plan = applyPatch(plan, patch)
    revisions.push(plan)
  }
  return revisions
}
