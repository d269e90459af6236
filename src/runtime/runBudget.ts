// What a run's model calls may still use, and where they are told.
//
// B1. Calls side by side never spend the same tokens or money: each takes its estimate out before it begins, and gives back what it did
//     not use. A call may use more than was estimated; that is told, and ends the run where it was too much.
// B2. What has been used is counted from the moment on at which the call has ended, be it before the coordinator has heard of it.
// B3. Whatever is reported, what is counted is 0 or more, and finite: of a call that does not say what it used, the estimate is counted.
// B4. Of calls that are out when the run ends the estimate is counted: what they used, nobody will hear.
import { PlanloomError } from '../errors.ts'
import type { Draft, ModelCalled, ModelCaller } from '../machines/coordinator.messages.ts'
import { noUsage, type ModelUsage } from '../machines/modelUsage.messages.ts'
import type { BudgetUsed } from '../machines/reports.messages.ts'
import type { RunLimits } from '../machines/settings.messages.ts'
import type { CallBudget } from '../models/model.ts'
import { amountOf, usageFrom } from '../models/usage.ts'
import { unlimited } from './settings.ts'

type Amount = Pick<ModelUsage, 'tokens' | 'cost'>

export interface RunBudgetOptions {
  readonly runId: string
  /** Limits, and what is used of them, as the coordinator knows them. */
  readonly standing: () => {
    readonly limits: Pick<RunLimits, keyof Amount>
    readonly used: Pick<BudgetUsed, keyof Amount>
  }
  readonly tell: (call: Draft<ModelCalled>) => void
  /** ms; of any origin. */
  readonly now: () => number
}

export class RunBudget {
  readonly #options: RunBudgetOptions
  /** Reserved, or used and not told yet. */
  #out: Amount = { tokens: 0, cost: 0 }
  /** Calls that are out, each with how it is counted where nobody waits for it any more. */
  readonly #open = new Set<{ readonly giveUp: () => Draft<ModelCalled> | undefined }>()

  constructor(options: RunBudgetOptions) {
    this.#options = options
  }

  /** The budget as an attempt or the planner is handed it. */
  of(caller: ModelCaller): CallBudget {
    return {
      reserve: (estimate) => {
        const taken = { tokens: amountOf(estimate.tokens), cost: amountOf(estimate.cost) } // B3
        this.#refuseIfShort(taken, caller)
        this.#add(taken, 1)
        const beganAt = this.#options.now()
        const count = (reported: unknown, rest: Pick<ModelCalled, 'model' | 'ms' | 'code'>): Draft<ModelCalled> => {
          const usage = usageFrom(reported) ?? { ...noUsage, ...taken, calls: 1, isEstimated: true } // B3
          this.#add(usage, 1)
          return { type: 'model.called', caller, usage, ...rest }
        }
        const { model: named = '' } = estimate
        const open = {
          giveUp: () => {
            if (!close()) return undefined
            const ms = Math.max(0, Math.round(this.#options.now() - beganAt))
            return count(undefined, { model: named, ms, code: 'ABORTED' })
          },
        }
        const close = (): boolean => {
          if (!this.#open.delete(open)) return false
          this.#add(taken, -1)
          return true
        }
        this.#open.add(open)
        return {
          release: close,
          settle: ({ model, usage: reported, ms, failure: code }) => {
            if (close()) this.#options.tell(count(reported, { model, ms, ...(code !== undefined && { code }) }))
          },
        }
      },
    }
  }

  /** Whether a call is out. */
  get hasOpen(): boolean {
    return this.#open.size > 0
  }

  /** B4. @returns what is to be told of them now */
  giveUp(): Draft<ModelCalled>[] {
    return [...this.#open].flatMap(({ giveUp }) => giveUp() ?? [])
  }

  /** The coordinator has heard of a call. */
  told({ usage }: Pick<ModelCalled, 'usage'>): void {
    this.#add(usage, -1)
  }

  #add({ tokens, cost }: Amount, sign: 1 | -1): void {
    this.#out = { tokens: this.#out.tokens + sign * tokens, cost: this.#out.cost + sign * cost }
  }

  #refuseIfShort(estimate: Amount, caller: ModelCaller): void {
    const { runId, standing } = this.#options
    const { limits, used } = standing()
    const short = (['tokens', 'cost'] as const).find(
      (name) => limits[name] < unlimited && used[name] + this.#out[name] + estimate[name] > limits[name],
    )
    if (short === undefined) return
    const left = Math.max(0, limits[short] - used[short] - this.#out[short])
    const what = short === 'tokens' ? 'tokens' : 'in money'
    throw new PlanloomError(
      'BUDGET_SHORT',
      `The next call of a model may take ${inWords(estimate[short])} ${what}, and ${inWords(left)} of ${inWords(limits[short])} are left.`,
      {
        hint: `Raise limits.${short} ("planloom extend", run.extend()), or have the model answer at less length (maxTokens).`,
        where: { runId, ...('stepId' in caller && { stepId: caller.stepId }) },
      },
    )
  }
}

function inWords(amount: number): string {
  return String(Number(amount.toPrecision(4)))
}
