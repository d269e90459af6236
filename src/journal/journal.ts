// The record of runs: append-only, ordered events that a coordinator took in.
//
// J1. An event is appended, and `flush` has answered, before any command that it causes goes out.
// J2. Sequence numbers begin at 0 (`run.started`) and have no gaps.
// J3. What was appended is never changed.
import type { CoordinatorMessage, RunStarted } from '../machines/coordinator.messages.ts'

/** Version of the event format; written at the head of every export. */
export const journalVersion = 1

export type JournalEvent = (RunStarted | CoordinatorMessage) & { readonly seq: number }

/** One run's record, held open for writing by one owner. */
export interface RunJournal {
  readonly runId: string
  /** Number that the next event will get. */
  readonly next: number
  append(event: JournalEvent): void
  /** Makes durable what was appended. Gives a promise only where that takes time. */
  flush(): void | Promise<void>
  close(): void | Promise<void>
}

export interface RunSummary {
  readonly runId: string
  readonly goal: string
  readonly startedAt: number
  readonly events: number
}

export interface Journal {
  /** @throws `RUN_EXISTS` when there is a record of this run already. */
  create(runId: string): RunJournal
  /** Opens an existing record to go on with it. @throws `RUN_UNKNOWN` */
  open(runId: string): RunJournal
  /** Events in order, from `from` (0 by default). @throws `RUN_UNKNOWN` */
  read(runId: string, from?: number): Iterable<JournalEvent> | AsyncIterable<JournalEvent>
  runs(): Iterable<RunSummary> | AsyncIterable<RunSummary>
  close(): void | Promise<void>
}
