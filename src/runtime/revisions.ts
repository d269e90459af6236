// The revisions of a run, made again from its first plan and its patches.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { applyPatch } from '../plan/patch.ts'
import type { Plan } from '../plan/schema.ts'

/** Every revision so far, oldest first.
 *
 * @param known those that were made before; what comes costs as much as the patches since.
 */
export function revisionsOf(
  { first, patches }: Pick<CoordinatorContext, 'first' | 'patches'>,
  known: readonly Plan[] = [],
): readonly Plan[] {
  if (first === undefined) return []
  const revisions = known.length === 0 ? [first] : [...known]
  let plan = revisions.at(-1) ?? first
  for (const patch of patches.slice(revisions.length - 1)) {
    plan = applyPatch(plan, patch)
    revisions.push(plan)
  }
  return revisions
}
