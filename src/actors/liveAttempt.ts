// The attempt that an executor has in hand, and its signal. It keeps no input, which may be large.
//
// The signal is made when somebody first asks for it: it costs more than all else about a step that is over at once.
import type { PlanloomError } from '../errors.ts'

/** Whether an attempt was stopped, and why: what an `AbortSignal` says of itself. */
export type Stop = Pick<AbortSignal, 'aborted' | 'reason'>

export class LiveAttempt implements Stop {
  readonly stepId: string
  readonly attempt: number
  isSettled = false
  reason: PlanloomError | undefined
  #controller: AbortController | undefined

  constructor(stepId: string, attempt: number) {
    this.stepId = stepId
    this.attempt = attempt
  }

  get aborted(): boolean {
    return this.reason !== undefined
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.reason !== undefined) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  /** Has the signal fire; the first reason stays. */
  abort(reason: PlanloomError): void {
    if (this.reason !== undefined) return
    this.reason = reason
    this.#controller?.abort(reason)
  }
}
