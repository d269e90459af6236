// From the bytes of an answer to what it says: as a stream of events or whole, whatever it claims to be.
//
// R1. Whatever the bytes are: it ends in what was gathered, or throws what is wrong with them.
import { answerBytes, type ByteLimits } from './answerBytes.ts'
import { AnswerFault, type AnswerReader, type Gathered } from './gathered.ts'
import { ServerSentEvents, type ServerSentEvent } from './serverSentEvents.ts'

/** @throws AnswerFault, TooManyBytes, the reason of the signal, what the connection ended with */
export async function readAnswer(response: Response, reader: AnswerReader, limits: ByteLimits): Promise<Gathered> {
  if (response.body === null) throw new AnswerFault('it is empty')
  const events = new ServerSentEvents()
  /** Until it is known what it is; and all of it where it is not a stream of events. */
  const head: Uint8Array[] = []
  let kind: Kind | undefined
  for await (const bytes of answerBytes(response.body as ReadableStream<Uint8Array>, limits)) {
    if (kind === 'events') {
      if (takeEvents(events.push(bytes), reader)) return reader.finish(true)
      continue
    }
    head.push(bytes)
    kind ??= kindOf(beginning(head))
    if (kind === 'neither') throw notAnAnswer(response, beginning(head))
    if (kind === 'events' && takeEvents(events.push(Buffer.concat(head.splice(0))), reader)) return reader.finish(true)
  }
  if (kind === 'events') {
    const isMarkedDone = takeEvents(events.end(), reader)
    return reader.finish(isMarkedDone)
  }
  const text = Buffer.concat(head).toString('utf8')
  if (text.trim() === '') throw new AnswerFault('it is empty')
  reader.whole(parse(text))
  return reader.finish(true)
}

type Kind = 'events' | 'whole' | 'neither'

/** How many of the first bytes tell what it is. */
const beginningBytes = 1_024

function beginning(head: readonly Uint8Array[]): string {
  let length = 0
  const first = head.filter((bytes) => (length += bytes.length) - bytes.length < beginningBytes)
  return Buffer.concat(first).subarray(0, beginningBytes).toString('utf8')
}

/** By its beginning: the content type is wrong as often as not. */
function kindOf(text: string): Kind | undefined {
  const start = text.replace(/^[\uFEFF\s]+/, '')
  if (start === '' && text.length < beginningBytes) return undefined
  if (start.startsWith('{')) return 'whole'
  const names = ['data:', 'event:', 'id:', 'retry:', ':']
  if (names.some((name) => start.startsWith(name))) return 'events'
  return names.some((name) => name.startsWith(start)) && start !== '' ? undefined : 'neither'
}

/** @returns whether the server has said that this was all */
function takeEvents(events: readonly ServerSentEvent[], reader: AnswerReader): boolean {
  for (const { event, data } of events) {
    if (data.trim() === '[DONE]') return true
    if (data.trim() === '') continue
    const value = parse(data)
    if (typeof value !== 'object' || value === null)
      throw new AnswerFault(`an event that is no object: ${excerpt(data)}`)
    reader.event(event === 'error' && !('error' in value) && !('type' in value) ? { error: value } : value)
  }
  return false
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new AnswerFault(`this is not JSON: ${excerpt(text)}`)
  }
}

function notAnAnswer(response: Response, text: string): AnswerFault {
  const type = response.headers.get('content-type') ?? 'no content type'
  return new AnswerFault(`it is neither JSON nor a stream of events (${type}): ${excerpt(text)}`)
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`
}
