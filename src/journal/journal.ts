// The record of runs: append-only, ordered events that a coordinator took in.
//
// J1. An event is appended, and `flush` has answered, before any command that it causes goes out.
// J2. Sequence numbers begin at 0 (`run.started`) and have no gaps.
// J3. What was appended is never changed.
// J4. One writer per run: whoever opens a run keeps others out until it is closed or its owner is dead.
import type { ReusableOutput, ReuseStore } from './reuse.ts'
import type { CoordinatorMessage, RunStarted } from '../machines/coordinator.messages.ts'
import type { BudgetUsed, StepStatus } from '../machines/reports.messages.ts'
import type { Json } from '../plan/json.ts'
import type { RequestRefusal, RunCommand, RunRequest } from './requests.ts'

/** Version of the event format; written at the head of every export (2: an end with a checksum; 3: how the run stood there). */
export const journalVersion = 3

export type JournalEvent = (RunStarted | CoordinatorMessage) & {
  readonly seq: number
  /** What the coordinator had decided at the event before (`checkReplay`). */
  readonly decided?: readonly string[]
}

/** What an event outlives once `flush` has answered: the end of this process, or of the machine's power as well. */
export type Durability = 'process' | 'power'

/** What lists of runs show of one. */
export interface RunProgress {
  /** The coordinator's state. */
  readonly state: string
  /** Why it ended, once it has. */
  readonly reason?: string
  readonly counts: Readonly<Partial<Record<StepStatus, number>>>
  readonly used: BudgetUsed
  readonly revision: number
  /** What it did after this event is lost, or was when it was gone on with: steps may have been carried out of which the record
   * says nothing. */
  readonly lostAfter?: number
}

/** How a run stood after the last event of its record: its state, and why it is over, where it is. */
export type RunEnd = Pick<RunProgress, 'state' | 'reason'>

/** Where a run stood after one of its events, so that it need not be replayed from the first one on. What is in it is the
 * writer's; a journal only keeps it. */
export interface RunSnapshot {
  /** The event after which it was taken. */
  readonly seq: number
  /** How it is written: who reads it passes over what it does not know. */
  readonly format: number
  /** Each is read by itself, when it is asked for. */
  readonly parts: Readonly<Record<string, Json>>
  /** What parts refer to by index, kept once by content however many snapshots and events have it. */
  readonly values: readonly Json[]
}

/** A snapshot as it is read, part by part. */
export interface StoredSnapshot extends Pick<RunSnapshot, 'seq' | 'format'> {
  part(name: string): Json | undefined
  /** @throws `JOURNAL_BROKEN` where it is missing or damaged */
  value(index: number): Json
}

/** One run's record, held open for writing by one owner. */
export interface RunJournal {
  readonly runId: string
  /** Number that the next event will get. */
  readonly next: number
  append(event: JournalEvent): void
  /** Has nothing of a new run be seen before `show()`, however often it is flushed: a record that is written in parts is there
   * as a whole, or not at all. */
  hide?(): void
  /** Has it be seen from the next flush on. */
  show?(): void
  /** Notes what lists of runs are to show from the next flush on. */
  describe?(progress: RunProgress): void
  /** Keeps a snapshot, from the next flush on. */
  readonly keepSnapshot?: ((snapshot: RunSnapshot) => void) | undefined
  /** Keeps the output of the event that was appended last for other runs, once that event is durable. */
  readonly keepForReuse?: ((kept: ReusableOutput) => void) | undefined
  /** Makes durable what was appended. Gives a promise only where that takes time. @default 'process' */
  flush(durability?: Durability): void | Promise<void>
  /** Requests that came since it was last asked, oldest first; at first those that have waited. */
  takeRequests?(): readonly RunRequest[]
  /** Has `listener` told, in a turn of its own, when there are requests to take, until the record is closed. A request that
   * is taken becomes an event that names it (`request`), or is refused. */
  onRequest?(listener: () => void): void
  /** Refuses a request, from the next flush on. */
  refuse?(number: number, refusal: RequestRefusal): void
  close(): void | Promise<void>
}

export interface RunSummary extends Partial<RunProgress> {
  readonly runId: string
  readonly goal: string
  readonly startedAt: number
  /** Time of its latest event. */
  readonly changedAt?: number
  readonly events: number
  readonly labels?: Readonly<Record<string, string>>
  readonly parentRunId?: string
  /** The moment of another run at which this one begins. */
  readonly forkedFrom?: { readonly runId: string; readonly seq: number }
}

/** Which runs to list: those that fit all that is said. Newest first. */
export interface RunFilter {
  /** What the id begins with. */
  readonly idPrefix?: string
  readonly state?: string | readonly string[]
  /** Part of the goal's text. */
  readonly goal?: string
  /** Started at or after, and before: ms since the epoch. */
  readonly since?: number
  readonly until?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly limit?: number
}

export interface Journal {
  /** @throws `RUN_EXISTS` when there is a record of this run already. */
  create(runId: string): RunJournal
  /** Opens an existing record to go on with it. @throws `RUN_UNKNOWN`, `RUN_OWNED` while another process goes on with it. */
  open(runId: string): RunJournal
  /** Events in order, from `from` (0 by default). @throws `RUN_UNKNOWN` */
  read(runId: string, from?: number): Iterable<JournalEvent> | AsyncIterable<JournalEvent>
  /** The latest snapshot that was taken at event `upTo` (the latest event by default) or before it; one that is damaged is passed
   * over. @throws `RUN_UNKNOWN` */
  snapshot?(runId: string, upTo?: number): StoredSnapshot | undefined
  /** What runs keep for each other; without it, every run does all by itself. */
  readonly reuse?: ReuseStore
  runs(filter?: RunFilter): Iterable<RunSummary> | AsyncIterable<RunSummary>
  /** Asks something of a run, whichever process has it: it is checked, and taken or refused, by that process, or when the run
   * is gone on with.
   *
   * @returns the number of the request
   * @throws `RUN_UNKNOWN`, `RUN_OVER` */
  request?(runId: string, command: RunCommand, options?: { readonly by?: string }): number | Promise<number>
  /** What was asked of a run, and what came of it; oldest first. @throws `RUN_UNKNOWN` */
  requests?(runId: string): Iterable<RunRequest> | AsyncIterable<RunRequest>
  close(): void | Promise<void>
}
