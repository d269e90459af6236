// A journal in memory: for runs that need not outlive their process, and for tests.
import { PlanloomError } from '../errors.ts'
import type { Journal, JournalEvent, RunJournal, RunSummary } from './journal.ts'

/** Keeps every event of every run in memory.
 *
 * @example
 * import { createRuntime, memoryJournal } from 'planloom'
 * const journal = memoryJournal()
 * const runtime = createRuntime({ journal })
 * await runtime.close()
 */
export function memoryJournal(): Journal {
  const records = new Map<string, JournalEvent[]>()

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
      return writerOf(runId, events)
    },
    open: (runId) => writerOf(runId, recordOf(runId)),
    read: (runId, from = 0) => recordOf(runId).slice(from),
    runs: () => [...records].map(([runId, events]) => summaryOf(runId, events)),
    close: () => undefined,
  }
}

function writerOf(runId: string, events: JournalEvent[]): RunJournal {
  return {
    runId,
    get next() {
      return events.length
    },
    append(event) {
      events.push(event)
    },
    flush: () => undefined,
    close: () => undefined,
  }
}

function summaryOf(runId: string, events: readonly JournalEvent[]): RunSummary {
  const first = events[0]
  const isStart = first?.type === 'run.started'
  return { runId, goal: isStart ? first.goal.text : '', startedAt: first?.at ?? 0, events: events.length }
}
