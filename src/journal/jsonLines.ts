// One run as a file: JSON Lines, a header first, then its events in order, then an end that says how many there are and whether
// they are what was written.
//
// X1. A file without its end, or whose end does not fit what stands before it, is not taken for the whole.
// X2. Format 1 had no end; it is still read, and told to be unchecked.
import { createHash } from 'node:crypto'
import { journalVersion, type JournalEvent } from './journal.ts'

export interface ExportHeader {
  readonly planloom: 'journal'
  readonly version: number
  readonly runId: string
}

export interface ExportEnd {
  readonly planloom: 'end'
  readonly events: number
  /** Of all lines before it, each with its line break, as hexadecimal digits. */
  readonly sha256: string
}

/** Writes a run's events as JSON Lines.
 *
 * @param events from number 0 on.
 * @returns lines, each with its line break; the first is a header with the format's version, the last has a count and a checksum.
 */
export async function* exportJournal(
  events: Iterable<JournalEvent> | AsyncIterable<JournalEvent>,
): AsyncGenerator<string> {
  const lines = new JournalLines()
  for await (const event of events) yield lines.of(event)
  yield lines.end()
}

/** The lines of one export, as they are written. */
export class JournalLines {
  readonly #checksum = createLineChecksum()
  #events = 0

  /** One event, with its line break; before the first one, the header. */
  of(event: JournalEvent): string {
    const lines: object[] = event.type === 'run.started' ? [headerOf(event.runId), event] : [event]
    this.#events += 1
    return lines.map((line) => `${this.#taken(JSON.stringify(line))}\n`).join('')
  }

  /** The last line. */
  end(): string {
    const end: ExportEnd = { planloom: 'end', events: this.#events, sha256: this.#checksum.digest() }
    return `${JSON.stringify(end)}\n`
  }

  #taken(line: string): string {
    this.#checksum.take(line)
    return line
  }
}

function headerOf(runId: string): ExportHeader {
  return { planloom: 'journal', version: journalVersion, runId }
}

export interface LineChecksum {
  take(line: string): void
  digest(): string
}

export function createLineChecksum(): LineChecksum {
  const hash = createHash('sha256')
  return {
    take(line) {
      hash.update(`${line}\n`)
    },
    digest: () => hash.copy().digest('hex'),
  }
}
