// What an executor hears and says.
//
// A1. Every attempt that an executor is given is answered once, with how it ended: also one that was aborted, whose
//     answer is late for the coordinator unless the run is stopping and waits for it.
import type { Behaviour } from './behaviour.messages.ts'
import type { StepAbort, StepExecute } from './command.messages.ts'
import type { Draft, StepFailed, StepSucceeded, StepSurprised, StepUncertain } from './coordinator.messages.ts'

/** How an attempt ended, as its executor says. */
export type AttemptOutcome = Draft<StepSucceeded | StepFailed | StepSurprised | StepUncertain>

/** The attempt is over and its executor free: a behaviour's answer to its chart, and the chart's to its pool. */
export interface AttemptSettled {
  readonly type: 'attempt.settled'
  readonly executorId: string
  readonly outcome: AttemptOutcome
}

export type ExecutorMessage = StepExecute | StepAbort | AttemptSettled

export type ExecutorBehaviour = Behaviour<StepExecute | StepAbort, AttemptSettled>

/** Names one attempt of one step. */
export function attemptKey({ stepId, attempt }: { readonly stepId: string; readonly attempt: number }): string {
  return `${stepId} ${String(attempt)}`
}
