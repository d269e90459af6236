// What the calls of models have used, as people are told: by who made them, and in all.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { addUsage, noUsage, type ModelUsage } from '../machines/modelUsage.messages.ts'

export interface ModelUse {
  /** What the planner and all steps have used. */
  readonly total: ModelUsage
  readonly planner: ModelUsage
  /** By step id; of a step with a goal, what its sub-runs have used. Steps that called none are not listed. */
  readonly steps: ReadonlyMap<string, ModelUsage>
  /** By the id of the sub-run, those below it included. A sub-run is counted here, as in the budget, when it has ended. */
  readonly subRuns: ReadonlyMap<string, SubRunModelUse>
}

export interface SubRunModelUse {
  /** That began it. */
  readonly stepId: string
  readonly usage: ModelUsage
}

export function modelUseOf({ modelUse, subRunUse }: Pick<CoordinatorContext, 'modelUse' | 'subRunUse'>): ModelUse {
  const steps = new Map<string, ModelUsage>()
  const add = (stepId: string, usage: ModelUsage): void => {
    steps.set(stepId, addUsage(steps.get(stepId) ?? noUsage, usage))
  }
  for (const [who, usage] of modelUse) if (who.startsWith('step:')) add(who.slice('step:'.length), usage)
  for (const { stepId, usage } of subRunUse.values()) add(stepId, usage)
  const planner = modelUse.get('planner') ?? noUsage
  return { total: [planner, ...steps.values()].reduce(addUsage), planner, steps, subRuns: new Map(subRunUse) }
}
