// What the calls of models have used, as people are told: by who made them, and in all.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { addUsage } from '../machines/decisions/modelCalls.ts'
import type { ModelUsage } from '../machines/reports.messages.ts'

export interface ModelUse {
  readonly total: ModelUsage
  readonly planner: ModelUsage
  /** By step id; steps that called none are not listed. */
  readonly steps: ReadonlyMap<string, ModelUsage>
}

const none: ModelUsage = { tokens: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0, calls: 0 }

export function modelUseOf({ modelUse }: Pick<CoordinatorContext, 'modelUse'>): ModelUse {
  const steps = new Map<string, ModelUsage>()
  for (const [who, usage] of modelUse) if (who.startsWith('step:')) steps.set(who.slice('step:'.length), usage)
  return {
    total: [...modelUse.values()].reduce(addUsage, none),
    planner: modelUse.get('planner') ?? none,
    steps,
  }
}
