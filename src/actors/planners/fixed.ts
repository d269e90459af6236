// The fixed planner: a plan that is already there.
import { PlanloomError } from '../../errors.ts'
import type { Plan } from '../../plan/schema.ts'
import type { Trouble } from '../../machines/reports.messages.ts'
import type { Planner, ReplanAnswer, ReplanRequest, PlannerContext, PlanDraft } from './planner.ts'

export interface FixedPlannerOptions {
  /** What to do about trouble. Without it the planner keeps the plan where all trouble is with steps that may be skipped
   * (`onFailure: 'skip'`), and else gives up: the run ends or, where the goal allows for partial results, goes on
   * without what failed. */
  readonly replan?: (request: ReplanRequest, context: PlannerContext) => ReplanAnswer | Promise<ReplanAnswer>
}

/** Makes a planner that proposes the same plan whatever the goal is.
 *
 * @param plan a whole plan, or its steps and assumptions.
 * @throws `OPTIONS_INVALID` for what has no steps.
 * @example
 * import { createFixedPlanner } from 'planloom'
 * const planner = createFixedPlanner({ steps: [{ id: 'say', tool: 'print', input: { text: 'hello' } }] })
 * planner.name // 'fixed'
 */
export function createFixedPlanner(
  plan: Plan | PlanDraft,
  { replan = keepOrGiveUp }: FixedPlannerOptions = {},
): Planner {
  if (!Array.isArray((plan as Partial<PlanDraft> | null)?.steps)) {
    throw new PlanloomError('OPTIONS_INVALID', 'createFixedPlanner() was given no plan.', {
      hint: 'Give it a plan (from parsePlan() or definePlan()), or an object with "steps".',
    })
  }
  return {
    name: 'fixed',
    plan: () => ({ steps: plan.steps, ...(plan.assumptions && { assumptions: plan.assumptions }) }),
    replan,
  }
}

function keepOrGiveUp({ plan, troubles }: ReplanRequest): ReplanAnswer {
  const said = troubles.map(({ text }) => text).join('; ')
  const skippable = new Set(plan.steps.flatMap(({ id, onFailure }) => (onFailure === 'skip' ? [id] : [])))
  const isBearable = (trouble: Trouble): boolean => trouble.type === 'expanded' || concerns(trouble, skippable)
  if (troubles.every(isBearable)) return { keep: `the plan lets it be skipped: ${said}` }
  return { giveUp: `The plan is fixed, and there is trouble: ${said}` }
}

/** Whether a trouble is with these steps only. */
function concerns({ assumption, stepId }: Trouble, steps: ReadonlySet<string>): boolean {
  if (assumption !== undefined) return assumption.steps.every((id) => steps.has(id))
  return stepId !== undefined && steps.has(stepId)
}
