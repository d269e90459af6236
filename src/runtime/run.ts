// What a program holds of a run: how it stands, how it ends, and what can be done to it.
import type { Observable } from 'rxjs'
import type { Json } from '../plan/json.ts'
import type { Goal, Operation, Plan } from '../plan/schema.ts'
import type {
  CoordinatorMessage,
  FactReport,
  Outcome,
  RunLimits,
  RunStarted,
  StepReport,
  Trouble,
} from '../machines/coordinator.messages.ts'

/** One event that the coordinator took in, and what it changed. */
export interface Transition {
  /** Number that only grows, without gaps, from 0. The same as the event's number in the journal. */
  readonly n: number
  readonly at: number
  readonly event: RunStarted | CoordinatorMessage
  /** The coordinator's state after it. */
  readonly state: RunState
  readonly revision: number
  /** Steps whose report changed. */
  readonly steps: readonly (StepReport & { readonly id: string })[]
  /** Keys of facts that were given or withdrawn. */
  readonly facts: readonly string[]
}

/** What an executor says while it works. Not in the journal: it may be lost. */
export interface StepProgress {
  readonly stepId: string
  readonly attempt: number
  readonly at: number
  readonly done?: number
  readonly total?: number
  readonly text?: string
  readonly log?: string
}

export type RunState =
  | 'planning'
  | 'approving'
  | 'dispatching'
  | 'awaiting'
  | 'replanning'
  | 'paused'
  | 'stopping'
  | 'completed'
  | 'failed'
  | 'cancelled'

/** A step that waits for a person: for an answer, or for approval. */
export interface Question {
  readonly stepId: string
  readonly kind: 'answer' | 'approval'
  readonly text: string
  readonly input: Json
}

export interface Run {
  readonly id: string
  readonly goal: Goal
  /** For a sub-run: the run and step that began it. */
  readonly parent: { readonly runId: string; readonly stepId: string } | undefined
  /** Settles when the run is over. Never rejects: a failed run is an outcome. */
  readonly result: Promise<Outcome>
  readonly state: RunState
  /** The current revision; undefined until the planner has proposed one. */
  readonly plan: Plan | undefined
  /** Every revision so far, oldest first. */
  readonly revisions: readonly Plan[]
  readonly outcome: Outcome | undefined
  /** Troubles that the planner has been asked about and has not yet answered. */
  readonly troubles: readonly Trouble[]
  readonly questions: readonly Question[]
  step(id: string): StepReport | undefined
  /** Steps of the current and former revisions, in order. */
  ledger(): Iterable<StepReport & { readonly id: string }>
  output(id: string): Json | undefined
  fact(key: string): FactReport | undefined
  facts(): Iterable<FactReport>
  /** All transitions from number `from` (0 by default), first those that were, then those to come; completes with the run. */
  transitions(from?: number): Observable<Transition>
  readonly progress: Observable<StepProgress>

  /** Lets a plan (or, with `stepId`, a step) that waits for approval go on. */
  // Commands. All but `cancel` throw `RUN_OVER` once the run is over, and `COMMAND_REFUSED` where they do not fit its state.

  approve(options?: { readonly stepId?: string; readonly by?: string }): void
  reject(because: string, options?: { readonly stepId?: string; readonly by?: string }): void
  /** Amends the plan by hand. @throws `PLAN_INVALID` with all findings, and nothing has changed. */
  edit(operations: readonly Operation[], options?: { readonly because?: string; readonly by?: string }): void
  pause(options?: { readonly by?: string }): void
  resume(options?: { readonly by?: string }): void
  cancel(because?: string, options?: { readonly by?: string }): void
  retry(stepId: string, options?: { readonly by?: string }): void
  skip(stepId: string, options?: { readonly because?: string; readonly by?: string }): void
  answer(stepId: string, value: Json, options?: { readonly by?: string }): void
  report(key: string, value: Json, options?: { readonly by?: string }): void
  extend(limits: Partial<RunLimits>, options?: { readonly by?: string }): void
}
