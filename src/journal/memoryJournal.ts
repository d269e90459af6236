// A journal in memory: for runs that need not outlive their process, and for tests.
import { filterRuns } from './filterRuns.ts'
import type { Journal, JournalEvent, RunJournal, RunProgress, RunSummary } from './journal.ts'
import { MemoryRequests } from './memoryRequests.ts'
import { memoryReuse } from './memoryReuse.ts'
import { runOver } from './requests.ts'
import type { ReuseLimits } from './reuse.ts'
import { runExists, runOwnedHere, runUnknown } from './runErrors.ts'

export interface MemoryJournalOptions {
  /** How many runs that are over it keeps: the record of the one that has been over for longest goes first. @default 1,000 */
  readonly keepRuns?: number
  /** How much of outputs and plans is kept for other runs, and for how long. */
  readonly reuse?: ReuseLimits
  /** Time of requests and of what is kept, in ms since the epoch. @default the machine's */
  readonly now?: () => number
}

/** Keeps every event of its runs in memory.
 *
 * @example
 * import { createRuntime, memoryJournal } from 'planloom'
 * const journal = memoryJournal()
 * const runtime = createRuntime({ journal })
 * await runtime.close()
 */
export function memoryJournal({ keepRuns = 1_000, reuse: limits, now = Date.now }: MemoryJournalOptions = {}): Journal {
  const records = new Map<string, JournalEvent[]>()
  const progress = new Map<string, RunProgress>()
  const live = new Set<string>()
  const reuse = memoryReuse(limits, now)
  const closed = new Set<string>()
  const asked = new MemoryRequests(now)

  function open(runId: string, events: JournalEvent[]): RunJournal {
    closed.delete(runId)
    live.add(runId)
    let taken = 0
    return {
      runId,
      get next() {
        return events.length
      },
      append(event) {
        events.push(event)
        if ('request' in event) asked.settle(runId, event.request, { seq: event.seq })
      },
      describe(shown) {
        progress.set(runId, shown)
        if (shown.reason !== undefined) asked.refuseAll(runId)
      },
      keepForReuse(kept) {
        reuse.keep({ ...kept, kind: 'step' })
      },
      flush: () => undefined,
      takeRequests() {
        const fresh = asked.open(runId).filter(({ number }) => number > taken)
        taken = fresh.at(-1)?.number ?? taken
        return fresh
      },
      onRequest(listener) {
        asked.listen(runId, listener)
      },
      refuse(number, refused) {
        asked.settle(runId, number, { refused })
      },
      close() {
        asked.leave(runId)
        live.delete(runId)
        closed.add(runId)
        if (closed.size > keepRuns) forget(closed.values().next().value ?? '')
      },
    }
  }

  function forget(runId: string): void {
    closed.delete(runId)
    records.delete(runId)
    progress.delete(runId)
    asked.forget(runId)
  }

  function recordOf(runId: string): JournalEvent[] {
    const events = records.get(runId)
    if (events) return events
    throw runUnknown(runId)
  }

  return {
    create(runId) {
      if (records.has(runId)) throw runExists(runId)
      const events: JournalEvent[] = []
      records.set(runId, events)
      return open(runId, events)
    },
    open(runId) {
      const events = recordOf(runId)
      if (live.has(runId)) throw runOwnedHere(runId)
      return open(runId, events)
    },
    read: (runId, from = 0) => recordOf(runId).slice(from),
    reuse,
    runs: (filter) =>
      filterRuns(
        [...records].map(([runId, events]) => summaryOf(runId, events, progress.get(runId))).reverse(),
        filter,
      ),
    request(runId, command, { by } = {}) {
      recordOf(runId)
      if (progress.get(runId)?.reason !== undefined) throw runOver(runId, command)
      return asked.add(runId, command, by)
    },
    requests(runId) {
      recordOf(runId)
      return asked.of(runId)
    },
    close: () => undefined,
  }
}

function summaryOf(runId: string, events: readonly JournalEvent[], progress: RunProgress | undefined): RunSummary {
  const [first] = events
  const start = first?.type === 'run.started' ? first : undefined
  return {
    runId,
    goal: start?.goal.text ?? '',
    startedAt: start?.forkedFrom?.at ?? first?.at ?? 0,
    changedAt: events.at(-1)?.at ?? 0,
    events: events.length,
    ...progress,
    ...(start?.labels && { labels: start.labels }),
    ...(start?.parentRunId !== undefined && { parentRunId: start.parentRunId }),
    ...(start?.forkedFrom && { forkedFrom: { runId: start.forkedFrom.runId, seq: start.forkedFrom.seq } }),
  }
}
