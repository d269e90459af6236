// A run as its journal tells it, as it stands or as it stood after any of its events.
//
// D1. It is read from the latest snapshot before that moment; what is not looked at is not read.
// D2. What a snapshot says, the events say as well: where there is none, all of them are taken in.
import { PlanloomError } from '../errors.ts'
import type { Journal, JournalEvent } from '../journal/journal.ts'
import { CoordinatorFold, type CoordinatorStanding } from '../machines/coordinatorFold.ts'
import type { RunStarted } from '../machines/coordinator.messages.ts'
import { startOf } from './recovery.ts'
import { foldJournal, replayJournal, replayOf } from './replay.ts'
import type { Replay, Transition } from './run.ts'
import { readSnapshot, type SnapshotStanding } from './snapshot/snapshot.ts'

export interface ReadRunOptions {
  /** Number of the last event that is to count. @default the latest there is */
  readonly at?: number
}

/** Reads how a run stands, or stood, without going on with it.
 *
 * @returns what `replayJournal` gives. Parts of it are read when they are looked at, so look while the journal is open.
 * @throws `RUN_UNKNOWN`; `EVENT_UNKNOWN`, with the numbers that there are; `JOURNAL_BROKEN`
 * @example
 * import { createRuntime, memoryJournal, readRun } from 'planloom'
 * const journal = memoryJournal()
 * await using runtime = createRuntime({ journal })
 * const run = runtime.start('nothing to do')
 * await run.result
 * const before = await readRun(journal, run.id, { at: 0 })
 * before.state // 'planning'
 */
export async function readRun(journal: Journal, runId: string, { at }: ReadRunOptions = {}): Promise<Replay> {
  if (at !== undefined && !(Number.isSafeInteger(at) && at >= 0)) throw eventUnknown(runId, at)
  const { first, snapshot } = await latestSnapshot(journal, runId, at)
  if (snapshot === undefined) return replayJournal(await eventsTo(journal, runId, 0, at))
  return replayOf(first, await standingFrom(snapshot, journal, runId, at), () => transitionsOf(journal, runId, at))
}

/** Where the coordinator of a run stands, or stood after event `at`. @throws as `readRun` */
export async function standingOf(journal: Journal, runId: string, at?: number): Promise<CoordinatorStanding> {
  const { snapshot } = await latestSnapshot(journal, runId, at)
  if (snapshot === undefined) return foldJournal(await eventsTo(journal, runId, 0, at))
  return standingFrom(snapshot, journal, runId, at)
}

async function latestSnapshot(
  journal: Journal,
  runId: string,
  at: number | undefined,
): Promise<{ readonly first: RunStarted; readonly snapshot: SnapshotStanding | undefined }> {
  const first = startOf(await firstEvents(journal, runId), runId)
  const stored = journal.snapshot?.(runId, at)
  return { first, snapshot: stored && readSnapshot(stored, first) }
}

async function standingFrom(
  snapshot: SnapshotStanding,
  journal: Journal,
  runId: string,
  at: number | undefined,
): Promise<SnapshotStanding | CoordinatorFold> {
  const events = snapshot.seq === at ? [] : await eventsTo(journal, runId, snapshot.seq + 1, at)
  if (events.length === 0) return snapshot
  const fold = new CoordinatorFold(snapshot)
  for (const event of events) if (event.type !== 'run.started') fold.take(event)
  return fold
}

/** The events from one on, up to and with `at`. @throws `EVENT_UNKNOWN` where there is no such event */
export async function eventsTo(
  journal: Journal,
  runId: string,
  from: number,
  at: number | undefined,
): Promise<readonly JournalEvent[]> {
  const events: JournalEvent[] = []
  for await (const event of journal.read(runId, from)) {
    events.push(event)
    if (event.seq === at) return events
  }
  if (at === undefined) return events
  throw eventUnknown(runId, at, from + events.length - 1)
}

export function eventUnknown(runId: string, at: number, last?: number): PlanloomError {
  const numbers = last === undefined ? 'they are counted from 0' : `its last one is ${String(last)}`
  return new PlanloomError('EVENT_UNKNOWN', `Run "${runId}" has no event ${String(at)}: ${numbers}.`, {
    hint: 'planloom events lists them with their numbers.',
    where: { runId },
  })
}

async function firstEvents(journal: Journal, runId: string): Promise<readonly JournalEvent[]> {
  for await (const event of journal.read(runId)) return [event]
  return []
}

/** Only journals that are read at once have snapshots. */
function transitionsOf(journal: Journal, runId: string, at: number | undefined): readonly Transition[] {
  const events: JournalEvent[] = []
  for (const event of journal.read(runId) as Iterable<JournalEvent>) {
    events.push(event)
    if (event.seq === at) break
  }
  return replayJournal(events).transitions
}
