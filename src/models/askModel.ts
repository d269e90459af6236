// Asks any model within a budget: one of the user's own may not ask the budget, and may report anything or nothing.
//
// A1. A model that does not ask the budget for itself, as its first call shows, is asked for from then on: its calls are not begun where
//     their estimate may not suffice. What it asks all the same takes the place of that.
// A2. Each call is told to the budget, however it ended, and what is told is a count: what a model does not say is estimated.
import { PlanloomError } from '../errors.ts'
import { estimateRequest, estimateTokens, usualOutput } from './estimateTokens.ts'
import type {
  CallBudget,
  CallEstimate,
  CallOptions,
  Model,
  ModelAnswer,
  ModelRequest,
  ModelUsage,
  Reservation,
} from './model.ts'
import { usageFrom } from './usage.ts'

export interface AskOptions extends CallOptions {
  readonly now: () => number
  /** The estimate of a model that does not ask the budget comes to no more tokens than this. */
  readonly mostTokens?: number
}

/** @throws what the model throws, and `BUDGET_SHORT` */
export async function askModel(
  model: Model,
  request: ModelRequest,
  { budget, now, mostTokens = Infinity, ...options }: AskOptions,
): Promise<ModelAnswer> {
  const asks =
    budget && new AskedFor(budget, isSilent.has(model) ? estimateOf(model, request, mostTokens) : nothingOf(model))
  const startedAt = now()
  const settle = (usage: ModelUsage, failure?: string): void => {
    const ms = Math.max(0, Math.round(now() - startedAt))
    if (asks?.isAskedByModel === false) isSilent.add(model)
    asks?.settle(() => ({ model: model.name, usage, ms, ...(failure !== undefined && { failure }) }))
  }
  try {
    const answer = await model.complete(request, { ...options, ...(asks && { budget: asks }) })
    const given = answer as Partial<ModelAnswer> | undefined
    const usage = usageFrom(given?.usage) ?? estimated(request, given?.text)
    settle(usage)
    return typeof answer === 'object' ? { ...answer, usage } : answer
  } catch (error) {
    const reported = typeof error === 'object' && error !== null && 'usage' in error ? error.usage : undefined
    const code = error instanceof PlanloomError ? error.code : options.signal.aborted ? 'ABORTED' : 'MODEL_FAILED'
    settle(usageFrom(reported) ?? estimated(request, undefined), code)
    throw error
  }
}

/** Models that have made a call without asking the budget. */
const isSilent = new WeakSet<Model>()

function nothingOf({ name }: Model): CallEstimate {
  return { tokens: 0, cost: 0, model: name }
}

/** The budget as the model is handed it, with what was taken out of it beforehand (A1). */
class AskedFor implements CallBudget {
  readonly #budget: CallBudget
  #own: Reservation | undefined

  constructor(budget: CallBudget, estimate: CallEstimate) {
    this.#budget = budget
    this.#own = budget.reserve(estimate)
  }

  /** The model has asked for itself. */
  get isAskedByModel(): boolean {
    return this.#own === undefined
  }

  reserve(estimate: CallEstimate): Reservation {
    this.#own?.release()
    this.#own = undefined
    return this.#budget.reserve(estimate)
  }

  /** Where the model has not asked. */
  settle(report: () => Parameters<Reservation['settle']>[0]): void {
    this.#own?.settle(report())
    this.#own = undefined
  }
}

function estimateOf({ name }: Model, request: ModelRequest, most: number): CallEstimate {
  const tokens = Math.min(estimateRequest(request) + (request.maxTokens ?? usualOutput), most)
  return { tokens, cost: 0, model: name }
}

function estimated(request: ModelRequest, text: unknown): ModelUsage {
  const inputTokens = estimateRequest(request)
  const outputTokens = typeof text === 'string' ? estimateTokens(text) : 0
  const tokens = inputTokens + outputTokens
  return { tokens, inputTokens, outputTokens, cachedTokens: 0, cost: 0, calls: 1, isEstimated: true }
}
