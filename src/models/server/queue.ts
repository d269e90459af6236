// The queue in front of one server: who may begin an attempt, and when.
//
// Q1. Never more is out, or begins within a minute, than the limits say; while the server puts calls off, nothing begins.
// Q2. Calls begin in the order in which they came. One that tries again keeps its turn; while it backs off, others may pass.
// Q3. Nothing waits longer than Q1, Q2 and its own backoff ask for.
// Q4. A wait ends at once when its signal fires, when the server is found to be down, or when it is put off for longer than it waits.
import { CircuitBreaker, type Try } from './circuitBreaker.ts'
import type { ServerClock } from './serverClock.ts'
import { limitedServer, restingServer } from './serverErrors.ts'
import { defaultServerLimits, stricter, type ServerLimits } from './serverLimits.ts'
import { SlidingWindow, type Share } from './slidingWindow.ts'

/** A call, over all its attempts. */
export interface Caller {
  /** Its turn: smaller came first (Q2). */
  readonly turn: number
  readonly tokens: number
  readonly signal: AbortSignal
  readonly maxWaitMs: number
  attempts: number
  /** When the server has put it off for the first time. */
  putOffAt: number | undefined
  /** Waited since then, in the queue. */
  waitedMs: number
}

/** The right to one attempt. */
export interface Place {
  /** To be called once, when the attempt is over. @param tokens what it used, where that is known */
  leave(sign: 'well' | 'failed' | 'unknown', tokens: number | undefined, cause?: unknown): void
}

interface Waiting {
  readonly caller: Caller
  readonly since: number
  readonly notBefore: number
  readonly admit: (place: Place) => void
  readonly refuse: (error: Error) => void
}

export class Queue {
  readonly #server: string
  readonly #clock: ServerClock
  /** In order of their turns. */
  readonly #waiting: Waiting[] = []
  readonly #requests = new SlidingWindow()
  readonly #tokens = new SlidingWindow()
  readonly #breaker = new CircuitBreaker(defaultServerLimits)
  #limits: ServerLimits = {}
  #inside = 0
  #turns = 0
  #putOffUntil = -Infinity
  #lastTrouble: unknown
  #wake: AbortController | undefined
  #wakesAt = Infinity

  constructor(server: string, clock: ServerClock) {
    this.#server = server
    this.#clock = clock
  }

  /** From now on no more than this, either. */
  limit(limits: ServerLimits): void {
    this.#limits = stricter(this.#limits, limits)
    this.#requests.lower(this.#limits.requestsPerMinute ?? Infinity)
    this.#tokens.lower(this.#limits.tokensPerMinute ?? Infinity)
    this.#breaker.set({ ...defaultServerLimits, ...this.#limits })
  }

  nextTurn(): number {
    return this.#turns++
  }

  /** Waits until the call may begin an attempt. @throws what the signal fired with, `MODEL_UNAVAILABLE`, `MODEL_RATE_LIMITED` */
  enter(caller: Caller, backoffMs = 0): Promise<Place> {
    return new Promise((admit, reject) => {
      const { signal } = caller
      if (signal.aborted) {
        reject(signal.reason as Error)
        return
      }
      const stop = (): void => this.#remove(waiting, signal.reason as Error)
      const now = this.#clock.now()
      const waiting: Waiting = {
        caller,
        since: now,
        notBefore: now + backoffMs,
        admit: (place) => {
          signal.removeEventListener('abort', stop)
          admit(place)
        },
        refuse: (error) => {
          signal.removeEventListener('abort', stop)
          reject(error)
        },
      }
      signal.addEventListener('abort', stop, { once: true })
      this.#insert(waiting)
      this.#refusePutOff([waiting])
      this.#admitWaiting()
    })
  }

