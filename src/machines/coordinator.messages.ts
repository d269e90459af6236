// What the coordinator hears. Plain JSON: each message can be journaled, sent and read again.
//
// M1. Whatever the coordinator hears carries an id and a time, given by the host; a chart makes up neither.
// M2. Commands are imperative and may be refused; facts are past tense and are never refused, only found late. What people
//     tell (`step.answered`, `fact.reported`) is past tense too, and refused like a command where it does not fit.
import type { Finding } from '../plan/finding.ts'
import type { Json } from '../plan/json.ts'
import type { Goal, Patch, Plan, Step } from '../plan/schema.ts'
import type { ModelUsage } from './modelUsage.messages.ts'
import type { FactGiven, Failure, StepOrigin, Usage } from './reports.messages.ts'
import type { RunLimits, RunSettings, ToolTraits, UncertainPolicy } from './settings.messages.ts'

interface Message {
  readonly id: string
  /** ms since the epoch. */
  readonly at: number
}

// ---- How a run begins ----

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
  /** A sub-run that was begun for the same step before may have done any of it: its record is lost. */
  readonly inDoubt?: true
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

/** An answer of the planner that was not sound, so that it was asked again. */
export interface UnsoundRound {
  /** The first of what was found in it. */
  readonly findings: readonly Finding[]
  readonly usage?: Usage
  readonly model?: string
}

interface FromPlanner extends Message {
  /** The request that this answers; an answer to any other request changes nothing. */
  readonly requestId: string
  readonly usage?: Usage
  /** Its answers to the same request that were not sound, in order. */
  readonly unsound?: readonly UnsoundRound[]
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
  /** It came while the run was being left: nothing goes out because of it before `run.recovered`. */
  readonly unattended?: true
}
export interface StepSucceeded extends FromExecutor {
  readonly type: 'step.succeeded'
  readonly output: Json
  readonly facts: readonly FactGiven[]
  readonly usage?: Usage
  /** Nothing ran: the output is that of this step. */
  readonly reusedFrom?: StepOrigin
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
/** The attempt asks a person something. It goes on, and waits for the answer. */
export interface StepAsked extends FromExecutor {
  readonly type: 'step.asked'
  readonly text: string
}
/** Whoever was asked has no answer to what an attempt asked: why. The attempt goes on, knowing that. */
export interface StepUnanswered extends FromExecutor {
  readonly type: 'step.unanswered'
  readonly question: number
  readonly failure: Failure
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

// ---- Facts from models ----

/** A language model was called. Each call is told by itself, also one that failed or whose answer nobody waited for any more; what is
 * told here is not part of anybody's `usage`. */
export interface ModelCalled extends Message {
  readonly type: 'model.called'
  readonly caller: ModelCaller
  /** As the server names it. */
  readonly model: string
  readonly usage: ModelUsage
  readonly ms: number
  /** Of the error that it ended with. */
  readonly code?: string
}
/** An attempt of a step, or the planner at a request. */
export type ModelCaller = { readonly stepId: string; readonly attempt: number } | { readonly requestId: string }

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

/** What the run did after the event before this one is lost: the record was saved from a damaged file, or is part of one that was
 * exported. */
export interface RunEndLost extends Message {
  readonly type: 'run.endLost'
  /** Number of the latest event that is left. */
  readonly after: number
  /** Events that there were, where that is known. */
  readonly of?: number
  readonly because: string
  /** Nothing goes out because of it. */
  readonly unattended: true
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
  /** Taken in while no process had the run, or while its process was leaving it: what it is about was not out, and nothing goes
   * out before `run.recovered`. */
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
/** The answer to a person step, to what an attempt of another one asks, or what became of a step that is uncertain. */
export interface StepAnswered extends FromPerson {
  readonly type: 'step.answered'
  readonly stepId: string
  /** Number of the question of the step that it answers, so that it answers no other; absent for the step itself. */
  readonly question?: number
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
  | StepAsked
  | StepUnanswered
  | ModelCalled
  | TimerFired
  | RunRecovered
  | RunEndLost
  | RunForked
  | ActorFailed
  | Command

/** A message before the host has given it its id and time. */
export type Draft<M> = M extends Message ? Omit<M, 'id' | 'at'> : never
