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
