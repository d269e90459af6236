// Reading a run from a file that may have been cut, changed, or written by anybody (the rules are those of jsonLines.ts).
import { PlanloomError } from '../errors.ts'
import { faultOf } from './events/checkEvent.ts'
import { journalVersion, type JournalEvent, type RunEnd } from './journal.ts'
import { createLineChecksum, type ExportEnd, type ExportHeader, type LineChecksum } from './jsonLines.ts'

export interface ImportOptions {
  /** What the text is called in errors. */
  readonly name?: string
  /** Take what there is, up to the first fault, also of a run that lacks its end or was changed. */
  readonly unchecked?: boolean
}

/** A run as it was read from its export. */
export interface ExportedRun {
  readonly events: readonly JournalEvent[]
  /** `whole`: all that was written, as it was written. `unchecked`: of format 1, which cannot tell. `broken`: only what stands
   * before the fault, or with it. */
  readonly state: 'whole' | 'unchecked' | 'broken'
  /** For `broken`: what is wrong, in words. */
  readonly because?: string
  /** How the run stood after the last of its events, where the file tells. */
  readonly stood?: RunEnd
}

/** Reads the events of an exported run, each checked to be one.
 *
 * @throws `JOURNAL_FORMAT` when it is no journal, or one of a newer version; `JOURNAL_BROKEN` with the line where events are
 *   missing or are none, and where the end of the file is missing or tells of other events (unless they are taken `unchecked`).
 */
export function importJournal(text: string, options: ImportOptions = {}): readonly JournalEvent[] {
  return readExport(text, options).events
}

/** The same as `importJournal`, and what is known of whether they are all.
 *
 * @throws as `importJournal`
 */
export function readExport(text: string, options: ImportOptions = {}): ExportedRun {
  const { name = 'The text', unchecked = false } = options
  const lines = typeof text === 'string' ? text.split('\n') : []
  const header = headerIn(lines[0] ?? '', options)
  const { events, fault, end } = readLines(lines, header)
  if (fault === undefined) return { events, state: end === undefined ? 'unchecked' : 'whole', ...stoodAt(end) }
  if (!unchecked || events.length === 0) throw broken(fault, events, options)
  return { events, state: 'broken', because: `${name} ${fault}` }
}

function stoodAt({ state, reason }: Partial<RunEnd> = {}): Pick<ExportedRun, 'stood'> {
  if (state === undefined) return {}
  return { stood: { state, ...(reason !== undefined && { reason }) } }
}

function readLines(
  lines: readonly string[],
  { version, runId }: ExportHeader,
): { readonly events: readonly JournalEvent[]; readonly fault?: string; readonly end?: ExportEnd } {
  const events: JournalEvent[] = []
  const checksum = createLineChecksum()
  let end: ExportEnd | undefined
  for (const [index, ended] of lines.entries()) {
    const line = ended.replace(/\r$/, '') // a line break of another system
    if (line === '') continue
    const at = `line ${index + 1}`
    if (end !== undefined) return { events, fault: `goes on after its end, on ${at}` }
    const value = index === 0 ? undefined : readLine(line)
    if (version > 1 && isEnd(value)) {
      end = value
      continue
    }
    checksum.take(line)
    if (index === 0) continue
    const fault = faultOf(value, events.length) ?? misnamed(value as JournalEvent, runId)
    if (fault !== undefined) return { events, fault: `cannot be taken from ${at} on, which ${fault}` }
    events.push(value as JournalEvent)
  }
  const fault = faultAtEnd(events, { version, end, checksum })
  return { events, ...(fault !== undefined && { fault }), ...(end && { end }) }
}

/** X1, X2 */
function faultAtEnd(
  events: readonly JournalEvent[],
  {
    version,
    end,
    checksum,
  }: { readonly version: number; readonly end: ExportEnd | undefined; readonly checksum: LineChecksum },
): string | undefined {
  if (events.length === 0) return 'has no events'
  if (end === undefined) return version > 1 ? 'has no end: it was cut short, or is still being written' : undefined
  if (end.events !== events.length) return `has ${events.length} events where its end tells of ${String(end.events)}`
  if (![end.state, end.reason].every(isWord)) return 'tells of a state at its end that no run can have'
  const { sha256, ...said } = end
  return sha256 === (version > 2 ? checksum.of(said) : checksum.digest())
    ? undefined
    : 'was changed after it was written: its checksum differs'
}

/** As states and reasons are; they are shown as they are. */
function isWord(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && /^[a-z_]{1,40}$/.test(value))
}

function misnamed(event: JournalEvent, runId: string): string | undefined {
  if (event.type !== 'run.started' || event.runId === runId) return undefined
  return `is of another run than the header says ("${event.runId}", not "${runId}")`
}

function placeOf({ name }: ImportOptions): { readonly path?: string } {
  return name === undefined ? {} : { path: name }
}

function headerIn(line: string, options: ImportOptions): ExportHeader {
  const { name = 'The text' } = options
  const where = placeOf(options)
  const header = readLine(line) as Partial<ExportHeader> | null | undefined
  if (header?.planloom !== 'journal') {
    throw new PlanloomError('JOURNAL_FORMAT', `${name} is not an exported journal.`, {
      hint: 'Export one with exportJournal().',
      where,
    })
  }
  const { version } = header
  if (!Number.isInteger(version) || Number(version) < 1 || Number(version) > journalVersion) {
    const message = `The journal has format ${String(version)}; this version reads up to ${String(journalVersion)}.`
    throw new PlanloomError('JOURNAL_FORMAT', message, { hint: 'Update planloom.', where })
  }
  return header as ExportHeader
}

function isEnd(value: unknown): value is ExportEnd {
  return (value as { readonly planloom?: unknown } | null | undefined)?.planloom === 'end'
}

function broken(fault: string, events: readonly JournalEvent[], options: ImportOptions): PlanloomError {
  const { name = 'The text' } = options
  const last = events.at(-1)
  const reach = last === undefined ? '' : ` Up to event ${last.seq} (${last.type}) it can be read.`
  return new PlanloomError('JOURNAL_BROKEN', `${name} ${fault}.${reach}`, {
    hint:
      last === undefined
        ? 'Export the run again.'
        : 'Export the run again, or take that part: importJournal(text, { unchecked: true }).',
    where: placeOf(options),
  })
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
