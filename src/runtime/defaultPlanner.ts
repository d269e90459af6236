// Who plans where a run names no planner.
//
// D1. The runtime's planner, where it was given one.
// D2. A goal that names the facts it wants is for the goal planner, whether there is a model or not: it is exact, and costs nothing.
//     A goal in words alone is for the model, where there is one.
import { createFixedPlanner } from '../actors/planners/fixed.ts'
import { createGoalPlanner } from '../actors/planners/goal/goalPlanner.ts'
import { createModelPlanner } from '../actors/planners/model/modelPlanner.ts'
import type { Planner } from '../actors/planners/planner.ts'
import type { Goal, Plan } from '../plan/schema.ts'
import type { RuntimeOptions } from './runtime.ts'

export interface DefaultPlanners {
  /** For a goal, and its sub-goals. */
  forGoal(goal: Goal): Planner
  /** For a run of this goal that was given this plan, or none. */
  forRun(goal: Goal, plan: Plan | undefined): Planner
}

export function defaultPlanners({ planner, model }: Pick<RuntimeOptions, 'planner' | 'model'>): DefaultPlanners {
  const goalPlanner = planner ?? createGoalPlanner()
  const wordPlanner = planner ?? (model && createModelPlanner(model)) ?? goalPlanner
  const forGoal = ({ want = [] }: Goal): Planner => (want.length > 0 ? goalPlanner : wordPlanner)
  return {
    forGoal,
    forRun: (goal, plan) => (plan && !planner ? createFixedPlanner(plan) : forGoal(goal)),
  }
}
