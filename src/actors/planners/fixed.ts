// The fixed planner: a plan that is already there.
import type { Plan } from '../../plan/schema.ts'
import type { Planner, ReplanAnswer, ReplanRequest, PlannerContext, PlanDraft } from './planner.ts'

export interface FixedPlannerOptions {
  /** What to do about trouble. Without it the planner gives up, and the run ends or, where the goal allows for partial
   * results, goes on without what failed. */
  readonly replan?: (request: ReplanRequest, context: PlannerContext) => ReplanAnswer | Promise<ReplanAnswer>
}

/** Makes a planner that proposes the same plan whatever the goal is.
 *
 * @param plan a whole plan, or its steps and assumptions.
 */
export function createFixedPlanner(plan: Plan | PlanDraft, { replan }: FixedPlannerOptions = {}): Planner {
  return {
    name: 'fixed',
    plan: () => ({ steps: plan.steps, ...(plan.assumptions && { assumptions: plan.assumptions }) }),
    replan: replan ?? (({ troubles }) => ({ giveUp: troubles.map(({ text }) => text).join('; ') })),
  }
}
