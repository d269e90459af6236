// What a program holds of a run: how it stands, how it ends, and what can be done to it.
import type { Observable } from 'rxjs'
import type { Json } from '../plan/json.ts'
import type { Goal, Operation, Patch, Plan } from '../plan/schema.ts'
import type { CoordinatorMessage, ForkPoint, RunStarted } from '../machines/coordinator.messages.ts'
import type { BudgetUsed, FactReport, Outcome, StepReport, Trouble } from '../machines/reports.messages.ts'
import type { RunLimits } from '../machines/settings.messages.ts'
import type { ModelUse } from './modelUse.ts'

/** One event that the coordinator took in, and what it changed. */
export interface Transition {
  /** Number that only grows, without gaps, from 0. The same as the event's number in the journal. */
  readonly n: number
  readonly at: number
  readonly event: RunStarted | CoordinatorMessage
  /** The coordinator's state after it. */
  readonly state: RunState
  readonly revision: number
  /** The first revision, where it is whole from this event on. */
  readonly plan?: Plan
  /** What has made the revisions that came of it, in order. */
  readonly patches: readonly Patch[]
  /** What the run has used up to now. */
  readonly used: BudgetUsed
  /** How the run has ended, where it has with this event. */
  readonly outcome?: Outcome
  /** Steps whose report changed. */
  readonly steps: readonly (StepReport & { readonly id: string })[]
  /** Keys of facts that were given or withdrawn. */
  readonly facts: readonly string[]
  /** Those of them that are known now. */
  readonly known: readonly FactReport[]
  /** Why the event was refused, where it was: then nothing has changed. (A patch of the planner that no longer fits, and what
   * people say too late to be told at once.) */
  readonly refused?: string
}

/** What an executor says while it works. Not in the journal: it may be lost. */
export interface StepProgress {
  readonly stepId: string
  readonly attempt: number
  readonly at: number
  readonly done?: number
  readonly total?: number
  readonly text?: string
  /** A piece of what a model is writing, to be put behind the pieces before. */
  readonly delta?: string
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

/** A step that waits for a person: for an answer, to itself or to what its executor (a model) asks meanwhile, for approval, or, where it is `uncertain`, for somebody who knows whether it had its
 * effect. It had: `answer()` with what came of it. It had not: `retry()`. Or do without: `skip()`. */
export interface Question {
  readonly stepId: string
  readonly kind: 'answer' | 'approval' | 'uncertain'
  /** Of what an attempt of the step asks: an answer that names it answers no question that has come up since. */
  readonly question?: number
  readonly text: string
  readonly input: Json
}

/** A run as its journal tells it. */
export interface Replay {
  readonly runId: string
  readonly goal: Goal
  readonly state: RunState
  readonly plan: Plan | undefined
  /** The amendment that waits for approval. */
  readonly proposed: Patch | undefined
  /** Every revision, oldest first. */
  readonly revisions: readonly Plan[]
  readonly outcome: Outcome | undefined
  /** What it waits for people for. */
  readonly questions: readonly Question[]
  readonly transitions: readonly Transition[]
  ledger(): Iterable<StepReport & { readonly id: string }>
  output(id: string): Json | undefined
  fact(key: string): FactReport | undefined
  facts(): Iterable<FactReport>
  /** What calls of language models have used: tokens in, out and cached, and cost, in all, by the planner, and by each step
   * and sub-run that is over. */
  modelUse(): ModelUse
}

export interface Run {
  readonly id: string
  readonly goal: Goal
  /** For a sub-run: the run and step that began it. */
  readonly parent: { readonly runId: string; readonly stepId: string } | undefined
  /** Settles when the run is over: a failed run is an outcome. Rejects only where the run was left unfinished (`RUN_LEFT`), which harms
   * nobody who has not asked for it. */
  readonly result: Promise<Outcome>
  readonly state: RunState
  /** The current revision; undefined until the planner has proposed one. */
  readonly plan: Plan | undefined
  /** The amendment that waits for approval. One without operations would keep the plan, and let go what a broken assumption holds
   * back. While the first plan waits there is none. */
  readonly proposed: Patch | undefined
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
  /** The run as it stood after event `n`; costs as much as taking those events in again.
   * @throws `EVENT_UNKNOWN` where there is none of this number yet */
  at(n: number): Replay
  /** For a fork: the moment of the run that it goes on from. */
  readonly forkedFrom: ForkPoint | undefined
  fact(key: string): FactReport | undefined
  facts(): Iterable<FactReport>
  /** What calls of language models have used: tokens in, out and cached, and cost, in all, by the planner, and by each step
   * and sub-run that is over. */
  modelUse(): ModelUse
  /** All transitions from number `from` (0 by default), first those that were, then those to come; completes with the run. */
  transitions(from?: number): Observable<Transition>
  readonly progress: Observable<StepProgress>

