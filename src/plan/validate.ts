// Checking a plan by itself, before anything runs: everything that is wrong, at once, each with its place and what to do.
//
// C1. It never complains about a correct plan: where it cannot know, it keeps silent.
// C2. Time grows with the plan: each step, reference and literal is looked at once.
import type { Finding } from './finding.ts'
import { freezePlan } from './freeze.ts'
import type { Plan } from './schema.ts'
import type { ToolCatalogue } from './toolDescription.ts'
import { checkBudget } from './validate/budget.ts'
import { checkGraph } from './validate/graph.ts'
import { checkInputs } from './validate/inputs.ts'
import { checkSchemas } from './validate/schemas.ts'
import { checkShape } from './validate/shape.ts'
import { checkUse } from './validate/use.ts'

export interface ValidateOptions {
  /** The tools that the plan may use; without them, nothing is said about tools and inputs. */
  readonly tools?: ToolCatalogue
  /** Executor roles that there are; without them, nothing is said about roles. */
  readonly executors?: readonly string[]
  readonly limits?: {
    readonly steps?: number
    /** In the unit of the tools' costs. */
    readonly cost?: number
  }
}

export interface PlanCheck {
  /** The plan with its defaults filled in, frozen; `undefined` when some finding is an error. */
  readonly plan: Plan | undefined
  /** Errors and warnings in the order of the plan. */
  readonly findings: readonly Finding[]
}

/** Finds everything that is wrong with a plan.
 *
 * @param value a plan, or anything that claims to be one.
 * @returns the findings; a plan with an `error` among them never runs.
 * @example
 * import { validatePlan } from 'planloom/plan'
 * const { findings } = validatePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 't', after: ['b'] }] })
 * findings.map((finding) => finding.code) // ['STEP_UNKNOWN']
 */
export function validatePlan(value: unknown, options: ValidateOptions = {}): PlanCheck {
  const shape = checkShape(value, options)
  if (shape.plan === undefined) return { plan: undefined, findings: shape.findings }
  const { plan } = shape
  const byId = new Map(plan.steps.map((step) => [step.id, step]))
  const findings = [
    ...shape.findings,
    ...checkGraph(plan, byId),
    ...checkSchemas(plan),
    ...checkInputs(plan, byId, options),
    ...checkUse(plan, options),
    ...checkBudget(plan, options),
  ]
  const isValid = !findings.some((finding) => finding.severity === 'error')
  return { plan: isValid ? freezePlan(plan) : undefined, findings }
}