  /** Nobody begins anything before then. */
  putOff(until: number, cause: unknown): void {
    this.#lastTrouble = cause
    if (until <= this.#putOffUntil) return
    this.#putOffUntil = until
    this.#refusePutOff([...this.#waiting])
  }

  #admitWaiting(): void {
    const now = this.#clock.now()
    const closure = this.#breaker.closure(now)
    if (closure !== undefined) {
      for (const waiting of this.#waiting.splice(0))
        waiting.refuse(restingServer(this.#server, closure, this.#lastTrouble))
    }
    for (let next = this.#takeNext(now); next !== undefined; next = this.#takeNext(now)) this.#admit(next, now)
  }

  /** Takes out who may begin now; where that is nobody, sees to it that it is looked at again when somebody may. */
  #takeNext(now: number): Waiting | undefined {
    let wakeAt = Infinity
    for (const [index, waiting] of this.#waiting.entries()) {
      if (waiting.notBefore > now) {
        wakeAt = Math.min(wakeAt, waiting.notBefore)
        continue
      }
      if (!this.#breaker.mayBegin || this.#inside >= (this.#limits.concurrency ?? defaultServerLimits.concurrency))
        break
      const { tokens } = waiting.caller
      const freeAt = Math.max(this.#putOffUntil, this.#requests.freeAt(1, now), this.#tokens.freeAt(tokens, now))
      if (freeAt > now) {
        wakeAt = Math.min(wakeAt, freeAt)
        break // Q2
      }
      this.#waiting.splice(index, 1)
      return waiting
    }
    this.#wakeAt(wakeAt, now)
    return undefined
  }

  #admit({ caller, since, admit }: Waiting, now: number): void {
    if (caller.putOffAt !== undefined) caller.waitedMs += now - Math.max(since, caller.putOffAt)
    caller.attempts += 1
    this.#inside += 1
    this.#requests.take(1, now)
    const share = this.#tokens.take(caller.tokens, now)
    const attempt = this.#breaker.begin()
    admit({ leave: (sign, tokens, cause) => this.#leave(attempt, share, sign, tokens, cause) })
  }

  #leave(
    attempt: Try,
    share: Share,
    sign: 'well' | 'failed' | 'unknown',
    tokens: number | undefined,
    cause: unknown,
  ): void {
    this.#inside -= 1
    if (tokens !== undefined) share.correct(tokens)
    if (sign === 'failed') this.#lastTrouble = cause
    this.#breaker.end(attempt, sign, this.#clock.now())
    this.#admitWaiting()
  }

  /** Those that would have to wait longer than they do go at once (Q4). */
  #refusePutOff(those: readonly Waiting[]): void {
    const now = this.#clock.now()
    const until = this.#putOffUntil
    if (until <= now) return
    for (const waiting of those) {
      const { caller, since } = waiting
      caller.putOffAt ??= now
      const waitsMs = caller.waitedMs + until - Math.max(since, caller.putOffAt)
      if (waitsMs > caller.maxWaitMs)
        this.#remove(waiting, limitedServer(this.#server, caller.attempts, until, this.#lastTrouble))
    }
  }

  #insert(waiting: Waiting): void {
    const after = this.#waiting.findLastIndex(({ caller }) => caller.turn < waiting.caller.turn)
    this.#waiting.splice(after + 1, 0, waiting)
  }

  #remove(waiting: Waiting, error: Error): void {
    const index = this.#waiting.indexOf(waiting)
    if (index === -1) return
    this.#waiting.splice(index, 1)
    waiting.refuse(error)
    this.#admitWaiting() // it may have been what the others waited for
  }

  #wakeAt(at: number, now: number): void {
    if (at === this.#wakesAt) return
    this.#wake?.abort()
    this.#wake = undefined
    this.#wakesAt = at
    if (at === Infinity) return
    const wake = new AbortController()
    this.#wake = wake
    this.#clock.wait(at - now, wake.signal).then(
      () => {
        this.#wakesAt = Infinity
        this.#wake = undefined
        this.#admitWaiting()
      },
      () => undefined, // another wake has taken its place
    )
  }
}
