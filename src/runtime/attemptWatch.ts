// Watches over attempts that are out: their time limits, and how long they may be silent.
//
// W1. A watch ends when its attempt does, and is said once.
import type { StepExecute } from '../machines/command.messages.ts'
import type { Draft, StepTimedOut } from '../machines/coordinator.messages.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import type { Clock } from './clock.ts'
import type { TimerQueue } from './timerQueue.ts'

type Watched = Pick<StepExecute, 'stepId' | 'attempt' | 'timeoutMs' | 'heartbeatMs'>

export class AttemptWatch {
  readonly #clock: Clock
  readonly #timers: TimerQueue
  readonly #tell: (message: Draft<StepTimedOut>) => void
  /** Attempts that must give a sign of life now and then. */
  readonly #hearts = new Map<string, { readonly work: Watched; readonly heartbeatMs: number }>()
  /** Attempts of which no sign of life is wanted. */
  readonly #resting = new Set<string>()

  constructor(clock: Clock, timers: TimerQueue, tell: (message: Draft<StepTimedOut>) => void) {
    this.#clock = clock
    this.#timers = timers
    this.#tell = tell
  }

  begin(work: Watched): void {
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
    if (heart && !this.#resting.has(key)) this.#listen(heart.work, heart.heartbeatMs)
  }

  /** The attempt waits for somebody, and may be silent. */
  rest(key: string): void {
    if (!this.#hearts.has(key)) return
    this.#resting.add(key)
    this.#timers.clear(`heart ${key}`)
  }

  /** It has what it waited for. */
  wake(key: string): void {
    if (this.#resting.delete(key)) this.hear(key)
  }

  end(key: string): void {
    this.#timers.clear(`limit ${key}`)
    this.#resting.delete(key)
    if (this.#hearts.delete(key)) this.#timers.clear(`heart ${key}`)
  }

  #listen(work: Watched, heartbeatMs: number): void {
    const key = attemptKey(work)
    this.#hearts.set(key, { work, heartbeatMs })
    this.#set(work, `heart ${key}`, heartbeatMs, 'STEP_SILENT', `gave no sign of life for ${String(heartbeatMs)} ms`)
  }

  #set(work: Watched, key: string, afterMs: number, code: string, what: string): void {
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
