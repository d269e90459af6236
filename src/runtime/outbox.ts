// Commands that wait until the events which caused them are durable.
//
// O1. A command is delivered when a flush has ended that began after its event was appended; in the order in which they came.
//     An event that causes none is made durable all the same.
// O2. Once closed, it delivers nothing any more. Once held, neither; but events are still made durable.
import type { Durability, RunJournal } from '../journal/journal.ts'
import type { CoordinatorCommand } from '../machines/command.messages.ts'

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
  /** What has been appended since the last flush began has to be so durable. */
  #wanted: Durability | undefined
  /** Those whose events the flush that is going on makes durable. */
  #flushing: readonly CoordinatorCommand[] | undefined
  #isClosed = false
  #isHeld = false

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  add(commands: readonly CoordinatorCommand[], durability: Durability): void {
    if (!this.#isHeld) for (const command of commands) this.#waiting.push(command)
    if (this.#wanted !== 'power') this.#wanted = durability
    this.#flush()
  }

  /** What waited for the flush that has ended goes out; what has been said meanwhile waits for the next one. */
  flushed(): void {
    const commands = this.#flushing ?? []
    this.#flushing = undefined
    this.#deliver(commands)
    this.#flush()
  }

  /** From now on nothing goes out. @returns what has not gone out, and will not. */
  hold(): readonly CoordinatorCommand[] {
    const unsent = [...(this.#flushing ?? []), ...this.#waiting]
    this.#isHeld = true
    this.#waiting = []
    if (this.#flushing !== undefined) this.#flushing = []
    return unsent
  }

  close(): void {
    this.#isClosed = true
    this.#waiting = []
    this.#flushing = undefined
  }

  #flush(): void {
    // Where a flush takes no time, what a command causes at once is delivered here as well.
    while (this.#wanted !== undefined && this.#flushing === undefined && !this.#isClosed) {
      const commands = this.#waiting
      const durability = this.#wanted
      this.#waiting = []
      this.#wanted = undefined
      const flushed = this.#startFlush(durability)
      if (flushed === undefined) this.#deliver(commands)
      else {
        this.#flushing = commands
        flushed.then(this.#options.onFlushed, this.#options.onFailed)
      }
    }
  }

  #startFlush(durability: Durability): Promise<void> | undefined {
    try {
      return this.#options.journal.flush(durability) ?? undefined
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
