// A clock that a test turns: time stands still until everything that can happen now has happened, then jumps to the next timer.
//
// V1. Timers fire in order of time; equal times in the order in which they were set, or with a seed in a shuffled one.
// V2. Between two jumps the event loop turns until promises have settled: what a timer causes comes before the next timer.
import type { Clock, TimeoutHandle } from '../../src/runtime/clock.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly fire: () => void
  isCleared: boolean
}

export interface VirtualClockOptions {
  /** @default 0 */
  readonly startAt?: number
  /** Shuffles timers of equal time. */
  readonly seed?: number
}

export class VirtualClock implements Clock {
  #now: number
  #orders = 0
  #pending = 0
  readonly #heap: Timer[] = []
  readonly #nextOrder: () => number

  constructor({ startAt = 0, seed }: VirtualClockOptions = {}) {
    this.#now = startAt
    this.#nextOrder = seed === undefined ? () => this.#orders++ : seededOrder(seed)
  }

  /** Timers that were set and have neither fired nor been cleared. */
  get pending(): number {
    return this.#pending
  }

  now(): number {
    return this.#now
  }

  setTimeout(callback: () => void, delayMs: number): TimeoutHandle {
    const timer: Timer = {
      at: this.#now + Math.max(0, delayMs),
      order: this.#nextOrder(),
      fire: callback,
      isCleared: false,
    }
    this.#pending += 1
    this.#push(timer)
    return timer
  }

  clearTimeout(handle: TimeoutHandle): void {
    const timer = handle as Timer
    if (timer.isCleared) return
    timer.isCleared = true
    this.#pending -= 1
  }

  /** Resolves after `delayMs` of this clock's time; rejects as soon as the signal fires. */
  wait(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.clearTimeout(handle)
        reject(signal?.reason instanceof Error ? signal.reason : new Error('stopped'))
      }
      const handle = this.setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, delayMs)
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  /** Turns the clock until no timer is left. */
  async runUntilIdle(): Promise<void> {
    await this.runUntil(Infinity)
  }

  /** Turns the clock to `time`, firing what is due on the way. */
  async runUntil(time: number): Promise<void> {
    await settlePromises()
    for (let timer = this.#first(); timer !== undefined && timer.at <= time; timer = this.#first()) {
      this.#now = Math.max(this.#now, timer.at)
      // Those of one moment fire together, as they do in a real event loop.
      while (timer?.at !== undefined && timer.at <= this.#now) {
        this.#pop()
        timer.isCleared = true
        this.#pending -= 1
        timer.fire()
        timer = this.#first()
      }
      await settlePromises()
    }
    if (time !== Infinity) this.#now = Math.max(this.#now, time)
  }

  async advance(ms: number): Promise<void> {
    await this.runUntil(this.#now + ms)
  }

  /** Turns the clock until the promise has settled, and no further. @throws when no timer is left and it still has not. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const seen = { isSettled: false }
    const settle = (): void => {
      seen.isSettled = true
    }
    promise.then(settle, settle)
    await settlePromises()
    while (!seen.isSettled) {
      const next = this.#first()
      if (next === undefined)
        throw new Error(`Nothing is left to happen at ${String(this.#now)} ms, and the promise has not settled.`)
      await this.runUntil(next.at)
    }
    return promise
  }

  #first(): Timer | undefined {
    while (this.#heap[0]?.isCleared) this.#pop()
    return this.#heap[0]
  }

  #push(timer: Timer): void {
    const heap = this.#heap
    let index = heap.push(timer) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent]!
      if (!isBefore(timer, above)) break
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
      const right = heap[child + 1]
      if (right !== undefined && isBefore(right, heap[child]!)) child += 1
      const below = heap[child]
      if (below === undefined || !isBefore(below, last)) break
      heap[index] = below
      index = child
    }
    heap[index] = last
  }
}

/** Lets everything happen that needs no time: microtasks, and a few turns of the event loop. */
export async function settlePromises(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

function seededOrder(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
}
