// A journal that says when so many events have come, so that the process can leave its runs then; it takes a moment to write.
import type { Journal, RunJournal } from '../../src/runtime/index.ts'

/** When the runs of a process are left: after so many events over all of them, and so many ms. With none, in the midst of the event. */
export interface Leaving {
  readonly afterEvents: number
  readonly leftAfterMs: number
}

export function leavingJournal(inner: Journal, { afterEvents }: Leaving, onReached: () => void): Journal {
  let events = 0
  const counted = (writer: RunJournal): RunJournal => ({
    runId: writer.runId,
    get next() {
      return writer.next
    },
    append(event) {
      writer.append(event)
      events += 1
      if (events === afterEvents) onReached()
    },
    describe: (progress) => writer.describe?.(progress),
    flush: (durability) => Promise.resolve(writer.flush(durability)),
    close: () => writer.close(),
  })
  return {
    create: (runId) => counted(inner.create(runId)),
    open: (runId) => counted(inner.open(runId)),
    read: (runId, from) => inner.read(runId, from),
    runs: (filter) => inner.runs(filter),
    close: () => inner.close(),
  }
}
