// createRuntime: the one place where tools, planner, executors, limits, journal and clock meet.
import type { Executor } from '../actors/executors/executor.ts'
import type { ModelStepLimits } from '../actors/executors/model/modelMeans.ts'
import type { Planner } from '../actors/planners/planner.ts'
import type { Journal, RunFilter, RunSummary } from '../journal/journal.ts'
import type { RunLimits, RunSettings, UncertainPolicy } from '../machines/settings.messages.ts'
import type { Model } from '../models/model.ts'
import type { Json } from '../plan/json.ts'
import type { Goal, Operation, Plan } from '../plan/schema.ts'
import type { Tool } from '../tools/tool.ts'
import type { RunChange } from './changes.ts'
import type { Clock } from './clock.ts'
import type { Question, Run } from './run.ts'

export interface RuntimeOptions {
  readonly tools?: readonly Tool[]
  /** @default the goal planner for goals that name the facts they want; for goals in words alone the model's, where there is a model */
  readonly planner?: Planner
  /** Carries out the steps with an instruction and tools, or with the executor `model`, and plans goals in words. Without it, plans with
   * such steps are refused. */
  readonly model?: Model
  /** What one attempt of such a step may use, and how many there may be at once over all runs. */
  readonly modelSteps?: ModelStepLimits & Pick<Executor, 'concurrency' | 'ratePerSecond'>
  /** Executors beside the tool executor and the person executor, which are always there. */
  readonly executors?: readonly Executor[]
  /** Asked when a step waits for a person and nobody used the API; what it resolves with is the answer. To a question of kind
   * `uncertain` that is `{ happened: true, output }`, `{ happened: false }` or `{ unknown: why }`, as a tool's `check` gives it; where
   * it is anything else, or none, the planner is asked. */
  readonly ask?: (question: Question & { readonly runId: string }, signal: AbortSignal) => Promise<unknown>
  readonly limits?: Partial<RunLimits> & {
    /** Steps out at once over all runs. @default 256 */
    readonly totalConcurrency?: number
  }
  readonly approval?: RunSettings['approval']
  /** Whether amendments that have a say in effects wait for approval: those that add a step with `write` or `external` effects, change
   * one, or change what one rests on. @default 'effects' for planners that read outputs, such as models, else 'free' */
  readonly amendments?: NonNullable<RunSettings['amendments']>
  readonly dispatch?: RunSettings['dispatch']
  /** What follows where nobody can tell whether a step had its effect, because it is not idempotent, and its time limit or the end
   * of a process cut it short; a tool's own `check` comes first. `replan`: the planner is asked. `ask`: the step stands among the
   * `questions`, `ask` is called, and the run waits. `retry`: it is sent again, with the same idempotency key. `fail`: the run fails.
   * @default 'replan', with which a run waits for nobody, and nothing is done twice by itself */
  readonly uncertain?: UncertainPolicy
  /** @default a memory journal */
  readonly journal?: Journal
  /** How many runs that are over `runs` still lists: the oldest go first, so that a service can run for months. Whoever
   * holds a run can read it for as long as they like. @default 100 */
  readonly keepRuns?: number
  /** Longest that the journal may take to write or to close, in ms. A run whose journal takes longer ends with
   * `internal_error`; `close()` goes on without it. Either warns (`JOURNAL_STALLED`). @default 10,000 */
  readonly journalMs?: number
  readonly clock?: Clock
  /** Seeds ids and jitter, for runs that can be repeated. @default random */
  readonly seed?: number
}

export interface StartOptions {
  readonly runId?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly limits?: Partial<RunLimits>
  readonly planner?: Planner
  readonly approval?: RunSettings['approval']
  /** @default the runtime's */
  readonly amendments?: NonNullable<RunSettings['amendments']>
  /** @default the runtime's */
  readonly uncertain?: UncertainPolicy
  /** Cancels the run when it fires; when it has fired before, nothing of the run begins. */
  readonly signal?: AbortSignal
}

export interface ResumeOptions {
  /** @default the runtime's, or for a run that was given a plan that plan */
  readonly planner?: Planner
  /** From now on, in place of what the run has. */
  readonly uncertain?: UncertainPolicy
  /** What to do about tools and a planner that are not those the run had. `refuse`: it is refused with their names
   * (`RUN_CHANGED`), unless no open step needs them. `accept`: it goes on with those that there are. A function decides by
   * what has changed. Whatever is accepted is recorded. @default 'refuse' */
  readonly changes?: 'refuse' | 'accept' | ((changes: readonly RunChange[]) => boolean)
  readonly by?: string
  /** Cancels the run when it fires. */
  readonly signal?: AbortSignal
}

