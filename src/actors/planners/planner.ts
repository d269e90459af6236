// The interface of a planner. Ten lines are enough for one of your own.
import type { Goal, Operation, Plan, Step, Assumption } from '../../plan/schema.ts'
import type { ToolDescription } from '../../plan/toolDescription.ts'
import type { Finding } from '../../plan/finding.ts'
import type { FactReport, PlanSituation, Trouble, Usage } from '../../machines/reports.messages.ts'
import type { RunLimits } from '../../machines/settings.messages.ts'
import type { CallBudget } from '../../models/model.ts'

export interface PlanRequest {
  readonly goal: Goal
  readonly tools: readonly ToolDescription[]
  readonly facts: readonly FactReport[]
  readonly limits: RunLimits
  /** What the validator found in the planner's last answer to this same request; empty at first. */
  readonly findings: readonly Finding[]
  /** Steps that were streamed in before, by a plan that broke off or was not sound, and may have begun: the answer must hold
   * them as they are. */
  readonly begun?: readonly Step[]
  /** The executor roles that steps may name. */
  readonly executors?: readonly string[]
}

export interface ReplanRequest extends PlanRequest {
  readonly plan: Plan
  /** Plan, ledger, outputs and facts at the moment of asking. */
  readonly situation: PlanSituation
  readonly troubles: readonly Trouble[]
}

export interface PlanDraft {
  readonly steps: readonly Step[]
  readonly assumptions?: readonly Assumption[]
  readonly usage?: Usage
  readonly model?: string
}

interface Told {
  readonly usage?: Usage
  /** The language model that answered. */
  readonly model?: string
}

/** What the planner has itself against its answer: it is asked again with it, as with what the validator finds. */
export interface UnsoundAnswer extends Told {
  readonly unsound: readonly Finding[]
}

export type PlanAnswer = PlanDraft | ({ readonly giveUp: string } & Told) | UnsoundAnswer

export type ReplanAnswer =
  | ({ readonly patch: readonly Operation[]; readonly because?: string } & Told)
  /** The plan stands: a failure is final, a surprise is taken as it is. */
  | ({ readonly keep: string } & Told)
  | ({ readonly giveUp: string } & Told)
  | UnsoundAnswer

export interface PlannerContext {
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal
  /** Now, in ms since the epoch, by the run's clock. */
  readonly now: () => number
  /** What is left for model calls, and where they are told: calls made with it are not part of an answer's `usage`. Absent where there
   * is no run, as when a plan only is asked for. */
  readonly budget?: CallBudget
  /** What planners note for when they are asked again within the same request, each under a key of its own; empty at first. */
  readonly memory?: WeakMap<object, unknown>
}

/** Steps one by one, from a generator (`async *plan()` or `*plan()`). */
export type PlanStream = AsyncIterable<Step> | Generator<Step, unknown>

/** Turns a goal into a plan, and trouble into an amendment.
 *
 * `plan` gives a whole plan, or yields its steps one by one; `replan` may be left out, and trouble then ends the run.
 * What either throws ends up as `plan.failed`; neither needs to validate what it proposes: that is done for it, and it
 * is asked again with the findings.
 *
 * @example
 * const shout: Planner = {
 *   name: 'shout',
 *   plan: ({ goal }) => ({ steps: [{ id: 'say', tool: 'print', input: { text: goal.text.toUpperCase() } }] }),
 *   replan: ({ troubles }) => ({ giveUp: `no idea what to do about ${troubles[0]?.text}` }),
 * }
 */
export interface Planner {
  readonly name: string
  plan(request: PlanRequest, context: PlannerContext): PlanAnswer | Promise<PlanAnswer> | PlanStream
  replan?(request: ReplanRequest, context: PlannerContext): ReplanAnswer | Promise<ReplanAnswer>
  /** True: it wants to be asked (trouble `expanded`) when a `forEach` has got its children, to plan for single items. */
  readonly elaborates?: boolean
  /** How often it is asked again within one request because its answer was not sound. @default 2 */
  readonly repairRounds?: number
  /** True: what steps gave may have a say in its amendments, as when a model reads outputs. By default those of its amendments that
   * have a say in effects wait for approval. */
  readonly readsOutputs?: boolean
}
