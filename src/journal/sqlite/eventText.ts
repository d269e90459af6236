// An event as it stands in the file: JSON, whose large values are replaced by the hash of their content.
//
// T1. `readEvent(writeEvent(event))` is the event, whatever is in it.
// T2. The text names each value by its hash, so the checksum chain over the texts covers the values as well.
import { hash } from 'node:crypto'
import type { Json } from '../../plan/json.ts'
import { PlanloomError } from '../../errors.ts'
import type { JournalEvent } from '../journal.ts'

/** A value that is kept once, however often events refer to it. */
export interface Content {
  readonly hash: Buffer
  readonly text: string
}

export interface WrittenEvent {
  readonly body: string
  readonly contents: readonly Content[]
}

/** Fields of events that may be large. */
const heavyFields: Readonly<Partial<Record<JournalEvent['type'], string>>> = {
  'run.started': 'plan',
  'plan.proposed': 'plan',
  'step.succeeded': 'output',
  'step.surprised': 'output',
  'step.answered': 'value',
  'fact.reported': 'value',
}

/** Shorter than this, a value costs less where it stands than its hash and row would. */
export const shortText = 256

export function writeEvent(event: JournalEvent): WrittenEvent {
  const { seq: _seq, ...rest } = event
  const field = heavyFields[event.type]
  const value = field === undefined ? undefined : (rest as Readonly<Record<string, Json | undefined>>)[field]
  if (field === undefined || typeof value !== 'object' || value === null)
    return { body: JSON.stringify(rest), contents: [] }
  const text = JSON.stringify(value)
  if (text.length < shortText) return { body: JSON.stringify(rest), contents: [] }
  const content = contentOf(text)
  known.set(value, content.hash)
  const named = { ...rest, [field]: undefined, kept: { [field]: Buffer.from(content.hash).toString('base64url') } }
  return { body: JSON.stringify(named), contents: [content] }
}

/** Contents of values that were written or read in this process: a snapshot names them without writing them again. */
const known = new WeakMap<object, Buffer>()

export function knownContent(value: Json): Buffer | undefined {
  return typeof value === 'object' && value !== null ? known.get(value) : undefined
}

export function contentOf(text: string): Content {
  return { hash: hash('sha256', text, 'buffer'), text }
}

/** @param textOf gives the text of a content by its hash.
 * @throws `JOURNAL_BROKEN` when the text is no event. */
export function readEvent(body: string, seq: number, textOf: (hash: Uint8Array) => string): JournalEvent {
  const read = parse(body, seq) as Record<string, unknown> & { readonly kept?: Readonly<Record<string, string>> }
  const { kept, ...event } = read
  for (const [field, name] of Object.entries(kept ?? {})) {
    const hash = Buffer.from(name, 'base64url')
    const value = parse(textOf(hash), seq)
    if (typeof value === 'object' && value !== null) known.set(value, hash)
    event[field] = value
  }
  return { ...event, seq } as unknown as JournalEvent
}

function parse(text: string, seq: number): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new PlanloomError('JOURNAL_BROKEN', `Event ${String(seq)} cannot be read: it is no JSON.`, {
      hint: 'Look with "planloom journal verify".',
      cause,
    })
  }
}