export interface ResumeAllOptions extends Omit<ResumeOptions, 'planner'>, Pick<RunFilter, 'labels' | 'goal' | 'since'> {
  /** For all of them, or for each its own. @default as for `resume` */
  readonly planner?: Planner | ((run: RunSummary) => Planner | undefined)
}

/** What a fork does otherwise than the run that it comes from. */
export interface ForkOptions extends Pick<StartOptions, 'runId' | 'planner' | 'limits' | 'signal'> {
  /** How steps ended that were running then, or whose end is the event at which the run is forked, by id: with an output, which
   * is checked and gives facts as that of their tools would, or with a failure, in words. */
  readonly outcomes?: Readonly<
    Record<string, { readonly output: Json } | { readonly failure: string; readonly code?: string }>
  >
  /** Facts that hold from then on, as `report` would tell them. */
  readonly facts?: Readonly<Record<string, Json>>
  /** Keys of facts that are not known any more. */
  readonly withdrawn?: readonly string[]
  /** A patch of the plan, as for `edit`. */
  readonly operations?: readonly Operation[]
  readonly uncertain?: UncertainPolicy
  readonly by?: string
}

/** A run that was not gone on with, and why. */
export interface RunLeft {
  readonly runId: string
  readonly goal: string
  /** With a `code`, where the reason has one: `RUN_OWNED`, `RUN_CHANGED`, `JOURNAL_BROKEN`. */
  readonly error: unknown
}

export interface ResumedRuns {
  /** Oldest first. */
  readonly resumed: readonly Run[]
  /** Other processes have them. */
  readonly owned: readonly RunLeft[]
  /** They have changed, or their record is damaged: they stay as they are. */
  readonly failed: readonly RunLeft[]
}

export interface Runtime extends AsyncDisposable {
  /** Starts a run of a goal (words, or a goal with wanted facts) or of a plan as it is.
   * @throws `PLAN_INVALID` with all findings when a given plan is not valid; nothing has run. */
  start(goal: string | Goal | Plan, options?: StartOptions): Run
  /** Goes on with a run of the journal whose process has ended. No step that has succeeded runs again; what was out is sent
   * again with the same idempotency key, or is uncertain where its effect may have happened and must not happen twice. A run
   * that is over is given as it ended.
   *
   * @throws `RUN_UNKNOWN`; `RUN_OWNED` while some process has it; `RUN_CHANGED`, with all that is not as it was;
   *   `JOURNAL_BROKEN`. */
  resume(runId: string, options?: ResumeOptions): Promise<Run>
  /** Goes on with every run of the journal that is not over, each as `resume` would: what a service does when it starts. Runs of
   * other processes are left to them, sub-runs to their parents; one that cannot be gone on with keeps no other from it. */
  resumeAll(options?: ResumeAllOptions): Promise<ResumedRuns>
  /** Starts a new run that begins as another one of the journal did, up to and with event `at`, and goes on from there with
   * what is changed. What had succeeded by then is not carried out again; what was running is begun again in the fork's own name,
   * or is uncertain where it may have had its effect. Tools and planner are those that there are now.
   *
   * @throws `RUN_UNKNOWN`; `EVENT_UNKNOWN`; `FORK_REFUSED` where the run was over then, or where another outcome is given to a
   *   step that was not running; `ANSWER_INVALID`, `PATCH_REFUSED` and `PLAN_INVALID` for changes that do not fit; `RUN_EXISTS`;
   *   `JOURNAL_BROKEN` */
  fork(runId: string, at: number, changes?: ForkOptions): Promise<Run>
  /** Plans without running. */
  plan(goal: string | Goal, options?: { readonly signal?: AbortSignal }): Promise<Plan>
  /** Live runs, and the latest of those that are over (`keepRuns`), in the order in which they were started. */
  readonly runs: readonly Run[]
  /** Cancels live runs and their sub-runs (the default), waits for them, or leaves them unfinished, each as its `leave()` would, for
   * another process to resume; other runs start no more. Afterwards no timer or handle is left.
   * @throws `LEAVE_REFUSED` where runs are to be left, and the runtime was given no journal: nothing is closed. */
  close(options?: { readonly runs?: 'cancel' | 'wait' | 'leave' }): Promise<void>
}
