// What carries out attempts behind an executor's chart: one at a time, with a signal for each.
//
// C1. Every attempt is answered once; nothing that an executor throws, returns or never returns takes the actor down.
// C2. Its signal fires on `step.abort`, when the run's signal fires, and when the actor is stopped.
// C3. After its signal has fired or it has settled, an attempt reports no progress any more.
import { PlanloomError } from '../errors.ts'
import type { Mailbox } from '../machines/behaviour.messages.ts'
import type { StepAbort, StepExecute } from '../machines/command.messages.ts'
import type { Json } from '../plan/json.ts'
import type { AttemptOutcome, AttemptSettled, ExecutorBehaviour } from '../machines/executor.messages.ts'
import type { CallBudget } from '../models/model.ts'
import { abortedOutcome, outcomeOf, thrownOutcome } from './executors/attemptOutcome.ts'
import type { Executor, ExecutorContext } from './executors/executor.ts'
import { logLineOf, progressOf } from './executors/progress.ts'
import { LiveAttempt } from './liveAttempt.ts'
import { onAbort } from './onAbort.ts'

export interface ExecutorBehaviourOptions {
  readonly executor: Executor
  /** Now, in ms since the epoch, by the run's clock. */
  readonly now: () => number
  /** The run's signal: when it fires, so does the signal of every attempt. */
  readonly signal: AbortSignal
  /** What model calls of an attempt may use. */
  readonly budgetOf?: (attempt: { readonly stepId: string; readonly attempt: number }) => CallBudget
  /** Puts a question of an attempt to people. */
  readonly ask?: (question: AttemptQuestion) => Promise<Json>
}

export interface AttemptQuestion {
  readonly stepId: string
  readonly attempt: number
  readonly text: string
  /** Fires when the attempt wants no answer any more. */
  readonly signal: AbortSignal
}

/** Makes the behaviour of the executors of one role: each actor that runs it carries out one attempt at a time. */
export function createExecutorBehaviour(options: ExecutorBehaviourOptions): ExecutorBehaviour {
  return (mailbox) => {
    const { signal } = options
    let live: LiveAttempt | undefined

    function stop(because: string): void {
      if (live?.isSettled === false)
        live.abort(new PlanloomError('ABORTED', because, { where: { stepId: live.stepId } }))
    }
    function stopWithRun(): void {
      const reason: unknown = signal.reason
      // Why the run lets go of it is for the tool to know, and for the sub-run that it may have begun.
      if (!(reason instanceof PlanloomError)) stop('The run was stopped.')
      else if (live?.isSettled === false) live.abort(reason)
    }

    const unfollow = onAbort(signal, stopWithRun)
    mailbox.receive((message) => {
      if (message.type === 'step.execute') {
        live = new LiveAttempt(message.stepId, message.attempt)
        if (signal.aborted) stopWithRun()
        void carryOut(message, live, options, mailbox)
      } else if (live !== undefined && isAbout(message, live)) stop(message.because)
    })
    return () => {
      unfollow()
      stop('The executor was stopped.')
      live = undefined
    }
  }
}

type ExecutorMailbox = Mailbox<StepExecute | StepAbort, AttemptSettled>

/** Never rejects. */
async function carryOut(
  work: StepExecute,
  live: LiveAttempt,
  options: ExecutorBehaviourOptions,
  mailbox: ExecutorMailbox,
): Promise<void> {
  const { executor } = options
  let outcome: AttemptOutcome
  try {
    outcome = live.aborted
      ? abortedOutcome(work, live)
      : outcomeOf(work, await executor.execute(work, contextOf(work, live, options, mailbox)), executor, live)
  } catch (error) {
    outcome = thrownOutcome(work, error, executor, live)
  }
  live.isSettled = true
  mailbox.reply({ type: 'attempt.settled', executorId: mailbox.id, outcome })
}

function contextOf(
  { runId, stepId, attempt, idempotencyKey }: StepExecute,
  live: LiveAttempt,
  { now, budgetOf, ask }: ExecutorBehaviourOptions,
  mailbox: ExecutorMailbox,
): ExecutorContext {
  const report = (said: object): void => {
    if (live.isSettled || live.aborted) return // C3
    mailbox.report({ type: 'step.progressed', stepId, attempt, ...said })
  }
  return {
    runId,
    stepId,
    attempt,
    idempotencyKey,
    get signal() {
      return live.signal
    },
    now,
    get budget() {
      return budgetOf?.({ stepId, attempt })
    },
    ...(ask && { ask: (text: string) => ask({ stepId, attempt, text: logLineOf(text), signal: live.signal }) }),
    progress: (progress) => {
      report(progressOf(progress))
    },
    heartbeat: () => {
      report({ heartbeat: true })
    },
    log: (text) => {
      report({ log: logLineOf(text) })
    },
  }
}

function isAbout(abort: StepAbort, live: LiveAttempt): boolean {
  return abort.stepId === live.stepId && abort.attempt === live.attempt
}
