// A journal whose process can die: at a moment that a test chooses, nothing more is written and nothing more goes out.
//
// M1. After its death no event is recorded and no flush ends, so that no command is delivered: to the world outside that is the
//     end of the process, as long as nobody turns the clock of its runtime any more.
import type { Journal, RunJournal } from '../../src/runtime/index.ts'

/** When it dies, counted in events over all its runs.
 * `lost`: the last event had been appended, and not yet written. `written`: it was, and none of its commands went out.
 * `delivered`: its commands went out, and the next event is lost. */
export interface Death {
  readonly afterEvents: number
  readonly at: 'lost' | 'written' | 'delivered'
}

export interface MortalJournal extends Journal {
  readonly isDead: () => boolean
}

export function mortalJournal(inner: Journal, death: Death | undefined, onDeath: () => void = () => undefined): MortalJournal {
  let events = 0
  let isDead = false
  const last = death?.afterEvents ?? Infinity

  function die(): void {
    if (isDead) return
    isDead = true
    onDeath()
  }

  function mortal(writer: RunJournal): RunJournal {
    let next = writer.next
    return {
      runId: writer.runId,
      get next() {
        return next
      },
      append(event) {
        next += 1
        events += 1
        if (events > last || (events === last && death?.at === 'lost')) die()
        if (!isDead) writer.append(event)
      },
      describe(progress) {
        if (!isDead) writer.describe?.(progress)
      },
      ...(writer.keepSnapshot && {
        keepSnapshot: (snapshot) => {
          if (!isDead) writer.keepSnapshot?.(snapshot)
        },
      }),
      flush(durability) {
        if (isDead) return new Promise(() => undefined) // M1
        const flushed = writer.flush(durability)
        if (events !== last || death?.at !== 'written') return flushed
        if (flushed === undefined) die()
        return Promise.resolve(flushed).then(() => (die(), new Promise<void>(() => undefined)))
      },
      close: () => (isDead ? undefined : writer.close()),
    }
  }

  return {
    create: (runId) => mortal(inner.create(runId)),
    open: (runId) => mortal(inner.open(runId)),
    read: (runId, from) => inner.read(runId, from),
    runs: (filter) => inner.runs(filter),
    ...(inner.snapshot && { snapshot: (runId, upTo) => inner.snapshot?.(runId, upTo) }),
    close: () => (isDead ? undefined : inner.close()),
    isDead: () => isDead,
  }
} // prettier-ignore
