// What the coordinator says: commands for its host to deliver. Plain JSON, imperative; the outbox is part of the coordinator's state.
import type { Json, JsonObject, JsonSchema } from '../plan/json.ts'
import type { Goal, Step } from '../plan/schema.ts'
import type { Failure, Trouble } from './reports.messages.ts'

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
  /** The tools that the model which follows the instruction may use. */
  readonly tools?: readonly string[]
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
  /** A sub-run may have been begun for the step before, of which nothing is known. */
  readonly inDoubt?: true
  /** What attempts before this one have asked, and what came of it. */
  readonly asked?: readonly AskedBefore[]
}
/** A question of a step that has come to its end. */
export type AskedBefore = { readonly text: string } & Said
/** What came of a question: an answer, or why there is none. */
export type Said = { readonly answer: Json } | { readonly failure: Failure }

/** Put a question of an attempt to a person. */
export interface StepAsk {
  readonly type: 'step.ask'
  readonly runId: string
  readonly stepId: string
  readonly attempt: number
  readonly question: number
  readonly text: string
  /** That of the step. */
  readonly input: JsonObject
  /** What is left of the step's time, where no attempt is out that waits for the answer. */
  readonly timeoutMs?: number
}
/** It need not be answered any more. */
export interface StepAskAbort {
  readonly type: 'step.askAbort'
  readonly stepId: string
  readonly attempt: number
  readonly because: string
}
/** Tell an attempt what came of its question: it goes on. */
export interface StepTell {
  readonly type: 'step.tell'
  readonly runId: string
  readonly stepId: string
  readonly attempt: number
  readonly role: string
  readonly said: Said
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
  | StepExecute
  | StepAbort
  | StepCheck
  | StepCheckAbort
  | StepAsk
  | StepAskAbort
  | StepTell
  | PlanRequestCommand
  | PlanCancel
  | TimerSet
  | TimerClear
