// What one attempt of a model may use, in tokens, and what it has used that nobody has been told yet.
//
// B1. A call is not begun that may take more than is left of the attempt's own limit, or of the run's.
// B2. Each call is told once: by the budget of the run, or where there is none with the result of the attempt.
import { PlanloomError } from '../../../errors.ts'
import type { CallBudget, CallEstimate, ModelUsage, Reservation } from '../../../models/model.ts'
import { amountOf, usageFrom } from '../../../models/usage.ts'
import { addUsage, noUsage } from '../../../machines/modelUsage.messages.ts'

export class AttemptBudget implements CallBudget {
  readonly #tokens: number
  readonly #run: CallBudget | undefined
  #used = 0
  #reserved = 0
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

  /** What goes with the result of the attempt (B2). */
  get untold(): ModelUsage | undefined {
    return this.#untold
  }

  reserve(estimate: CallEstimate): Reservation {
    const tokens = amountOf(estimate.tokens)
    if (tokens > this.left) {
      this.#isShort = true
      throw new PlanloomError(
        'BUDGET_SHORT',
        `The attempt has ${String(this.left)} tokens left, and the call may take more.`,
      )
    }
    const ofRun = this.#run?.reserve(estimate)
    this.#reserved += tokens
    return {
      settle: (call) => {
        this.#reserved -= tokens
        const usage = usageFrom(call.usage) ?? { ...noUsage, tokens, calls: 1, isEstimated: true }
        this.#used += usage.tokens
        if (ofRun === undefined) this.#keep(usage)
        else ofRun.settle({ ...call, usage })
      },
      release: () => {
        this.#reserved -= tokens
        ofRun?.release()
      },
    }
  }

  #keep(more: ModelUsage): void {
    this.#untold = addUsage(this.#untold ?? noUsage, more)
  }
}
