// What carries out attempts behind an executor's chart: one at a time, with a signal for each.
//
// C1. Every attempt is answered once; nothing that an executor throws, returns or never returns takes the actor down.
// C2. Its signal fires on `step.abort`, when the run's signal fires, and when the actor is stopped.
// C3. After its signal has fired or it has settled, an attempt reports no progress any more.
import { PlanloomError } from '../errors.ts'
import type { Mailbox } from '../machines/behaviour.messages.ts'
import type { StepAbort, StepExecute } from '../machines/coordinator.messages.ts'
import type { AttemptOutcome, AttemptSettled, ExecutorBehaviour } from '../machines/executor.messages.ts'
import { abortedOutcome, outcomeOf, thrownOutcome } from './executors/attemptOutcome.ts'
import type { Executor, ExecutorContext } from './executors/executor.ts'
import { progressOf } from './executors/progress.ts'
import { onAbort } from './onAbort.ts'

export interface ExecutorBehaviourOptions {
  readonly executor: Executor
  /** Now, in ms since the epoch, by the run's clock. */
  readonly now: () => number
  /** The run's signal: when it fires, so does the signal of every attempt. */
  readonly signal: AbortSignal
}

interface LiveAttempt {
  readonly work: StepExecute
  readonly controller: AbortController
  isSettled: boolean
}

/** Makes the behaviour of the executors of one role: each actor that runs it carries out one attempt at a time. */
export function createExecutorBehaviour(options: ExecutorBehaviourOptions): ExecutorBehaviour {
  return (mailbox) => {
    const { signal } = options
    let live: LiveAttempt | undefined

    function stop(because: string): void {
      if (live?.isSettled === false)
        live.controller.abort(new PlanloomError('ABORTED', because, { where: { stepId: live.work.stepId } }))
    }
    function stopWithRun(): void {
      stop('The run was stopped.')
    }

    const unfollow = onAbort(signal, stopWithRun)
    mailbox.receive((message) => {
      if (message.type === 'step.execute') {
        live = { work: message, controller: new AbortController(), isSettled: false }
        if (signal.aborted) stopWithRun()
        void carryOut(live, mailbox, options)
      } else if (live !== undefined && isAbout(message, live.work)) stop(message.because)
    })
    return () => {
      unfollow()
      stop('The executor was stopped.')
      live = undefined
    }
  }
}

async function carryOut(
  live: LiveAttempt,
  mailbox: Mailbox<StepExecute | StepAbort, AttemptSettled>,
  options: ExecutorBehaviourOptions,
): Promise<void> {
  const outcome = await attempt(live, mailbox, options)
  live.isSettled = true
  mailbox.reply({ type: 'attempt.settled', executorId: mailbox.id, outcome })
}

/** Never rejects. */
async function attempt(
  live: LiveAttempt,
  mailbox: Mailbox<StepExecute | StepAbort, AttemptSettled>,
  { executor, now }: ExecutorBehaviourOptions,
): Promise<AttemptOutcome> {
  const { work, controller } = live
  const { signal } = controller
  if (signal.aborted) return abortedOutcome(work, signal)
  try {
    const result: unknown = await executor.execute(work, contextOf(live, mailbox, now))
    return outcomeOf(work, result, executor, signal)
  } catch (error) {
    return thrownOutcome(work, error, executor, signal)
  }
}

function contextOf(
  live: LiveAttempt,
  mailbox: Mailbox<StepExecute | StepAbort, AttemptSettled>,
  now: () => number,
): ExecutorContext {
  const { stepId, attempt } = live.work
  const { signal } = live.controller
  const report = (said: object): void => {
    if (live.isSettled || signal.aborted) return
    mailbox.report({ type: 'step.progressed', stepId, attempt, ...said })
  }
  return {
    signal,
    now,
    progress: (progress) => {
      report(progressOf(progress))
    },
    heartbeat: () => {
      report({ heartbeat: true })
    },
    log: (text) => {
      report({ log: text })
    },
  }
}

function isAbout(abort: StepAbort, work: StepExecute): boolean {
  return abort.stepId === work.stepId && abort.attempt === work.attempt
}
