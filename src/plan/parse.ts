// Reading plans from values and from text.
import { PlanloomError } from '../errors.ts'
import type { Finding } from './finding.ts'
import type { Plan } from './schema.ts'
import { validatePlan, type ValidateOptions } from './validate.ts'

/** A plan that cannot run, with everything that is wrong with it. */
export class PlanInvalidError extends PlanloomError {
  override readonly name = 'PlanInvalidError'
  readonly findings: readonly Finding[]
  constructor(findings: readonly Finding[]) {
    const errors = findings.filter((finding) => finding.severity === 'error')
    const [first] = errors
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
    super('PLAN_INVALID', `The plan cannot run: ${first?.message ?? 'it is not valid.'}${more}`, {
      hint: first?.hint,
      where: { path: first?.path ?? '', ...(first?.stepId !== undefined && { stepId: first.stepId }) },
    })
    this.findings = findings
  }
}

/** Checks a value and makes it a plan, with its defaults filled in.
 *
 * @returns a frozen plan.
 * @throws `PLAN_INVALID` with all `findings`.
 * @example
 * import { parsePlan } from 'planloom/plan'
 * parsePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 'walk' }] }).revision // 1
 */
export function parsePlan(value: unknown, options?: ValidateOptions): Plan {
  const { plan, findings } = validatePlan(value, options)
  if (plan === undefined) throw new PlanInvalidError(findings)
  return plan
}
