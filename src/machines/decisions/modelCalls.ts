// Calls of language models: what they use counts when they end, whoever made them and whatever came of them.
import type { ModelCalled, ModelCaller } from '../coordinator.messages.ts'
import type { ModelUsage } from '../reports.messages.ts'
import { spend } from './outcomes.ts'
import type { Turn } from './turn.ts'

export function takeModelCall(turn: Turn, { caller, usage }: ModelCalled): void {
  const who = callerKey(caller)
  turn.modelUse = turn.modelUse.set(who, addUsage(turn.modelUse.get(who), usage))
  spend(turn, { tokens: usage.tokens, cost: usage.cost })
}

/** Under which name the calls of a step, or of the planner, are added up. */
function callerKey(caller: ModelCaller): string {
  return 'stepId' in caller ? `step:${caller.stepId}` : 'planner'
}

export function addUsage(before: ModelUsage | undefined, more: ModelUsage): ModelUsage {
  if (before === undefined) return more
  return {
    tokens: before.tokens + more.tokens,
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    cachedTokens: before.cachedTokens + more.cachedTokens,
    cost: before.cost + more.cost,
    calls: before.calls + more.calls,
    ...((before.isEstimated || more.isEstimated) && { isEstimated: true as const }),
  }
}
