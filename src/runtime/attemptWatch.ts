// Watches over attempts that are out: their time limits, and how long they may be silent.
//
// W1. A watch ends when its attempt does, and is said once.
import type { StepExecute } from '../machines/command.messages.ts'
import type { Draft, StepTimedOut } from '../machines/coordinator.messages.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import type { Clock } from './clock.ts'
import type { TimerQueue } from './timerQueue.ts'

export class AttemptWatch {
  readonly #clock: Clock
  readonly #timers: TimerQueue
  readonly #tell: (message: Draft<StepTimedOut>) => void
  /** Attempts that must give a sign of life now and then. */
  readonly #hearts = new Map<string, { readonly work: StepExecute; readonly heartbeatMs: number }>()

  constructor(clock: Clock, timers: TimerQueue, tell: (message: Draft<StepTimedOut>) => void) {
    this.#clock = clock
    this.#timers = timers
    this.#tell = tell
  }

  begin(work: StepExecute): void {
    const { timeoutMs, heartbeatMs } = work
    if (timeoutMs !== undefined) {
      this.#set(
        work,
        `limit ${attemptKey(work)}`,
        timeoutMs,
        'STEP_TIMEOUT',
        `took longer than its ${String(timeoutMs)} ms`,
      )
    }
    if (heartbeatMs !== undefined) this.#listen(work, heartbeatMs)
  }

  /** The attempt has given a sign of life. */
  hear(key: string): void {
    const heart = this.#hearts.get(key)
    if (heart) this.#listen(heart.work, heart.heartbeatMs)
  }

  end(key: string): void {
    this.#timers.clear(`limit ${key}`)
    if (this.#hearts.delete(key)) this.#timers.clear(`heart ${key}`)
  }

  #listen(work: StepExecute, heartbeatMs: number): void {
    const key = attemptKey(work)
    this.#hearts.set(key, { work, heartbeatMs })
    this.#set(work, `heart ${key}`, heartbeatMs, 'STEP_SILENT', `gave no sign of life for ${String(heartbeatMs)} ms`)
  }

  #set(work: StepExecute, key: string, afterMs: number, code: string, what: string): void {
    this.#timers.set(key, this.#clock.now() + afterMs, () => {
      const { stepId, attempt } = work
      const hint = 'Raise timeoutMs (or heartbeatMs) of the step or tool, or look at what it waits for.'
      this.#tell({
        type: 'step.timedOut',
        stepId,
        attempt,
        failure: { code, message: `Step "${stepId}" ${what}.`, hint, retryable: true },
      })
    })
  }
}
