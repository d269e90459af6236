// What the calls of models have used, as people are told: by who made them, and in all.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { addUsage, noUsage, type ModelUsage } from '../machines/modelUsage.messages.ts'

export interface ModelUse {
  readonly total: ModelUsage
  readonly planner: ModelUsage
  /** By step id; steps that called none are not listed. */
  readonly steps: ReadonlyMap<string, ModelUsage>
}

export function modelUseOf({ modelUse }: Pick<CoordinatorContext, 'modelUse'>): ModelUse {
  const steps = new Map<string, ModelUsage>()
  for (const [who, usage] of modelUse) if (who.startsWith('step:')) steps.set(who.slice('step:'.length), usage)
  return {
    total: [...modelUse.values()].reduce(addUsage, noUsage),
    planner: modelUse.get('planner') ?? noUsage,
    steps,
  }
}
