// Group commit: what all runs of this process have appended within one turn of the event loop is one transaction.
//
// G1. Either all of a group is in the file, or nothing of it, and then everybody who waits for it is told why.
// G2. Nothing is written for a run that this process does not own any more (W1): its writer alone is told.
// G3. While another process writes, the group waits without holding up the event loop, and may grow.
import { inTransaction, type Database } from './driver.ts'
import { isBusy, journalFailure } from './failures.ts'
import type { Durability } from '../journal.ts'

/** What has something to write. */
export interface Pending {
  /** Writes it, within the transaction. @throws where this writer may not write; the others are not touched by it. */
  write(): void
  /** It is in the file. */
  written(durability: Durability): void
}

interface Waiting {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export interface GroupCommitOptions {
  readonly path: string
  /** For how long in all a group waits for other processes, in ms. */
  readonly busyMs: number
  /** The least durability of any commit. */
  readonly atLeast: Durability
}

const firstWaitMs = 2
const longestWaitMs = 50

export class GroupCommit {
  readonly #database: Database
  readonly #options: GroupCommitOptions
  #waiting = new Map<Pending, Waiting>()
  #isScheduled = false
  #durability: Durability
  #setTo: Durability | undefined

  constructor(database: Database, options: GroupCommitOptions) {
    this.#database = database
    this.#options = options
    this.#durability = options.atLeast
  }

  /** Resolves when what `pending` has to write is as durable as asked for. Who asks again before the group is written
   * waits for the same commit. */
  add(pending: Pending, durability: Durability): Promise<void> {
    if (durability === 'power') this.#durability = 'power'
    const waiting = this.#waiting.get(pending) ?? this.#wait(pending)
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(() => {
        this.#commit(firstWaitMs, 0)
      })
    }
    return waiting.promise
  }

  /** Writes what waits at once, for the end of the process. */
  drain(): void {
    if (this.#waiting.size > 0) this.#commit(longestWaitMs, this.#options.busyMs)
  }

  #wait(pending: Pending): Waiting {
    let resolve: () => void = () => undefined
    let reject: (error: unknown) => void = () => undefined
    const promise = new Promise<void>((settle, fail) => {
      resolve = settle
      reject = fail
    })
    const waiting = { promise, resolve, reject }
    this.#waiting.set(pending, waiting)
    return waiting
  }

  #commit(waitMs: number, waitedMs: number): void {
    if (this.#waiting.size === 0) return // drained meanwhile
    const refused = new Map<Pending, unknown>()
    const durability = this.#durability
    try {
      this.#write(refused, durability)
    } catch (error) {
      if (isBusy(error) && waitedMs < this.#options.busyMs) {
        setTimeout(() => {
          this.#commit(Math.min(longestWaitMs, waitMs * 2), waitedMs + waitMs)
        }, waitMs)
        return
      }
      const failure = journalFailure(error, this.#options.path, 'be written')
      for (const { reject } of this.#take().values()) reject(failure)
      return
    }
    for (const [pending, { resolve, reject }] of this.#take()) {
      if (refused.has(pending)) {
        reject(refused.get(pending))
        continue
      }
      pending.written(durability)
      resolve()
    }
  }

  #write(refused: Map<Pending, unknown>, durability: Durability): void {
    this.#setDurability(durability)
    inTransaction(this.#database, () => {
      for (const pending of this.#waiting.keys()) {
        try {
          pending.write()
        } catch (error) {
          if (!isRefusal(error)) throw error
          refused.set(pending, error)
        }
      }
    })
  }

  #take(): Map<Pending, Waiting> {
    const waiting = this.#waiting
    this.#waiting = new Map()
    this.#isScheduled = false
    this.#durability = this.#options.atLeast
    return waiting
  }

  /** `synchronous`: FULL waits for the disk at each commit, NORMAL only where the log is folded into the file. */
  #setDurability(durability: Durability): void {
    if (this.#setTo === durability) return
    this.#database.exec(`PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`)
    this.#setTo = durability
  }
}

/** A refusal of one writer, known before it has written anything; all else is a fault of the file. */
function isRefusal(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'RUN_TAKEN_OVER'
}
