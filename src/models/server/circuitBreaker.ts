// Whether a server is worth calling.
//
// C1. After so many failures in a row nobody calls it for a while (open). Then one attempt tries (trying): where the server
//     answers, all may call again (closed), where it fails nobody does for another while.
// C2. Attempts that were out together fail as one: a hiccup that takes many with it is one failure, not many in a row.
// C3. An attempt that began before the breaker opened and fails after it changes nothing.
// C4. An attempt that says nothing of the server (the caller gave it up) counts neither way; the next one tries.

export interface BreakerSettings {
  readonly failuresInARow: number
  readonly restMs: number
}

/** Nobody calls it. Times in ms since the epoch. */
export interface Closure {
  /** Of the first failure in the row. */
  readonly since: number
  /** When one attempt tries again. */
  readonly retryAt: number
  readonly failures: number
}

/** What is known of the breaker when an attempt begins; to be handed back when it ends. */
export interface Try {
  readonly round: number
  readonly isTrial: boolean
}

export class CircuitBreaker {
  #settings: BreakerSettings
  #failures = 0
  #since = 0
  /** Grows with each failure that counts. */
  #round = 0
  #retryAt: number | undefined
  #isTrialOut = false

  constructor(settings: BreakerSettings) {
    this.#settings = settings
  }

  set(settings: BreakerSettings): void {
    this.#settings = settings
  }

  /** Why nobody calls; `undefined` where somebody may, if only one that tries. */
  closure(now: number): Closure | undefined {
    if (this.#retryAt === undefined || now >= this.#retryAt) return undefined
    return { since: this.#since, retryAt: this.#retryAt, failures: this.#failures }
  }

  /** Whether an attempt may begin, where there is no closure: while one tries, the others wait for what comes of it. */
  get mayBegin(): boolean {
    return this.#retryAt === undefined || !this.#isTrialOut
  }

  begin(): Try {
    const isTrial = this.#retryAt !== undefined
    if (isTrial) this.#isTrialOut = true
    return { round: this.#round, isTrial }
  }

  end({ round, isTrial }: Try, sign: 'well' | 'failed' | 'unknown', now: number): void {
    if (isTrial) this.#isTrialOut = false
    if (sign === 'unknown') return // C4
    if (sign === 'well') {
      this.#failures = 0
      this.#retryAt = undefined
      return
    }
    if (round !== this.#round) return // C2, C3
    this.#round += 1
    this.#failures += 1
    if (this.#failures === 1) this.#since = now
    const isTrying = this.#retryAt !== undefined
    if (isTrying || this.#failures >= this.#settings.failuresInARow) this.#retryAt = now + this.#settings.restMs // C1
  }
}
