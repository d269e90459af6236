// Checking a plan by itself, before anything runs: everything that is wrong, at once, each with its place and what to do.
//
// C1. It never complains about a correct plan: where it cannot know, it keeps silent.
// C2. Time grows with the plan: each step, reference and literal is looked at once.
// C3. It never throws, whatever it is given.
// C4. What is wrong in one place hides nothing that is wrong in another, and is not said again as a consequence.
import type { Finding } from './finding.ts'
import { deepFreeze } from './freeze.ts'
import { planLimits, type Plan } from './schema.ts'
import type { ToolCatalogue } from './toolDescription.ts'
import { checkCache } from './validate/cache.ts'
import { checkBudget, type BudgetLimits } from './validate/budget.ts'
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
  readonly limits?: BudgetLimits & {
    /** @default 100,000 */
    readonly steps?: number
  }
}

export interface PlanCheck {
  /** The plan with its defaults filled in, frozen; `undefined` when some finding is an error. */
  readonly plan: Plan | undefined
  readonly findings: readonly Finding[]
}

/** Finds everything that is wrong with a plan.
 *
 * Steps that depend on a cycle, or on a step that can never run, are not reported as well: mending the cause mends them.
 *
 * @param value a plan, or anything that claims to be one. It is copied, and not changed; a plan that was made here is taken
 *   as it is, and not looked through again for the same `options` (the same objects).
 * @returns all findings; a plan with an `error` among them never runs. Time grows with the plan, not faster.
 * @example
 * import { validatePlan } from 'planloom/plan'
 * const { findings } = validatePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 't', after: ['b'] }] })
 * findings.map((finding) => finding.code) // ['STEP_UNKNOWN']
 */
export function validatePlan(value: unknown, options: ValidateOptions = {}): PlanCheck {
  const known = typeof value === 'object' && value !== null ? madeHere.get(value) : undefined
  if (known !== undefined && isSameQuestion(known.options, options)) return known.check
  const { plan, findings } = checkPlan(value, options)
  if (plan === undefined) return { plan, findings }
  const made = known === undefined ? plan : (value as Plan) // frozen throughout, and equal to what is made of it now
  const check = { plan: made, findings }
  madeHere.set(made, { options, check })
  return check
}

/** The plans that were made here, with the last check of each: a service starts the same plan many times. */
const madeHere = new WeakMap<object, { readonly options: ValidateOptions; readonly check: PlanCheck }>()

function isSameQuestion(a: ValidateOptions, b: ValidateOptions): boolean {
  return a.tools === b.tools && a.executors === b.executors && a.limits === b.limits
}

function checkPlan(value: unknown, options: ValidateOptions): PlanCheck {
  const { tools, executors, limits = {} } = options
  const {
    plan,
    view,
    findings: shape,
    written,
  } = checkShape(value, Math.min(limits.steps ?? planLimits.steps, planLimits.steps))
  const findings = [
    ...shape,
    ...checkGraph(view),
    ...checkSchemas(view),
    ...checkInputs(view, { tools, executors }),
    ...checkCache(view, tools),
    ...checkUse(view, tools),
    ...checkBudget(view, limits, tools),
  ].map((finding) => written.restore(finding))
  const isValid = plan !== undefined && !findings.some(({ severity }) => severity === 'error')
  return { plan: isValid ? deepFreeze(plan) : undefined, findings }
}
