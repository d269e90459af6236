// What is told of a run, its steps and its facts: to people, to planners, and to whoever waits for its end. Plain JSON.
import type { Json } from '../plan/json.ts'
import type { Assumption, Operation, Plan } from '../plan/schema.ts'
import type { ModelUsage } from './modelUsage.messages.ts'

/** An error as data: it has crossed actors, so it is no longer an `Error`. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly hint?: string
  /** JSON Pointer, where the failure is about a place in a value. */
  readonly path?: string
  /** False: trying the same again cannot help. */
  readonly retryable: boolean
  /** It cannot be told whether the attempt had its effect. */
  readonly uncertain?: true
  readonly cause?: string
}

export interface Usage {
  readonly tokens?: number
  readonly cost?: number
  /** Of a sub-run. */
  readonly plannerCalls?: number
  /** Of a sub-run. */
  readonly replans?: number
  /** For a step with a goal, where its sub-run called models: part of its tokens and cost. */
  readonly subRun?: SubRunUse
}

/** What the models of a sub-run, and of those below it, have used. */
export interface SubRunUse {
  readonly runId: string
  readonly models: ModelUsage
}

export interface FactGiven {
  readonly key: string
  readonly value: Json
}

/** A step of some run of the journal; the run may have been removed since. */
export interface StepOrigin {
  readonly runId: string
  readonly stepId: string
}
/** What went wrong, as the planner is told. */
export interface Trouble {
  readonly type:
    | 'failed'
    | 'surprised'
    | 'assumption_broken'
    | 'uncertain'
    | 'expanded'
    | 'patch_refused'
    | 'rejected'
    | 'repeated'
    /** Every step has ended, and something that the goal wants is missing or not as it should be. */
    | 'goal_unmet'
  /** In words. */
  readonly text: string
  readonly stepId?: string
  readonly tool?: string
  readonly assumption?: Assumption
  readonly failure?: Failure
  readonly attempts?: number
  /** For `surprised`: what came, and the facts that it would give. */
  readonly output?: Json
  readonly facts?: readonly FactGiven[]
  readonly rejected?: Rejection
}

/** For `rejected`: what a person did not want, and why. */
export interface Rejection {
  /** The person's note. */
  readonly because: string
  readonly by?: string
  /** The amendment that was rejected; absent where it was a step, which the trouble names. */
  readonly operations?: readonly Operation[]
  /** The troubles that the amendment was to answer, without former rejections. */
  readonly troubles?: readonly Trouble[]
}

export type StepStatus =
  | 'waiting'
  | 'ready'
  | 'held'
  | 'running'
  | 'backing_off'
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'abandoned'
  | 'cancelled'
  | 'uncertain'

/** Plan, ledger, outputs and facts at one moment. Read through functions: a copy would cost as much as the plan is large,
 * and the persistent values behind them never change. The host adds it to a `plan.request` as it delivers it. */
export interface PlanSituation {
  readonly plan: Plan
  readonly step: (id: string) => StepReport | undefined
  readonly output: (id: string) => Json | undefined
  readonly fact: (key: string) => FactReport | undefined
  readonly facts: () => Iterable<FactReport>
}

/** How far a step has come, as planners and people are told. */
export interface StepReport {
  readonly status: StepStatus
  readonly attempt: number
  readonly failure?: Failure
  /** The step that this status comes from: the one that failed, for a step that was skipped because of it. */
  readonly causedBy?: string
  readonly startedAt?: number
  readonly endedAt?: number
  /** For a step with a goal: the run of its latest attempt. */
  readonly subRunId?: string
  /** Where its output was taken from, when nothing ran. */
  readonly reusedFrom?: StepOrigin
}

export interface FactReport {
  readonly key: string
  readonly value: Json
  /** The step that gave it; `goal` for those it began with; `report:<who>` for reported ones. */
  readonly by: string
  readonly at: number
}

export type OutcomeReason =
  | 'done'
  | 'partial'
  | 'cancelled'
  | 'rejected'
  | 'gave_up'
  | 'step_failed'
  /** Every step was done, and a fact that the goal wants is missing or not as it should be. */
  | 'goal_unmet'
  | 'budget_exhausted'
  | 'stuck'
  | 'planner_failed'
  | 'executor_failed'
  | 'invalid_plan'
  | 'internal_error'

/** How a run ended, and why. Partial results stay readable on the run. */
export interface Outcome {
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly reason: OutcomeReason
  /** In words, for a person. */
  readonly message: string
  /** The step that it comes from, where there is one. */
  readonly stepId?: string
  readonly failure?: Failure
  /** For `stuck`: what repeats. */
  readonly cycle?: readonly string[]
  /** Steps of the last revision, by status. */
  readonly counts: Readonly<Partial<Record<StepStatus, number>>>
  readonly usage: BudgetUsed
  readonly revision: number
}

export interface BudgetUsed {
  readonly tokens: number
  readonly cost: number
  readonly plannerCalls: number
  readonly replans: number
  readonly timeMs: number
}
