// What calls use, in tokens and money: as the server tells it or, where it does not, by an estimate.
import type { ModelUsage } from './model.ts'

/** Prices of a model, for a million tokens, in a unit of yours. */
export interface ModelPrices {
  readonly input: number
  readonly output: number
  /** Of input that the server had already. @default that of other input */
  readonly cached?: number
}

export interface TokenCount {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly isEstimated?: true
}

/** What somebody else's model reports, as counts: nothing is ever given back, and nothing is without end.
 *
 * @returns nothing where it does not say how many tokens there were
 */
export function usageFrom(reported: unknown): ModelUsage | undefined {
  if (typeof reported !== 'object' || reported === null) return undefined
  const { tokens, inputTokens, outputTokens, cachedTokens, cost, calls, isEstimated } = reported as Record<
    string,
    unknown
  >
  if (!isAmount(tokens)) return undefined
  return {
    tokens,
    inputTokens: amountOf(inputTokens),
    outputTokens: amountOf(outputTokens),
    cachedTokens: amountOf(cachedTokens),
    cost: amountOf(cost),
    calls: amountOf(calls),
    ...(isEstimated === true && { isEstimated }),
  }
}

/** A number of tokens or money that somebody names; 0 for what is none. */
export function amountOf(given: unknown): number {
  return isAmount(given) ? given : 0
}

function isAmount(given: unknown): given is number {
  return typeof given === 'number' && given >= 0 && given <= Number.MAX_SAFE_INTEGER
}

/** The usage of one call. */
export function usageOf(count: TokenCount, prices: ModelPrices | undefined): ModelUsage {
  const { inputTokens, outputTokens, cachedTokens, isEstimated } = count
  const { input, output, cached = input } = prices ?? { input: 0, output: 0 }
  const millionths = (inputTokens - cachedTokens) * input + cachedTokens * cached + outputTokens * output
  return {
    tokens: inputTokens + outputTokens,
    inputTokens,
    outputTokens,
    cachedTokens,
    cost: millionths / 1_000_000,
    calls: 1,
    ...(isEstimated && { isEstimated }),
  }
}
