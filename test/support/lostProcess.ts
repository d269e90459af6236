// What the end of a process leaves: a journal as it was at that moment, and nothing else.
import { memoryJournal, type Journal, type JournalEvent, type RunSummary } from '../../src/runtime/index.ts'

/** Copies what stands in a memory journal now. @param keep how many events of a run are kept; all, where nothing is said */
export function journalLeft(journal: Journal, keep: (run: RunSummary) => number = () => Infinity): Journal {
  const left = memoryJournal()
  for (const run of [...(journal.runs() as Iterable<RunSummary>)].reverse()) {
    const writer = left.create(run.runId)
    const events = [...(journal.read(run.runId) as Iterable<JournalEvent>)]
    const kept = events.slice(0, keep(run))
    for (const event of kept) writer.append(event)
    const { state, reason, counts, used, revision } = run
    if (kept.length === events.length && state && counts && used && revision !== undefined)
      writer.describe?.({ state, ...(reason !== undefined && { reason }), counts, used, revision })
    void writer.close()
  }
  return left
}

export function eventsOf(journal: Journal, runId: string): readonly JournalEvent[] {
  return [...(journal.read(runId) as Iterable<JournalEvent>)]
}
