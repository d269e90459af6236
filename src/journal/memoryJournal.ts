// A journal in memory: for runs that need not outlive their process, and for tests.
import { PlanloomError } from '../errors.ts'
import type { Journal, JournalEvent, RunJournal, RunSummary } from './journal.ts'

export interface MemoryJournalOptions {
  /** How many runs that are over it keeps: the record of the one that has been over for longest goes first. @default 1,000 */
  readonly keepRuns?: number
}

/** Keeps every event of its runs in memory.
 *
 * @example
 * import { createRuntime, memoryJournal } from 'planloom'
 * const journal = memoryJournal()
 * const runtime = createRuntime({ journal })
 * await runtime.close()
 */
export function memoryJournal({ keepRuns = 1_000 }: MemoryJournalOptions = {}): Journal {
  const records = new Map<string, JournalEvent[]>()
  const closed = new Set<string>()

  function open(runId: string, events: JournalEvent[]): RunJournal {
    closed.delete(runId)
    return writerOf(runId, events, () => {
      closed.add(runId)
      if (closed.size <= keepRuns) return
      const [oldest = ''] = closed
      closed.delete(oldest)
      records.delete(oldest)
    })
  }

  function recordOf(runId: string): JournalEvent[] {
    const events = records.get(runId)
    if (events) return events
    throw new PlanloomError('RUN_UNKNOWN', `There is no record of a run "${runId}".`, {
      hint: 'List the runs of the journal to see which there are.',
      where: { runId },
    })
  }

  return {
    create(runId) {
      if (records.has(runId)) {
        throw new PlanloomError('RUN_EXISTS', `There is a record of a run "${runId}" already.`, {
          hint: 'Choose another runId, or leave it out to get a fresh one.',
          where: { runId },
        })
      }
      const events: JournalEvent[] = []
      records.set(runId, events)
      return open(runId, events)
    },
    open: (runId) => open(runId, recordOf(runId)),
    read: (runId, from = 0) => recordOf(runId).slice(from),
    runs: () => [...records].map(([runId, events]) => summaryOf(runId, events)),
    close: () => undefined,
  }
}

function writerOf(runId: string, events: JournalEvent[], close: () => void): RunJournal {
  return {
    runId,
    get next() {
      return events.length
    },
    append(event) {
      events.push(event)
    },
    flush: () => undefined,
    close,
  }
}

function summaryOf(runId: string, events: readonly JournalEvent[]): RunSummary {
  const first = events[0]
  const isStart = first?.type === 'run.started'
  return { runId, goal: isStart ? first.goal.text : '', startedAt: first?.at ?? 0, events: events.length }
}
