// One run as a file: JSON Lines, a header first, then its events in order, then an end that says how many there are and whether
// they are what was written.
//
// X1. A file without its end, or whose end does not fit what stands before it, is not taken for the whole.
// X2. Format 1 had no end; it is still read, and told to be unchecked. Format 2 did not say how the run stood at its end.
import { createHash } from 'node:crypto'
import { journalVersion, type JournalEvent, type RunEnd } from './journal.ts'

export interface ExportHeader {
  readonly planloom: 'journal'
  readonly version: number
  readonly runId: string
}

export interface ExportEnd extends Partial<RunEnd> {
  readonly planloom: 'end'
  readonly events: number
  /** Of all lines before it, each with its line break, as hexadecimal digits; from format 3 on, of what else the end says as well. */
  readonly sha256: string
}

/** Writes a run's events as JSON Lines.
 *
 * @param events from number 0 on.
 * @param stood how the run stood after the last of them, as `journal.runs()` tells: a replay compares it with today's.
 * @returns lines, each with its line break; the first is a header with the format's version, the last has a count and a checksum.
 */
export async function* exportJournal(
  events: Iterable<JournalEvent> | AsyncIterable<JournalEvent>,
  stood: Partial<RunEnd> = {},
): AsyncGenerator<string> {
  const lines = new JournalLines()
  for await (const event of events) yield lines.of(event)
  yield lines.end(stood)
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
  end({ state, reason }: Partial<RunEnd> = {}): string {
    const said = {
      planloom: 'end',
      events: this.#events,
      ...(state !== undefined && { state }),
      ...(reason !== undefined && { reason }),
    } as const
    const end: ExportEnd = { ...said, sha256: this.#checksum.of(said) }
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
  /** Of the lines that were taken. */
  digest(): string
  /** Of those, and of what the end says beside its checksum. */
  of(end: Omit<ExportEnd, 'sha256'>): string
}

export function createLineChecksum(): LineChecksum {
  const hash = createHash('sha256')
  return {
    take(line) {
      hash.update(`${line}\n`)
    },
    digest: () => hash.copy().digest('hex'),
    of: (end) => hash.copy().update(JSON.stringify(end)).digest('hex'),
  }
}
