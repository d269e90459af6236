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

/** Attempts that wait for the same limits: either the first of each run may start, or none at all. */
interface Lane {
  readonly classes: readonly string[]
  readonly holdsPlace: boolean
  /** By run; the run whose turn it is stands first. */
  readonly queues: Map<string, Admission[]>
}

export class Gate {
  readonly #clock: Clock
  readonly #limits: GateLimits
  /** By what they wait for: only lanes in which somebody waits. */
  readonly #lanes = new Map<string, Lane>()
  readonly #inside = new Map<string, Admission>()
  readonly #counts = new Map<string, number>()
  readonly #nextStart = new Map<string, number>()
  /** When each run that has waited had its last turn, counted in turns. */
  readonly #lastTurn = new Map<string, number>()
  #turns = 0
  #places = 0
  #timeout: TimeoutHandle | undefined
  #wakesAt = Infinity

  constructor(clock: Clock, limits: GateLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Starts the attempt now, or when its turn comes. */
  admit(admission: Admission): void {
    if (this.#lanes.size === 0 && this.#mayStart(admission)) {
      this.#start(admission)
      return
    }
    const { runId, classes, holdsPlace } = admission
    const name = laneOf(admission)
    let lane = this.#lanes.get(name)
    if (lane === undefined) {
      lane = { classes, holdsPlace, queues: new Map() }
      this.#lanes.set(name, lane)
    }
    const queue = lane.queues.get(runId)
    if (queue) queue.push(admission)
    else lane.queues.set(runId, [admission])
    this.#startWaiting()
  }

  /** Gives an attempt's place back, or takes it out of the queue. @returns whether it had started. */
  leave(runId: string, key: string): boolean {
    const id = `${runId} ${key}`
    const inside = this.#inside.get(id)
    if (inside) {
      this.#inside.delete(id)
      if (inside.holdsPlace) this.#places -= 1
      for (const name of inside.classes) this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1)
      if (this.#lanes.size > 0) this.#startWaiting()
      return true
    }
    for (const [name, { queues }] of this.#lanes) {
      const queue = queues.get(runId)
      const rest = queue?.filter((admission) => admission.key !== key)
      if (queue === undefined || rest?.length === queue.length) continue
      if (rest?.length) queues.set(runId, rest)
      else this.#emptied(name, runId)
      break
    }
    return false
  }

  /** Takes a run that is over out altogether. @param inside keys of its attempts that have started. */
  forget(runId: string, inside: Iterable<string>): void {
    this.withdraw(runId)
    this.#lastTurn.delete(runId)
    for (const key of inside) this.leave(runId, key)
  }

  /** Takes a run's attempts that wait out of their queues. @returns their keys. */
  withdraw(runId: string): readonly string[] {
    const keys: string[] = []
    for (const [name, { queues }] of [...this.#lanes]) {
      const queue = queues.get(runId)
      if (queue === undefined) continue
      for (const { key } of queue) keys.push(key)
      this.#emptied(name, runId)
    }
    return keys
  }

  close(): void {
    this.#lanes.clear()
    this.#inside.clear()
    this.#places = 0
    if (this.#timeout !== undefined) this.#clock.clearTimeout(this.#timeout)
    this.#timeout = undefined
    this.#wakesAt = Infinity
  }

  #mayStart({ classes, holdsPlace }: Pick<Admission, 'classes' | 'holdsPlace'>): boolean {
    if (holdsPlace && this.#places >= this.#limits.total) return false
    for (const name of classes) {
      const limit = this.#limits.concurrency.get(name)
      if (limit !== undefined && (this.#counts.get(name) ?? 0) >= limit) return false
      const at = this.#nextStart.get(name)
      if (at !== undefined && at > this.#clock.now()) {
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

  /** Lets in who waits, as long as somebody may. Costs a look at each lane for each one who gets in, however many runs wait. */
  #startWaiting(): void {
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) this.#start(next)
  }

  /** Takes from its queue whose turn it is: of the runs at the heads of the lanes that may start, the one that has waited longest. */
  #takeNext(): Admission | undefined {
    let best: { readonly name: string; readonly lane: Lane; readonly runId: string; readonly turn: number } | undefined
    for (const [name, lane] of this.#lanes) {
      if (!this.#mayStart(lane)) continue
      const runId = lane.queues.keys().next().value ?? ''
      const turn = this.#lastTurn.get(runId) ?? -1
      if (best === undefined || turn < best.turn) best = { name, lane, runId, turn }
    }
    if (best === undefined) return undefined
    const { name, lane, runId } = best
    const queue = lane.queues.get(runId) ?? []
    const admission = queue.shift()
    lane.queues.delete(runId)
    if (queue.length > 0)
      lane.queues.set(runId, queue) // to the back of the round
    else if (lane.queues.size === 0) this.#lanes.delete(name)
    this.#lastTurn.set(runId, this.#turns++)
    return admission
  }

  /** Takes a run out of a lane, and the lane out with the last one. */
  #emptied(name: string, runId: string): void {
    const lane = this.#lanes.get(name)
    lane?.queues.delete(runId)
    if (lane?.queues.size === 0) this.#lanes.delete(name)
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

function laneOf({ classes, holdsPlace }: Admission): string {
  return `${holdsPlace ? '' : 'placeless '}${classes.join(' ')}`
}
