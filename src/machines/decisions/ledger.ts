// The ledger: how far each step has come, and who waits for whom.
//
// L1. A step has at most one live attempt; the outcome of any other attempt changes nothing.
// L2. A succeeded step stays succeeded.
// L3. `missing` counts the dependencies that are not met yet: readiness is a counter, never a scan.
import type { Failure, StepOrigin, StepReport, StepStatus } from '../reports.messages.ts'

/** What is known of one step. All fields are always there: entries of one shape are copied several times as fast. */
export interface Entry {
  readonly status: StepStatus
  /** Attempts so far; the number of the live one while running. */
  readonly attempt: number
  /** Attempts of the present content: a replaced step, or one that a person retries, starts anew. */
  readonly tries: number
  /** Grows when the step's content is replaced, so that its idempotency key changes with what it does. */
  readonly generation: number
  /** Place in the priority order. */
  readonly rank: number
  readonly missing: number
  readonly failure: Failure | undefined
  readonly causedBy: string | undefined
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  /** A person or program has approved the step. */
  readonly approved: boolean | undefined
  /** Broken assumptions that hold it back. */
  readonly heldBy: readonly string[] | undefined
  /** It failed, and what that means is the planner's to say: until then its dependents wait. */
  readonly undecided: boolean | undefined
  /** What its ending takes from the goal: nothing when absent. */
  readonly loss: 'permitted' | 'lost' | undefined
  /** The run that the latest attempt has begun. */
  readonly subRunId: string | undefined
  /** Whose output it took, when nothing ran. */
  readonly reusedFrom: StepOrigin | undefined
}

/** A step that nothing has happened to yet. */
export const freshEntry: Entry = {
  status: 'waiting',
  attempt: 0,
  tries: 0,
  generation: 1,
  rank: 0,
  missing: 0,
  failure: undefined,
  causedBy: undefined,
  startedAt: undefined,
  endedAt: undefined,
  approved: undefined,
  heldBy: undefined,
  undecided: undefined,
  loss: undefined,
  subRunId: undefined,
  reusedFrom: undefined,
}

/** A list that grows at its head: adding is O(1) and old lists stay as they were. */
export interface Link {
  readonly id: string
  readonly next: Link | undefined
}

export function* eachLink(link: Link | undefined): Generator<string> {
  for (let rest = link; rest !== undefined; rest = rest.next) yield rest.id
}

export function withoutLink(link: Link | undefined, id: string): Link | undefined {
  let kept: Link | undefined
  for (const other of eachLink(link)) if (other !== id) kept = { id: other, next: kept }
  return kept
}

const settledStatuses: ReadonlySet<StepStatus> = new Set<StepStatus>([
  'succeeded',
  'failed',
  'skipped',
  'abandoned',
  'cancelled',
  'uncertain',
])

/** Whether the step has ended, as far as it knows. */
export function isSettled(status: StepStatus): boolean {
  return settledStatuses.has(status)
}

/** Whether the dependents of the step have been told of its ending. */
export function wasTold(entry: Entry): boolean {
  return isSettled(entry.status) && !entry.undecided
}

export function reportOf(entry: Entry): StepReport {
  return {
    status: entry.status,
    attempt: entry.attempt,
    ...(entry.failure && { failure: entry.failure }),
    ...(entry.causedBy !== undefined && { causedBy: entry.causedBy }),
    ...(entry.startedAt !== undefined && { startedAt: entry.startedAt }),
    ...(entry.endedAt !== undefined && { endedAt: entry.endedAt }),
    ...(entry.subRunId !== undefined && { subRunId: entry.subRunId }),
    ...(entry.reusedFrom && { reusedFrom: entry.reusedFrom }),
  }
}
