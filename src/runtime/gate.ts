// The gate of a runtime: limits that all its runs share, and turns among runs that wait.
//
// G1. Never more attempts are out than the runtime, an executor role or a tool allows, over all runs together.
// G2. Starts of a role or tool with a rate keep at least the rate's distance from each other.
// G3. Runs that wait take turns, one attempt each; within a run, attempts go in the order in which they came.
// G4. A sub-run holds no place of the total: its own steps need those, and would wait for ever for a parent that waits for them.
// G5. An attempt gives its place back when it is over for its run, even if its tool goes on and ignores the signal.
import type { Clock, TimeoutHandle } from './clock.ts'

export interface GateLimits {
  readonly total: number
  readonly concurrency: ReadonlyMap<string, number>
  readonly ratePerSecond: ReadonlyMap<string, number>
}

/** What an attempt counts against: `role:tool`, `tool:http_fetch`. */
export interface Admission {
  readonly runId: string
  readonly key: string
  readonly classes: readonly string[]
  /** It counts against the total. */
  readonly holdsPlace: boolean
  readonly start: () => void
}

export class Gate {
  readonly #clock: Clock
  readonly #limits: GateLimits
  readonly #waiting = new Map<string, Admission[]>()
  readonly #inside = new Map<string, Admission>()
  readonly #counts = new Map<string, number>()
  readonly #nextStart = new Map<string, number>()
  #places = 0
  /** Some admission without a place has had to wait: only then is it worth looking through the queues of a full gate. */
  #somePlaceless = false
  #timeout: TimeoutHandle | undefined
  #wakesAt = Infinity

  constructor(clock: Clock, limits: GateLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Starts the attempt now, or when its turn comes. */
  admit(admission: Admission): void {
    if (this.#waiting.size === 0 && this.#mayStart(admission)) {
      this.#start(admission)
      return
    }
    if (!admission.holdsPlace) this.#somePlaceless = true
    const queue = this.#waiting.get(admission.runId)
    if (queue) queue.push(admission)
    else this.#waiting.set(admission.runId, [admission])
    this.#startWaiting()
  }

  /** Gives an attempt's place back, or takes it out of the queue. @returns whether it had started. */
  leave(runId: string, key: string): boolean {
    const inside = this.#inside.get(`${runId} ${key}`)
    if (inside) {
      this.#inside.delete(`${runId} ${key}`)
      if (inside.holdsPlace) this.#places -= 1
      for (const name of inside.classes) this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1)
      if (this.#waiting.size > 0) this.#startWaiting()
      return true
    }
    const queue = this.#waiting.get(runId)
    const rest = queue?.filter((admission) => admission.key !== key)
    if (rest?.length) this.#waiting.set(runId, rest)
    else this.#waiting.delete(runId)
    return false
  }

  /** Takes a run that is over out altogether. */
  forget(runId: string): void {
    this.#waiting.delete(runId)
    for (const admission of [...this.#inside.values()]) if (admission.runId === runId) this.leave(runId, admission.key)
  }

  close(): void {
    this.#waiting.clear()
    this.#inside.clear()
    this.#places = 0
    if (this.#timeout !== undefined) this.#clock.clearTimeout(this.#timeout)
    this.#timeout = undefined
    this.#wakesAt = Infinity
  }

  #mayStart({ classes, holdsPlace }: Admission): boolean {
    if (holdsPlace && this.#places >= this.#limits.total) return false
    const now = this.#clock.now()
    for (const name of classes) {
      const limit = this.#limits.concurrency.get(name)
      if (limit !== undefined && (this.#counts.get(name) ?? 0) >= limit) return false
      const at = this.#nextStart.get(name)
      if (at !== undefined && at > now) {
        this.#wake(at)
        return false
      }
    }
    return true
  }

  #start(admission: Admission): void {
    this.#inside.set(`${admission.runId} ${admission.key}`, admission)
    if (admission.holdsPlace) this.#places += 1
    for (const name of admission.classes) {
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
      const rate = this.#limits.ratePerSecond.get(name)
      if (rate !== undefined) this.#nextStart.set(name, this.#clock.now() + 1000 / rate)
    }
    admission.start()
  }

  /** Goes round the runs that wait, as long as somebody gets in. */
  #startWaiting(): void {
    let someoneStarted = true
    while (someoneStarted) {
      someoneStarted = false
      for (const [runId, queue] of [...this.#waiting]) {
        if (this.#places >= this.#limits.total && !this.#somePlaceless) return
        const index = queue.findIndex((admission) => this.#mayStart(admission))
        const admission = queue[index]
        if (admission === undefined) continue
        queue.splice(index, 1)
        // To the back of the round.
        this.#waiting.delete(runId)
        if (queue.length > 0) this.#waiting.set(runId, queue)
        someoneStarted = true
        this.#start(admission)
      }
    }
  }

  #wake(at: number): void {
    if (at >= this.#wakesAt) return
    if (this.#timeout !== undefined) this.#clock.clearTimeout(this.#timeout)
    this.#wakesAt = at
    this.#timeout = this.#clock.setTimeout(
      () => {
        this.#timeout = undefined
        this.#wakesAt = Infinity
        this.#startWaiting()
      },
      Math.max(0, at - this.#clock.now()),
    )
  }
}
