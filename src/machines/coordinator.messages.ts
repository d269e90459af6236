// What the coordinator hears and what it says. Plain JSON: each message can be journaled, sent and read again.
//
// M1. Whatever the coordinator hears carries an id and a time, given by the host; a chart makes up neither.
// M2. Commands are imperative and may be refused; facts are past tense and are never refused, only found late. What people
//     tell (`step.answered`, `fact.reported`) is past tense too, and refused like a command where it does not fit.
import type { Finding } from '../plan/finding.ts'
import type { Json, JsonObject, JsonSchema } from '../plan/json.ts'
import type { Assumption, Goal, Operation, Patch, Plan, Retry, Step } from '../plan/schema.ts'
import type { Effects } from '../plan/toolDescription.ts'

interface Message {
  readonly id: string
  /** ms since the epoch. */
  readonly at: number
}

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
}

export interface FactGiven {
  readonly key: string
  readonly value: Json
}

// ---- What the coordinator is told about its world at the start (part of `run.started`) ----

/** What the coordinator must know about a tool to dispatch it well. */
export interface ToolTraits {
  readonly effects: Effects
  readonly idempotent: boolean
  readonly version: string
  readonly concurrency?: number
  readonly timeoutMs?: number
  readonly heartbeatMs?: number
  readonly retry?: Retry
  readonly executor?: string
  /** Facts of which it gives one for each item of a list. */
  readonly lists?: readonly string[]
  /** It can find out whether an attempt had its effect. */
  readonly checks?: true
}

/** What follows where nobody can tell whether a step had its effect, and its tool cannot find it out.
 * `replan`: the planner is asked. `ask`: a person or program is (`run.questions`, `ask`), and the run waits for them.
 * `retry`: it is sent again with the same idempotency key, as if that did no harm. `fail`: the run fails. */
export type UncertainPolicy = 'replan' | 'ask' | 'retry' | 'fail'

export interface RunLimits {
  /** Steps out at once. @default 64 */
  readonly concurrency: number
  /** Steps out at once, by executor role. */
  readonly roles: Readonly<Record<string, number>>
  readonly plannerCalls: number
  readonly replans: number
  readonly tokens: number
  readonly cost: number
  /** Wall time of the run. */
  readonly timeMs: number
  /** Longest the planner may take for one answer. */
  readonly plannerMs: number
  /** From the cancel to the end of the run, whatever the tools do. */
  readonly graceMs: number
  /** Steps in a plan. */
  readonly steps: number
  /** How often the same step may fail in the same way before the run is `stuck`. */
  readonly sameFailure: number
  /** Levels of sub-runs below the run; a sub-run may have one level fewer below it. @default 8 */
  readonly depth: number
}

export interface RunSettings {
  readonly limits: RunLimits
  /** `required`: every first plan waits for approval. `effects`: a plan with `write` or `external` steps does. */
  readonly approval: 'none' | 'required' | 'effects'
  /** `eager`: streamed steps are dispatched before the plan is complete. */
  readonly dispatch: 'eager' | 'whole'
  /** Seeds whatever must look random (jitter). */
  readonly seed: number
  /** Absent from the records of earlier versions. @default 'replan' */
  readonly uncertain?: UncertainPolicy
}

/** The first event of every journal: the coordinator's input. */
export interface RunStarted extends Message {
  readonly type: 'run.started'
  readonly runId: string
  readonly goal: Goal
  /** A plan to carry out as it is; without one the planner is asked. */
  readonly plan?: Plan
  readonly planner: string
  /** The planner wants to be asked when a `forEach` has got its children. */
  readonly elaborates?: boolean
  readonly tools: Readonly<Record<string, ToolTraits>>
  readonly settings: RunSettings
  readonly labels?: Readonly<Record<string, string>>
  /** For a sub-run: the run and step that began it. */
  readonly parentRunId?: string
  readonly parentStepId?: string
  /** For a fork: the moment of the run that it goes on from. All events up to then are that run's. */
  readonly forkedFrom?: ForkPoint
  /** The events say what was decided at the one before; those of earlier versions do not. */
  readonly recordsDecisions?: true
  /** It was cancelled before it began, because of this: nothing of it runs. */
  readonly cancelled?: string
}

/** A moment of a run. */
export interface ForkPoint {
  readonly runId: string
  /** Number of the latest event that counts. */
  readonly seq: number
  /** When the fork was made, in ms since the epoch. */
  readonly at: number
}

// ---- Facts from the planner ----

