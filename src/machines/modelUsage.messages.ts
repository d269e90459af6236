// What calls of language models use, and what several of them use together.

/** What calls of a language model have used. */
export interface ModelUsage {
  /** Input and output together. */
  readonly tokens: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the input: those that the server had already. */
  readonly cachedTokens: number
  /** In the unit of the price table. */
  readonly cost: number
  readonly calls: number
  /** Some server did not say, and it was estimated. */
  readonly isEstimated?: true
}

export const noUsage: ModelUsage = {
  tokens: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cost: 0,
  calls: 0,
}

/** What two calls, or sums of calls, have used together.
 *
 * @example
 * import { addUsage } from 'planloom'
 * const one = { tokens: 5, inputTokens: 4, outputTokens: 1, cachedTokens: 0, cost: 2, calls: 1 }
 * addUsage(one, one).tokens // 10
 */
export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    tokens: a.tokens + b.tokens,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cost: a.cost + b.cost,
    calls: a.calls + b.calls,
    ...((a.isEstimated ?? b.isEstimated) && { isEstimated: true }),
  }
}
