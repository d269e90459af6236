// The goal planner: needs no model and no key. It finds the least-cost partial-order plan by what tools need and give,
// and amends it when a step fails or surprises.
//
// G1. The same request gets the same answer, to the byte.
// G2. A first plan is of least total expected cost; where the search had to stop earlier, the steps say so.
// G3. What has succeeded or is running is left alone; the same tool is not tried with the same input again.
import type { Json } from '../../../plan/json.ts'
import { isJsonObject } from '../../../plan/json.ts'
import type { PlanAnswer, Planner, PlanRequest, ReplanAnswer } from '../planner.ts'
import { firstKnowledge } from './knowledge.ts'
import { explainMissing } from './missing.ts'
import { leastUnknown, nothingFound } from './leastUnknown.ts'
import { amend } from './rejections.ts'
import type { GoalPlannerSettings } from './settings.ts'
import { solve } from './solve.ts'
import { indexTools } from './toolIndex.ts'
import { listWants } from './wants.ts'
import { weighing } from './weights.ts'
import { writeSteps } from './writeSteps.ts'

export interface GoalPlannerOptions {
  /** Ways to meet a need that the exact search may look at before it settles for the best it has. @default 1,000,000 */
  readonly budget?: number
  /** How large an item is, by its fact: large items go first. @default its property `sizeBytes`, where it has one */
  readonly sizeOf?: (item: Json) => number | undefined
}

/** Makes the planner that needs no model.
 *
 * It plans for goals with `want`, from what tools declare: `needs`, `requires`, `gives`, `cost` and `likelihood`.
 *
 * @example
 * import { createGoalPlanner, createRuntime } from 'planloom'
 * const runtime = createRuntime({ tools: [], planner: createGoalPlanner() })
 */
export function createGoalPlanner({ budget = 1_000_000, sizeOf = sizeBytesOf }: GoalPlannerOptions = {}): Planner {
  const settings: GoalPlannerSettings = { budget, sizeOf }
  return {
    name: 'goal',
    elaborates: true,
    plan: (request) => planFirst(request, settings),
    replan: (request): ReplanAnswer => amend(request, settings),
  }
}

function planFirst({ goal, tools, facts }: PlanRequest, { budget, sizeOf }: GoalPlannerSettings): PlanAnswer {
  if (goal.want === undefined || goal.want.length === 0) {
    return { giveUp: 'The goal planner needs to know which facts are wanted: the goal has no "want".' }
  }
  const knowledge = firstKnowledge(facts, goal.facts ?? {})
  const index = indexTools(tools, knowledge.lists.keys())
  const solved = solve(listWants(goal.want, index, knowledge), {
    index,
    knowledge,
    isPartial: goal.partial === 'allow',
    budget,
  })
  const { problem, bounds, solution } = solved
  if (solution === undefined) {
    if (solved.isCutShort) return { giveUp: nothingFound }
    return { giveUp: explainMissing(problem, bounds, solved.unmet) || unfit }
  }
  const { steps, assumptions, postponed } = writeSteps({
    problem,
    bounds,
    solution,
    isTaken: () => false,
    weigh: weighing({ knowledge, sizeOf }),
    ...(!solution.isLeast && { note: leastUnknown }),
  })
  if (postponed.length === 0) return { steps, assumptions }
  const note = 'What follows is planned for each item, once the list is known.'
  return {
    steps: steps.map((step) => (step.forEach ? { ...step, why: `${step.why ?? ''} ${note}` } : step)),
    assumptions,
  }
}

const unfit = 'There are tools for all that is wanted, but in each order one of them would be given an outdated fact.'

function sizeBytesOf(item: Json): number | undefined {
  const size = isJsonObject(item) ? item.sizeBytes : undefined
  return typeof size === 'number' ? size : undefined
}