interface FromPlanner extends Message {
  /** The request that this answers; an answer to any other request changes nothing. */
  readonly requestId: string
  readonly usage?: Usage
}
/** One step of a plan that is still being written. */
export interface PlanStepProposed extends FromPlanner {
  readonly type: 'plan.stepProposed'
  readonly step: Step
}
export interface PlanProposed extends FromPlanner {
  readonly type: 'plan.proposed'
  readonly plan: Plan
}
export interface PlanPatchProposed extends FromPlanner {
  readonly type: 'plan.patchProposed'
  readonly patch: Patch
}
/** The plan stands as it is. */
export interface PlanKept extends FromPlanner {
  readonly type: 'plan.kept'
  readonly because: string
}
export interface PlanGivenUp extends FromPlanner {
  readonly type: 'plan.givenUp'
  readonly because: string
}
/** The planner broke, hung, or answered with what cannot be used. */
export interface PlanFailed extends FromPlanner {
  readonly type: 'plan.failed'
  readonly failure: Failure
  /** What the check found in its last answer. */
  readonly findings?: readonly Finding[]
}

// ---- Facts from executors ----

interface FromExecutor extends Message {
  readonly stepId: string
  readonly attempt: number
}
export interface StepSucceeded extends FromExecutor {
  readonly type: 'step.succeeded'
  readonly output: Json
  readonly facts: readonly FactGiven[]
  readonly usage?: Usage
  /** Nothing ran: the output is that of this step. */
  readonly reusedFrom?: StepOrigin
}
/** A step of some run of the journal; the run may have been removed since. */
export interface StepOrigin {
  readonly runId: string
  readonly stepId: string
}
export interface StepFailed extends FromExecutor {
  readonly type: 'step.failed'
  readonly failure: Failure
  readonly usage?: Usage
}
/** The tool succeeded, but its output is not what the step expects. */
export interface StepSurprised extends FromExecutor {
  readonly type: 'step.surprised'
  readonly output: Json
  readonly facts: readonly FactGiven[]
  readonly failure: Failure
  readonly usage?: Usage
}
/** A run of its own has begun for the attempt, whose goal it has. The attempt goes on. */
export interface StepDelegated extends FromExecutor {
  readonly type: 'step.delegated'
  readonly subRunId: string
}
/** The attempt reached its time limit, or went silent longer than its heartbeat allows. */
export interface StepTimedOut extends FromExecutor {
  readonly type: 'step.timedOut'
  readonly failure: Failure
}
/** Whether an attempt had its effect cannot be told, as its tool says. */
export interface StepUncertain extends FromExecutor {
  readonly type: 'step.uncertain'
  readonly failure: Failure
  readonly usage?: Usage
}
/** What is known of whether an attempt had its effect: its tool's check has found it out, or whoever was asked has said so. */
export interface StepChecked extends FromExecutor {
  readonly type: 'step.checked'
  readonly finding: EffectFinding
  readonly by?: string
}
export type EffectFinding =
  | {
      readonly happened: true
      readonly output: Json
      readonly facts: readonly FactGiven[]
      /** It had its effect, and what came of it is not what the step expects. */
      readonly surprise?: Failure
    }
  | { readonly happened: false }
  /** It cannot be told, or the check broke: why. */
  | { readonly unknown: Failure }

// ---- The clock ----

/** A timer that the coordinator set has come due. Keys: `retry:<step>`, `run`, `planner:<request>`, `grace`. */
export interface TimerFired extends Message {
  readonly type: 'timer.fired'
  readonly key: string
}

// ---- The process ----

/** The process that hosted the run has ended, and another one goes on with it: whatever was out has no executor any more. */
export interface RunRecovered extends Message {
  readonly type: 'run.recovered'
  /** The tools as they are now, in place of those that the run had. */
  readonly tools: Readonly<Record<string, ToolTraits>>
  readonly planner: string
  /** What is not as it was, in words; whoever resumed the run has accepted it. */
  readonly changes?: readonly string[]
  /** From now on, in place of what the run was started with. */
  readonly uncertain?: UncertainPolicy
  readonly by?: string
}

/** From here on it is a run of its own: what the run that it was forked from did later is not known to it. */
export interface RunForked extends Omit<RunRecovered, 'type'> {
  readonly type: 'run.forked'
  /** Time of the event before: what was to come then and so much later comes now and so much later. */
  readonly since: number
  /** How steps that were running ended, in place of how they did. */
  readonly outcomes?: Readonly<Record<string, ForkOutcome>>
  readonly facts?: readonly FactGiven[]
  /** Keys of facts that are not known any more. */
  readonly withdrawn?: readonly string[]
  readonly patch?: Patch
  readonly limits?: Partial<RunLimits>
}
export type ForkOutcome =
  { readonly output: Json; readonly facts: readonly FactGiven[] } | { readonly failure: Failure }

// ---- Commands and facts from people and programs ----

