// A journal that never answers holds up nobody for longer than it may: neither its run, nor the end of the runtime.
//
// B1. What takes longer than the limit has failed (`JOURNAL_STALLED`), with a warning that names the run.
// B2. No timer outlives what it waits for.
import { PlanloomError } from '../errors.ts'
import type { Durability, JournalEvent, RunJournal, RunProgress, RunSnapshot } from '../journal/journal.ts'
import type { RequestRefusal, RunRequest } from '../journal/requests.ts'
import type { Clock } from './clock.ts'

export interface JournalLimit {
  readonly clock: Clock
  /** Longest that it may take to make durable what was appended, or to close. */
  readonly journalMs: number
}

/** The journal of a run within the limit. */
export class BoundedRunJournal implements RunJournal {
  readonly #journal: RunJournal
  readonly #limit: JournalLimit
  #isStalled = false

  /** Only where the journal keeps any: taking one is not free. */
  readonly keepSnapshot: ((snapshot: RunSnapshot) => void) | undefined

  readonly keepForReuse: RunJournal['keepForReuse']

  constructor(journal: RunJournal, limit: JournalLimit) {
    this.#journal = journal
    this.#limit = limit
    this.keepSnapshot = journal.keepSnapshot?.bind(journal)
    this.keepForReuse = journal.keepForReuse?.bind(journal)
  }

  get runId(): string {
    return this.#journal.runId
  }

  get next(): number {
    return this.#journal.next
  }

  append(event: JournalEvent): void {
    this.#journal.append(event)
  }

  describe(progress: RunProgress): void {
    this.#journal.describe?.(progress)
  }

  flush(durability?: Durability): void | Promise<void> {
    const flushed = this.#journal.flush(durability)
    // Most journals answer at once: those cost no timer.
    return flushed instanceof Object ? this.#bound(flushed, 'was not written') : undefined
  }

  takeRequests(): readonly RunRequest[] {
    return this.#journal.takeRequests?.() ?? []
  }

  onRequest(listener: () => void): void {
    this.#journal.onRequest?.(listener)
  }

  refuse(number: number, refusal: RequestRefusal): void {
    this.#journal.refuse?.(number, refusal)
  }

  close(): void | Promise<void> {
    const closed = this.#journal.close()
    if (!(closed instanceof Object)) return undefined
    if (!this.#isStalled) return this.#bound(closed, 'was not closed')
    closed.then(undefined, () => undefined) // it has been warned of, and is not waited for again
    return undefined
  }

  #bound(answer: Promise<void>, what: string): Promise<void> {
    return withinLimit(answer, this.#limit, () => {
      const error = stalled(`The journal of run "${this.runId}" ${what}`, this.#limit, this.runId)
      if (!this.#isStalled) warnOf(error)
      this.#isStalled = true
      return error
    })
  }
}

/** Closes the journal of a runtime, and warns instead of waiting for longer than the limit. */
export async function closeWithin(close: () => void | Promise<void>, limit: JournalLimit): Promise<void> {
  const closed = close()
  if (!(closed instanceof Object)) return
  try {
    await withinLimit(closed, limit, () => {
      const error = stalled('The journal of the runtime was not closed', limit)
      warnOf(error)
      return error
    })
  } catch (error) {
    if (!isStall(error)) throw error
  }
}

/** It took longer than the limit, and has been warned of. */
export function isStall(error: unknown): boolean {
  return error instanceof PlanloomError && error.code === 'JOURNAL_STALLED'
}

function withinLimit(
  answer: Promise<void>,
  { clock, journalMs }: JournalLimit,
  stall: () => PlanloomError,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeout = clock.setTimeout(() => {
      reject(stall())
    }, journalMs)
    answer.then(
      () => {
        clock.clearTimeout(timeout)
        resolve()
      },
      (error: unknown) => {
        clock.clearTimeout(timeout)
        reject(error instanceof Error ? error : new Error(String(error)))
      },
    )
  })
}

function stalled(what: string, { journalMs }: JournalLimit, runId?: string): PlanloomError {
  return new PlanloomError('JOURNAL_STALLED', `${what} within ${String(journalMs)} ms.`, {
    hint: 'Look at what the journal writes to (a disk or server that does not answer), or raise journalMs.',
    where: runId === undefined ? {} : { runId },
  })
}

function warnOf({ code, message, hint }: PlanloomError): void {
  process.emitWarning(`${message} ${hint ?? ''}`, { code })
}
