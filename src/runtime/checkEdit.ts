// An edit by hand is checked before it becomes an event: whoever edits is told at once, and nothing has changed.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { findConflict } from '../machines/decisions/revise.ts'
import { PlanloomError } from '../errors.ts'
import { applyPatch } from '../plan/patch.ts'
import { PlanInvalidError } from '../plan/parse.ts'
import { patchSchema, type Patch, type Plan } from '../plan/schema.ts'
import type { ToolCatalogue } from '../plan/toolDescription.ts'
import { validatePlan } from '../plan/validate.ts'

/** Reads the operations of an edit. @throws `PATCH_REFUSED` when they are not operations of a patch. */
export function readPatch(runId: string, draft: { readonly [K in keyof Patch]: unknown }): Patch {
  const parsed = patchSchema.safeParse(draft)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const place = issue?.path.map(String).join('/') ?? ''
  throw new PlanloomError(
    'PATCH_REFUSED',
    `The edit is not a list of operations: ${place}: ${issue?.message ?? 'not readable'}.`,
    {
      hint: 'See docs/plan-format.md for the operations and their fields.',
      where: { runId, path: `/${place}` },
      cause: parsed.error,
    },
  )
}

export interface EditMeans {
  readonly tools: ToolCatalogue
  /** Roles that are served. */
  readonly executors: readonly string[]
}

/** @throws `PATCH_REFUSED` when it touches what is done or running or does not fit, `PLAN_INVALID` when its result cannot run. */
export function checkEdit(
  runId: string,
  context: CoordinatorContext,
  plan: Plan,
  patch: Patch,
  { tools, executors }: EditMeans,
): void {
  if (patch.operations.length === 0) {
    throw new PlanloomError('PATCH_REFUSED', 'The edit has no operations: it would change nothing.', {
      hint: 'Give at least one operation; see docs/plan-format.md.',
      where: { runId },
    })
  }
  const conflict = findConflict(context, patch)
  if (conflict !== undefined) {
    throw new PlanloomError('PATCH_REFUSED', conflict, {
      hint: 'Leave finished and running steps alone; insert or rewire what comes after them.',
      where: { runId },
    })
  }
  const limits = { steps: context.limits.steps }
  const { findings } = validatePlan(applyPatch(plan, patch), { tools, executors, limits })
  if (findings.some((finding) => finding.severity === 'error')) throw new PlanInvalidError(findings)
}