interface FromPerson extends Message {
  readonly by?: string
  /** Number of the request in the journal that it was, where another process asked for it. */
  readonly request?: number
  /** Taken in while no process had the run: nothing of it was out, and nothing goes out before `run.recovered`. */
  readonly unattended?: true
}
export interface RunApprove extends FromPerson {
  readonly type: 'run.approve'
  /** The revision that was looked at, or the step that waits for approval. */
  readonly revision?: number
  readonly stepId?: string
}
export interface RunReject extends FromPerson {
  readonly type: 'run.reject'
  readonly because: string
  readonly stepId?: string
}
export interface RunEdit extends FromPerson {
  readonly type: 'run.edit'
  readonly patch: Patch
}
export interface RunPause extends FromPerson {
  readonly type: 'run.pause'
}
export interface RunResume extends FromPerson {
  readonly type: 'run.resume'
}
export interface RunCancel extends FromPerson {
  readonly type: 'run.cancel'
  readonly because?: string
}
export interface StepRetry extends FromPerson {
  readonly type: 'step.retry'
  readonly stepId: string
}
export interface StepSkip extends FromPerson {
  readonly type: 'step.skip'
  readonly stepId: string
  readonly because?: string
}
/** The answer to a person step, or what became of one that is uncertain. */
export interface StepAnswered extends FromPerson {
  readonly type: 'step.answered'
  readonly stepId: string
  readonly value: Json
  /** Those that the step's tool gives with such an output. */
  readonly facts?: readonly FactGiven[]
}
export interface FactReported extends FromPerson {
  readonly type: 'fact.reported'
  readonly key: string
  readonly value: Json
}
export interface BudgetExtend extends FromPerson {
  readonly type: 'budget.extend'
  readonly limits: Partial<RunLimits>
}
/** An actor under the run died and could not be restarted. */
export interface ActorFailed extends Message {
  readonly type: 'actor.failed'
  readonly actor: 'planner' | 'executor'
  readonly failure: Failure
}

/** What people and programs may say to a run. */
export type Command =
  | RunApprove
  | RunReject
  | RunEdit
  | RunPause
  | RunResume
  | RunCancel
  | StepRetry
  | StepSkip
  | StepAnswered
  | FactReported
  | BudgetExtend

export type CoordinatorMessage =
  | PlanStepProposed
  | PlanProposed
  | PlanPatchProposed
  | PlanKept
  | PlanGivenUp
  | PlanFailed
  | StepSucceeded
  | StepFailed
  | StepSurprised
  | StepTimedOut
  | StepUncertain
  | StepChecked
  | StepDelegated
  | TimerFired
  | RunRecovered
  | RunForked
  | ActorFailed
  | Command

/** A message before the host has given it its id and time. */
export type Draft<M> = M extends Message ? Omit<M, 'id' | 'at'> : never

// ---- What the coordinator says: commands for its host to deliver ----

/** Carry out one attempt of a step. */
export interface StepExecute {
  readonly type: 'step.execute'
  readonly runId: string
  readonly stepId: string
  readonly attempt: number
  /** Stays the same over all attempts of the step. */
  readonly idempotencyKey: string
  readonly role: string
  readonly tool?: string
  readonly goal?: Goal
  readonly instruction?: string
  /** References filled in. */
  readonly input: JsonObject
  readonly expect?: JsonSchema
  readonly item?: string
  readonly timeoutMs?: number
  readonly heartbeatMs?: number
  /** The output of an earlier run may be taken. */
  readonly cache?: true
  /** A sub-run that an attempt before the process ended had begun: it is gone on with. */
  readonly subRunId?: string
}
/** Stop an attempt: its `AbortSignal` fires, and whatever it still says is late. */
export interface StepAbort {
  readonly type: 'step.abort'
  readonly stepId: string
  readonly attempt: number
  readonly role: string
  readonly because: string
}
/** Find out whether an attempt had its effect. */
export interface StepCheck extends Omit<StepExecute, 'type' | 'subRunId'> {
  readonly type: 'step.check'
  /** Who is to find out: the tool itself, or whoever can be asked. */
  readonly of: 'tool' | 'person'
  /** What is in doubt, in words. */
  readonly text: string
}
/** It need not be found out any more. */
export interface StepCheckAbort {
  readonly type: 'step.checkAbort'
  readonly stepId: string
  readonly attempt: number
  readonly because: string
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

/** Ask the planner for a plan (no `revision` in it), or for what to do about troubles. */
export interface PlanRequestCommand {
  readonly type: 'plan.request'
  readonly requestId: string
  readonly goal: Goal
  /** The revision that the troubles are about; absent for the first plan. */
  readonly revision?: number
  readonly troubles: readonly Trouble[]
  /** Steps of a first plan that broke off while it streamed in, as far as they have begun: the plan must hold them. */
  readonly begun?: readonly Step[]
}
/** Stop thinking about it. */
export interface PlanCancel {
  readonly type: 'plan.cancel'
  readonly requestId: string
}
export interface TimerSet {
  readonly type: 'timer.set'
  readonly key: string
  /** ms since the epoch. */
  readonly at: number
}
export interface TimerClear {
  readonly type: 'timer.clear'
  readonly key: string
}

export type CoordinatorCommand =
  StepExecute | StepAbort | StepCheck | StepCheckAbort | PlanRequestCommand | PlanCancel | TimerSet | TimerClear

// ---- How a run ends ----

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
