// The entries of one live run, numbered, and how it stands after the latest of them.
//
// N1. Each entry is made once, from its transition, and written once, whoever reads it and however often.
// N2. A run with a long past is taken in bit by bit: it holds up nobody else in the process.
// N3. Whoever reads keeps a number, and asks from it: nothing is kept for a reader, however slow it is.
import { take } from 'rxjs'
import type { Run, Transition } from '../../runtime/index.ts'
import type { RunSnapshot } from '../protocol/runSnapshot.ts'
import { RunView } from '../view/runView.ts'
import { RunEntries } from './runEntry.ts'

/** Transitions that are taken in at a time. */
const slice = 1_000

/** An entry as it is sent. */
export interface WrittenEntry {
  readonly n: number
  readonly type: string
  /** JSON. */
  readonly text: string
}

export class RunFeed {
  readonly run: Run
  readonly #view = new RunView()
  readonly #written: WrittenEntry[] = []
  readonly #listeners = new Set<() => void>()
  #entries: RunEntries | undefined
  #isOver = false
  #stop: () => void = () => undefined

  constructor(run: Run) {
    this.run = run
    this.#follow()
  }

  /** Number that the next entry gets. */
  get next(): number {
    return this.#written.length
  }

  /** No more entries come. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Entries from number `from` on, at most so many. */
  read(from: number, most: number): readonly WrittenEntry[] {
    return this.#written.slice(from, from + most)
  }

  /** How the run stands after all entries so far. Costs as much as the plan is long. */
  snapshot(): RunSnapshot {
    return this.#view.snapshot()
  }

  /** Has `listener` told whenever there is more to read, or the run is over. */
  onMore(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  close(): void {
    this.#isOver = true
    this.#stop()
    this.#listeners.clear()
  }

  /** N2: so many at a time, of the past or as they come. */
  #follow(): void {
    const until = this.next + slice
    const subscription = this.run
      .transitions(this.next)
      .pipe(take(slice))
      .subscribe({
        next: (transition) => {
          this.#take(transition)
        },
        complete: () => {
          if (this.next < until) this.#end()
          else this.#followLater()
        },
      })
    if (!subscription.closed)
      this.#stop = () => {
        subscription.unsubscribe()
      }
  }

  /** Nothing is missed meanwhile: what comes is of the past then. */
  #followLater(): void {
    const immediate = setImmediate(() => {
      this.#follow()
    })
    this.#stop = () => {
      clearImmediate(immediate)
    }
  }

  #take(transition: Transition): void {
    const { event } = transition
    if (event.type === 'run.started') this.#entries = new RunEntries(event)
    const entry = this.#entries?.next(transition)
    if (entry === undefined) return
    this.#view.take(entry)
    this.#written.push({ n: entry.n, type: entry.type, text: JSON.stringify(entry) })
    this.#tell()
  }

  #end(): void {
    this.#isOver = true
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
