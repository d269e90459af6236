// What one client follows of one run: a number that says how far it has come, and nothing else.
//
// S1. What is sent has no gap and no double: entries follow the number of the last one, or a snapshot says where they begin.
// S2. Nothing is kept for a client that is slow: it is caught up from the feed when it can take more.
import type { RunFeed } from '../feed/runFeed.ts'

/** Entries in one frame at most. */
const mostEntries = 2_000

export interface RunSubscriptionOptions {
  readonly id: number
  readonly feed: RunFeed
  /** The first number that is wanted; a snapshot comes first where there is none. */
  readonly from: number | undefined
  /** Types of events that are wanted; all where absent. */
  readonly types?: ReadonlySet<string>
}

export class RunSubscription {
  readonly #options: RunSubscriptionOptions
  #next: number | undefined
  #hasEnded = false

  constructor(options: RunSubscriptionOptions) {
    this.#options = options
    this.#next = options.from
  }

  /** The next frame to send, as JSON; `undefined` where there is nothing new. */
  frame(): string | undefined {
    const { id, feed } = this.#options
    if (this.#next === undefined || this.#next > feed.next) return this.#snapshot()
    if (this.#next < feed.next) return this.#entries(this.#next)
    if (!feed.isOver || this.#hasEnded) return undefined
    this.#hasEnded = true
    return JSON.stringify({ type: 'ended', id })
  }

  #snapshot(): string {
    const { id, feed } = this.#options
    this.#next = feed.next
    return JSON.stringify({ type: 'snapshot', id, next: feed.next, data: { run: feed.snapshot() } })
  }

  #entries(from: number): string {
    const { id, feed, types } = this.#options
    const read = feed.read(from, mostEntries)
    this.#next = from + read.length
    const texts = read.flatMap(({ type, text }) => (types === undefined || types.has(type) ? [text] : []))
    const head = JSON.stringify({ type: 'entries', id, from, to: this.#next })
    return `${head.slice(0, -1)},"entries":[${texts.join(',')}]}` // entries are written once, for all clients
  }
}
