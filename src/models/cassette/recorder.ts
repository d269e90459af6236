// Recording exchanges: what comes is handed on as it comes, and written when it is whole.
//
// R1. When the caller has read the last byte of an answer, the exchange stands in the file.
// R2. Exchanges stand in the order in which their requests began, whenever their answers end.
// R3. What the caller's signal ends is not recorded: nobody knows how it would have gone on. What the server breaks off is, and
//     what the caller stops reading by itself, as far as it has read (in the background: such callers do not wait).
import type { Blank } from './blank.ts'
import { writeCassette, type Exchange, type RecordedResponse } from './cassetteFile.ts'
import { bodyOf, chunksOf } from './pieces.ts'
import type { Fetch, TakenRequest } from './request.ts'

export class Recorder {
  readonly #path: string
  /** By the number of their request: those without an exchange are not over yet, or were given up. */
  readonly #exchanges: (Exchange | undefined)[]
  #writing: Promise<void> = Promise.resolve()
  #isDirty = false

  constructor(path: string, former: readonly Exchange[] = []) {
    this.#path = path
    this.#exchanges = [...former]
  }

  async record(request: TakenRequest, fetch: Fetch): Promise<Response> {
    const number = this.#exchanges.push(undefined) - 1
    const response = await request.send(fetch)
    const { recorded, signal } = request
    const blank = request.blankAnswer(response.headers)
    const keep = (rest: Pick<RecordedResponse, 'json' | 'body' | 'chunks' | 'brokeOff'>): Promise<void> => {
      const headers = keptHeaders(response.headers, (text) => blank.text(text))
      this.#exchanges[number] = { request: recorded, response: { status: response.status, headers, ...rest } }
      return this.#write()
    }
    if (isStream(response)) return copyOf(response, tapped(response.body, keep, blank, signal))
    // Read to its end here: a client that tries again does not read what refused it.
    const bytes = new Uint8Array(await response.arrayBuffer())
    await keep(bodyOf(bytes, blank))
    return copyOf(response, hasNoBody(response.status) ? null : bytes)
  }

  /** One write at a time; those that wait for it are written by the next one together. */
  #write(): Promise<void> {
    if (this.#isDirty) return this.#writing
    this.#isDirty = true
    this.#writing = this.#writing
      .catch(() => undefined) // told to those that it was for
      .then(() => {
        this.#isDirty = false
        return writeCassette(
          this.#path,
          this.#exchanges.filter((exchange) => exchange !== undefined),
        )
      })
    return this.#writing
  }
}

type Keep = (rest: Pick<RecordedResponse, 'chunks' | 'brokeOff'>) => Promise<void>

/** The same stream; what has come of it is kept before its end is told (R1). */
function tapped(
  body: ReadableStream<Uint8Array>,
  keep: Keep,
  blank: Blank,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let tail = ''
  let isMarked = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let next: Awaited<ReturnType<typeof reader.read>>
        try {
          next = await reader.read()
        } catch (error) {
          if (!signal.aborted) await keep({ chunks: chunksOf(chunks, blank), brokeOff: true })
          throw error
        }
        if (next.done) {
          await keep({ chunks: chunksOf(chunks, blank) })
          controller.close()
          return
        }
        chunks.push(next.value)
        tail = tail.slice(-longestMark) + Buffer.from(next.value).toString('latin1')
        isMarked ||= endMark.test(tail)
        // A client that stops reading at the mark has read all of it.
        if (isMarked) await keep({ chunks: chunksOf(chunks, blank) })
        controller.enqueue(next.value)
      },
      async cancel(reason) {
        // A client that can do nothing with an answer stops reading it, and will do so at the same place.
        if (!isMarked && !signal.aborted) await keep({ chunks: chunksOf(chunks, blank), brokeOff: true })
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** What says that a stream of Chat Completions is over, before it is. */
const endMark = /[\r\n]data: ?\[DONE\]/
const longestMark = 20

function isStream(response: Response): response is Response & { readonly body: ReadableStream<Uint8Array> } {
  return response.body !== null && /^\s*text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

function copyOf(
  { status, statusText, headers }: Response,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
): Response {
  const copied = new Headers(headers)
  // The body is unpacked already.
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) copied.delete(name)
  return new Response(body, { status, statusText, headers: copied })
}

/** What a client acts on; all else (cookies, organisations, request ids, dates) says who asked, and when. */
function keptHeaders(headers: Headers, blank: (text: string) => string): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of [...kinds, ...(headers.has('retry-after') ? ['date'] : [])]) {
    const value = headers.get(name)
    if (value !== null) kept[name] = blank(value)
  }
  return kept
}

const kinds = ['content-type', 'retry-after', 'retry-after-ms', 'x-should-retry']
