// One queue for all timers of a run, on one timeout of the clock: a pending timer costs nothing but its place in a heap.
//
// T1. A timer fires once, at or after its time, in order of time; equal times in the order in which they were set.
// T2. Setting a key again replaces its timer; clearing it means that it will not fire.
import type { Clock, TimeoutHandle } from './clock.ts'

interface Timer {
  readonly key: string
  readonly at: number
  readonly order: number
  readonly fire: () => void
}

/** Longest that Node's own timeouts can wait, in ms. */
const longestTimeoutMs = 2 ** 31 - 1

export class TimerQueue {
  readonly #clock: Clock
  readonly #heap: Timer[] = []
  readonly #live = new Map<string, Timer>()
  #handle: TimeoutHandle | undefined
  #wakesAt = Infinity
  #orders = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param at ms since the epoch; a time that has passed fires as soon as the clock gets to it. */
  set(key: string, at: number, fire: () => void): void {
    const timer: Timer = { key, at, order: this.#orders++, fire }
    this.#live.set(key, timer)
    this.#push(timer)
    if (at < this.#wakesAt) this.#wake(at)
  }

  clear(key: string): void {
    if (!this.#live.delete(key)) return
    if (this.#live.size === 0) this.close()
    else if (this.#heap.length > 64 && this.#heap.length > 4 * this.#live.size) this.#compact()
  }

  /** Forgets every timer and lets go of the clock. */
  close(): void {
    this.#live.clear()
    this.#heap.length = 0
    if (this.#handle !== undefined) this.#clock.clearTimeout(this.#handle)
    this.#handle = undefined
    this.#wakesAt = Infinity
  }

  #wake(at: number): void {
    if (this.#handle !== undefined) this.#clock.clearTimeout(this.#handle)
    this.#wakesAt = at
    const waitMs = Math.min(longestTimeoutMs, Math.max(0, at - this.#clock.now()))
    this.#handle = this.#clock.setTimeout(() => {
      this.#handle = undefined
      this.#wakesAt = Infinity
      this.#fireDue()
    }, waitMs)
  }

  #fireDue(): void {
    const now = this.#clock.now()
    for (let first = this.#first(); first !== undefined && first.at <= now; first = this.#first()) {
      this.#pop()
      this.#live.delete(first.key)
      first.fire()
    }
    const next = this.#first()
    if (next !== undefined && next.at < this.#wakesAt) this.#wake(next.at)
  }

  /** The next timer that was neither cleared nor replaced. */
  #first(): Timer | undefined {
    let first = this.#heap[0]
    while (first !== undefined && this.#live.get(first.key) !== first) {
      this.#pop()
      first = this.#heap[0]
    }
    return first
  }

  #compact(): void {
    const live = this.#heap.filter((timer) => this.#live.get(timer.key) === timer)
    this.#heap.length = 0
    for (const timer of live) this.#push(timer)
  }

  #push(timer: Timer): void {
    const heap = this.#heap
    let index = heap.push(timer) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent]
      if (above === undefined || !isBefore(timer, above)) break
      heap[index] = above
      index = parent
    }
    heap[index] = timer
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      let below = heap[child]
      const right = heap[child + 1]
      if (right !== undefined && below !== undefined && isBefore(right, below)) {
        child += 1
        below = right
      }
      if (below === undefined || !isBefore(below, last)) break
      heap[index] = below
      index = child
    }
    heap[index] = last
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
