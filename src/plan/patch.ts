// Patches: what turns one revision into the next.
//
// K1. Applying a patch gives a new frozen plan and leaves the old one as it was; steps that it does not touch are shared.
// K2. A patch that does not fit is refused whole, with every reason.
// K3. applyPatch(a, diffPlans(a, b)) is b, to the byte.
// K4. Time grows with the plan and the operations, never with their product.
import { PlanloomError } from '../errors.ts'
import type { Finding } from './finding.ts'
import { deepFreeze } from './freeze.ts'
import { branchOf } from './graph.ts'
import { PatchWork } from './patchWork.ts'
import type { Operation, Patch, Plan } from './schema.ts'

/** A patch does not fit the plan that it was applied to. */
export class PatchRefusedError extends PlanloomError {
  override readonly name = 'PatchRefusedError'
  readonly findings: readonly Finding[]
  constructor(findings: readonly Finding[]) {
    const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : ''
    super('PATCH_REFUSED', `The patch does not fit the plan: ${findings[0]?.message ?? ''}${more}`, {
      hint: findings[0]?.hint,
      where: {
        path: findings[0]?.path ?? '',
        ...(findings[0]?.stepId !== undefined && { stepId: findings[0].stepId }),
      },
    })
    this.findings = findings
  }
}

/** Applies a patch to a plan. The steps in the patch become part of the new plan, and are frozen with it.
 *
 * `base` is not compared with the plan's revision: a patch that was thought of for an earlier one fits if all it names is there.
 *
 * @returns the next revision, frozen. Time grows with the plan and the operations.
 * @throws `PATCH_REFUSED` (with `findings`) when an operation names a step that is not there, inserts one that is, leaves
 *   a dependency dangling, or closes a cycle; the plan is as it was.
 * @example
 * import { applyPatch, parsePlan } from 'planloom/plan'
 * const plan = parsePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 'walk' }] })
 * const next = applyPatch(plan, {
 *   base: 1,
 *   by: { planner: 'me' },
 *   because: { type: 'edited', text: 'rest first' },
 *   operations: [{ op: 'insert', step: { id: 'rest', tool: 'sit' }, before: 'a' }],
 * })
 * next.steps.map((step) => step.id) // ['rest', 'a']
 */
export function applyPatch(plan: Plan, patch: Patch): Plan {
  const work = new PatchWork(plan)
  for (const [index, operation] of patch.operations.entries()) work.apply(operation, `/operations/${index}`)
  const findings = work.check()
  if (findings.length > 0) throw new PatchRefusedError(findings)
  return deepFreeze({
    id: patch.id ?? plan.id,
    goal: work.goal,
    revision: patch.revision ?? plan.revision + 1,
    parent: patch.parent === undefined ? plan.revision : patch.parent,
    by: patch.by,
    because: patch.because,
    steps: work.steps(),
    assumptions: work.assumptions(),
  })
}

/** Ids of the steps that a patch, or one operation, alters: each once. An `insert` alters the step that it brings; an
 * `abandon` the step and its branch; what is about assumptions or the goal alters none.
 *
 * @param plan the plan that it will be applied to.
 */
export function touchedBy(change: Patch | Operation, plan: Plan): readonly string[] {
  if (!('operations' in change)) return touchedByOperation(change, plan)
  return [...new Set(change.operations.flatMap((operation) => touchedByOperation(operation, plan)))]
}

function touchedByOperation(operation: Operation, plan: Plan): readonly string[] {
  switch (operation.op) {
    case 'insert':
      return [operation.step.id]
    case 'abandon':
      return [...branchOf(plan, operation.id)]
    case 'remove':
    case 'replace':
    case 'rewire':
      return [operation.id]
    case 'reorder':
      return operation.ids
    case 'assume':
    case 'unassume':
    case 'regoal':
      return []
  }
}
