// Commands that wait until the events which caused them are durable.
//
// O1. A command is delivered when a flush has ended that began after its event was appended; in the order in which they came.
// O2. Once closed, it delivers nothing any more.
import type { RunJournal } from '../journal/journal.ts'
import type { CoordinatorCommand } from '../machines/coordinator.messages.ts'

export interface OutboxOptions {
  readonly journal: Pick<RunJournal, 'flush'>
  readonly deliver: (command: CoordinatorCommand) => void
  /** Told when a flush that took time has ended, to call `flushed()` when it is its turn. */
  readonly onFlushed: () => void
  readonly onFailed: (error: unknown) => void
}

export class Outbox {
  readonly #options: OutboxOptions
  #waiting: CoordinatorCommand[] = []
  /** Those whose events the flush that is going on makes durable. */
  #flushing: readonly CoordinatorCommand[] | undefined
  #isClosed = false

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  add(commands: readonly CoordinatorCommand[]): void {
    this.#waiting.push(...commands)
    this.#flush()
  }

  /** What waited for the flush that has ended goes out; what has been said meanwhile waits for the next one. */
  flushed(): void {
    const commands = this.#flushing ?? []
    this.#flushing = undefined
    this.#deliver(commands)
    this.#flush()
  }

  close(): void {
    this.#isClosed = true
    this.#waiting = []
    this.#flushing = undefined
  }

  #flush(): void {
    // Where a flush takes no time, what a command causes at once is delivered here as well.
    while (this.#waiting.length > 0 && this.#flushing === undefined && !this.#isClosed) {
      const commands = this.#waiting
      this.#waiting = []
      const flushed = this.#startFlush()
      if (flushed === undefined) this.#deliver(commands)
      else {
        this.#flushing = commands
        flushed.then(this.#options.onFlushed, this.#options.onFailed)
      }
    }
  }

  #startFlush(): Promise<void> | undefined {
    try {
      return this.#options.journal.flush() ?? undefined
    } catch (error) {
      this.close()
      this.#options.onFailed(error)
      return undefined
    }
  }

  #deliver(commands: readonly CoordinatorCommand[]): void {
    for (const command of commands) if (!this.#isClosed) this.#options.deliver(command)
  }
}
