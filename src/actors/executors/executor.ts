// The interface of an executor: what carries out one attempt of one step.
import type { Json } from '../../plan/json.ts'
import type { StepExecute } from '../../machines/command.messages.ts'
import type { FactGiven, Failure, Usage } from '../../machines/reports.messages.ts'
import type { CallBudget } from '../../models/model.ts'

export interface Progress {
  readonly done?: number
  readonly total?: number
  readonly text?: string
  /** A piece of what a model is writing, to be put behind the pieces before. */
  readonly delta?: string
}

/** What an executor is given with an attempt, and hands on to a tool. */
export interface ExecutorContext {
  readonly runId: string
  readonly stepId: string
  readonly attempt: number
  /** The same over all attempts of the step: hand it to whatever must not happen twice. */
  readonly idempotencyKey: string
  /** Fires on cancel, time limit, abandonment and close. */
  readonly signal: AbortSignal
  readonly progress: (progress: Progress) => void
  /** "Still alive", for long work without progress to show. */
  readonly heartbeat: () => void
  readonly log: (text: string) => void
  readonly now: () => number
  /** Asks a person, and waits for the answer: the question stands among the run's `questions` and is answered like that of a person step.
   * Meanwhile the attempt takes no place among those that are out. Questions of an attempt are put one after another. Rejects where
   * nobody answers, and when the signal fires. */
  readonly ask?: ((question: string) => Promise<Json>) | undefined
  /** What is left for model calls, and where they are told: calls made with it are not part of a result's `usage`. */
  readonly budget?: CallBudget | undefined
}

export interface StepOutput {
  readonly output: Json
  readonly facts?: readonly FactGiven[]
  readonly usage?: Usage
  /** It worked, but what came is not what the step is for. What breaks the step's `expect` need not be said here. */
  readonly surprise?: Failure
}

export type StepResult = StepOutput | { readonly failure: Failure; readonly usage?: Usage }

/** Carries out steps of one role. What `execute` throws or returns in a wrong shape is a failed attempt, never a crash. */
export interface Executor {
  readonly role: string
  /** Attempts at once, over all runs of a runtime. @default no limit but those of the run and the runtime */
  readonly concurrency?: number
  /** Starts per second, over all runs of a runtime. */
  readonly ratePerSecond?: number
  /** `checked`: outputs and facts are JSON values already, within limits, and are not looked through again.
   * @default 'unchecked' */
  readonly outputs?: 'checked' | 'unchecked'
  execute(work: StepExecute, context: ExecutorContext): Promise<StepResult>
}
