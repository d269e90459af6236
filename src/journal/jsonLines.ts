// One run as a file: JSON Lines, a header first, then its events in order.
import { PlanloomError } from '../errors.ts'
import { journalVersion, type JournalEvent } from './journal.ts'

interface Header {
  readonly planloom: 'journal'
  readonly version: number
  readonly runId: string
}

/** Writes a run's events as JSON Lines.
 *
 * @param events from number 0 on.
 * @returns lines, each with its line break; the first is a header with the format's version.
 */
export async function* exportJournal(
  events: Iterable<JournalEvent> | AsyncIterable<JournalEvent>,
): AsyncGenerator<string> {
  for await (const event of events) yield journalLines(event)
}

/** One event as it stands in the file, with its line break; before the first one, the header. */
export function journalLines(event: JournalEvent): string {
  const line = `${JSON.stringify(event)}\n`
  if (event.type !== 'run.started') return line
  const header: Header = { planloom: 'journal', version: journalVersion, runId: event.runId }
  return `${JSON.stringify(header)}\n${line}`
}

/** Reads the events of an exported run. A last line that was cut off is left out; every other fault is an error.
 *
 * @throws `JOURNAL_FORMAT` when it is no journal, or one of a newer version; `JOURNAL_BROKEN` with the line where events are
 *   missing or cannot be read.
 */
export function importJournal(text: string, options: { readonly name?: string } = {}): readonly JournalEvent[] {
  const lines = typeof text === 'string' ? text.split('\n') : []
  const where = options.name === undefined ? {} : { path: options.name }
  const header = readLine(lines[0] ?? '') as Partial<Header> | undefined
  if (header?.planloom !== 'journal') {
    throw new PlanloomError('JOURNAL_FORMAT', `${options.name ?? 'The text'} is not an exported journal.`, {
      hint: 'Export one with exportJournal().',
      where,
    })
  }
  if (typeof header.version !== 'number' || header.version > journalVersion) {
    throw new PlanloomError(
      'JOURNAL_FORMAT',
      `The journal has format ${String(header.version)}; this version reads up to ${String(journalVersion)}.`,
      {
        hint: 'Update planloom.',
        where,
      },
    )
  }
  const events: JournalEvent[] = []
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === '') continue
    const event = readLine(line) as JournalEvent | undefined
    if (event === undefined && index === lines.length - 1) break
    if (event?.seq !== events.length) {
      throw new PlanloomError(
        'JOURNAL_BROKEN',
        `Line ${String(index + 1)} of the journal ${event === undefined ? 'cannot be read' : `has event ${String(event.seq)} where ${String(events.length)} should be`}.`,
        {
          hint: 'Export the run again; what stands before that line is intact.',
          where,
        },
      )
    }
    events.push(event)
  }
  return events
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
