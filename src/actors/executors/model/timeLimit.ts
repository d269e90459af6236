// The time that an attempt may take, without that in which it waits for a person.
import { PlanloomError } from '../../../errors.ts'

/** What sets timers: the clock of a runtime. */
export interface Timers {
  setTimeout(callback: () => void, delayMs: number): unknown
  clearTimeout(handle: unknown): void
}

export class TimeLimit {
  readonly #limitMs: number
  readonly #now: () => number
  readonly #timers: Timers | undefined
  readonly #controller = new AbortController()
  #spentMs = 0
  #since: number
  #pauses = 0
  #timer: unknown

  /** Without timers, the limit is only looked at by `check`. */
  constructor(limitMs: number, now: () => number, timers: Timers | undefined) {
    this.#limitMs = limitMs
    this.#now = now
    this.#timers = timers
    this.#since = now()
    this.#set()
  }

  /** Fires when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  check(): void {
    if (this.#pauses === 0 && this.#spentMs + this.#now() - this.#since >= this.#limitMs) this.#end()
  }

  pause(): void {
    if (this.#pauses++ > 0) return
    this.#spentMs += this.#now() - this.#since
    this.stop()
  }

  resume(): void {
    if (--this.#pauses > 0) return
    this.#since = this.#now()
    this.#set()
  }

  stop(): void {
    if (this.#timer !== undefined) this.#timers?.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #set(): void {
    if (this.signal.aborted || this.#limitMs === Infinity) return
    this.#timer = this.#timers?.setTimeout(() => {
      this.#end()
    }, this.#limitMs - this.#spentMs)
  }

  #end(): void {
    this.#controller.abort(
      new PlanloomError('MODEL_TIME_SPENT', `It took longer than its ${String(this.#limitMs)} ms.`),
    )
  }
}
