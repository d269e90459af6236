// Calls of language models: what they use counts when they end, whoever made them and whatever came of them.
import type { ModelCalled, ModelCaller } from '../coordinator.messages.ts'
import { addUsage, noUsage } from '../modelUsage.messages.ts'
import { spend } from './outcomes.ts'
import type { Turn } from './turn.ts'

export function takeModelCall(turn: Turn, { caller, usage }: ModelCalled): void {
  const who = callerKey(caller)
  turn.modelUse = turn.modelUse.set(who, addUsage(turn.modelUse.get(who) ?? noUsage, usage))
  spend(turn, { tokens: usage.tokens, cost: usage.cost })
}

/** Under which name the calls of a step, or of the planner, are added up. */
function callerKey(caller: ModelCaller): string {
  return 'stepId' in caller ? `step:${caller.stepId}` : 'planner'
}