  // Commands. One that cannot be taken as things stand throws, and nothing has changed: `RUN_OVER` once the run is over (all
  // but `cancel`), else `COMMAND_REFUSED` with `reason`, what is so instead, and what would be `possible`. While the run is
  // being stopped all but `cancel` are refused. Of a run that was left they throw `RUN_LEFT`. `by` says who, for the record.

  /** Lets the plan or amendment that waits for approval go on; with `stepId`, a step, whose turn need not have come yet.
   * @throws `COMMAND_REFUSED` when it does not wait for approval, or has it. */
  approve(options?: { readonly stepId?: string; readonly by?: string }): void
  /** Refuses what waits for approval. A first plan: the run has failed, as `rejected`. An amendment: the planner is asked again,
   * and told what was rejected, why, and what troubles it was for. A step (`stepId`): it is not run, and its `onFailure` says
   * what that means, as for a step that failed.
   * @throws `COMMAND_REFUSED` when it does not wait for approval, or has it. */
  reject(because: string, options?: { readonly stepId?: string; readonly by?: string }): void
  /** Amends the plan by hand.
   * @throws `PLAN_INVALID` with all findings when the plan could not run as amended; `PATCH_REFUSED` for operations that do not
   *   fit, touch what has succeeded or is running, or are none; `COMMAND_REFUSED` while there is no whole plan yet. */
  edit(operations: readonly Operation[], options?: { readonly because?: string; readonly by?: string }): void
  /** Sends out nothing new; what is out finishes. Paused again, it stays paused. */
  pause(options?: { readonly by?: string }): void
  /** Goes on after a pause. A run that goes on already just goes on. */
  resume(options?: { readonly by?: string }): void
  /** Stops everything and ends the run as cancelled. Once more, or when the run is ending or over, it asks for nothing new and
   * never throws; the verdict that came first stands. */
  cancel(because?: string, options?: { readonly by?: string }): void
  /** Puts the run down unfinished, so that any process may go on with it (`resume` of a runtime) as if this one had ended: nothing more
   * goes out; what is out is aborted, and gets the grace period (`limits.graceMs`). Fulfilled when the run is free for others. One that is
   * over, or about to end, ends as ever. Sub-runs are left with their parents.
   * @throws `LEAVE_REFUSED` for a sub-run, and where the runtime was given no journal. */
  leave(): Promise<void>
  /** One more attempt of a step that failed, is uncertain, waits for its next attempt, or was itself skipped; those that were
   * skipped because of it wait again. Its tries count anew.
   * @throws `COMMAND_REFUSED` for any other step, also for one that was skipped because of another (retry that one). */
  retry(stepId: string, options?: { readonly by?: string }): void
  /** Goes on without a step that is not over: one that waits, runs (it is aborted), or whose failure the planner has not yet
   * decided about.
   * @throws `COMMAND_REFUSED` for any other step. */
  skip(stepId: string, options?: { readonly because?: string; readonly by?: string }): void
  /** The output of a step that waits for a person, or that is uncertain: then what became of it. It is checked as its tool's
   * own output would be, and gives the same facts. For a step whose executor asks something (`question`), the answer to that: any JSON.
   * @throws `COMMAND_REFUSED` for any other step, and where `question` is not open any more; `ANSWER_INVALID` when it is no JSON, not what the tool gives, or not what the
   *   step expects, and the step goes on waiting. */
  answer(stepId: string, value: Json, options?: { readonly by?: string; readonly question?: number }): void
  /** Tells a fact; assumptions about it are checked again.
   * @throws `OUTPUT_NOT_JSON` for a value that is none. */
  report(key: string, value: Json, options?: { readonly by?: string }): void
  /** Sets limits anew, those that are named. `timeMs` counts from the start of the run.
   * @throws `OPTIONS_INVALID` with all that is wrong with them. */
  extend(limits: Partial<RunLimits>, options?: { readonly by?: string }): void
}
