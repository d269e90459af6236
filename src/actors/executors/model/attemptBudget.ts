// What one attempt of a model may use, in tokens, and what it has used that nobody has been told yet.
//
// B1. A call is not begun that may take more than is left of the attempt's own limit, or of the run's.
// B2. Each call is told once: by the budget of the run, where the model asks it, or else with the result of the attempt.
import { PlanloomError } from '../../../errors.ts'
import type { CallBudget, ModelUsage, Reservation } from '../../../models/model.ts'
import { addUsage, noUsage } from '../../../machines/modelUsage.messages.ts'

export class AttemptBudget implements CallBudget {
  readonly #tokens: number
  readonly #run: CallBudget | undefined
  #used = 0
  #reserved = 0
  #settled = 0
  #untold: ModelUsage | undefined
  #isShort = false

  constructor(tokens: number, run: CallBudget | undefined) {
    this.#tokens = tokens
    this.#run = run
  }

  get tokens(): number {
    return this.#tokens
  }

  get left(): number {
    return Math.max(0, this.#tokens - this.#used - this.#reserved)
  }

  /** A call was not begun because of the attempt's own limit. */
  get isShort(): boolean {
    return this.#isShort
  }

  /** Calls that were told through this budget. */
  get settled(): number {
    return this.#settled
  }

  /** What goes with the result of the attempt (B2). */
  get untold(): ModelUsage | undefined {
    return this.#untold
  }

  reserve(estimate: { readonly tokens: number; readonly cost: number }): Reservation {
    if (estimate.tokens > this.left) {
      this.#isShort = true
      throw new PlanloomError(
        'BUDGET_SHORT',
        `The attempt has ${String(this.left)} tokens left, and the call may take more.`,
      )
    }
    const ofRun = this.#run?.reserve(estimate)
    this.#reserved += estimate.tokens
    return {
      settle: (call) => {
        this.#reserved -= estimate.tokens
        this.#settled += 1
        this.#used += amountOf(call.usage.tokens)
        if (ofRun === undefined) this.#keep(call.usage)
        else ofRun.settle(call)
      },
    }
  }

  /** Takes in a call that was made without asking. */
  take(usage: ModelUsage): void {
    this.#used += amountOf(usage.tokens)
    this.#keep(usage)
  }

  #keep(more: ModelUsage): void {
    this.#untold = addUsage(this.#untold ?? noUsage, more)
  }
}

/** Whatever a model reports: nothing is ever given back. */
function amountOf(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}
