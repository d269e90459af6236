// A model server that a test scripts: real HTTP, speaking Chat Completions and, simply, Responses; streamed or whole as asked.
//
// W1. Every request that is not refused for what the server cannot do takes the next reply of the script, in the order of
//     arrival. A script that has run out answers 500 and says so.
// W2. What it cannot do (`without`) it refuses with 400 in the words of real servers, and takes no reply for it.
// W3. Nothing waits unless a reply says so: no test has to sleep.
//
// The shortest use:
//
//     await using server = await openModelServer([{ text: 'Hello.' }, { json: { steps: [] } }, { status: 429, retryAfter: '2' }])
//     const model = createModel({ model: 'test', baseURL: server.url })
//     ...
//     server.requests[0].body.messages
//
// A reply is an answer (`text`, `json`, `calls`, `refusal`, with the ways in which it comes), or a fault (`status`, `raw`, `hang`,
// `drop`). A script may be a function of the request, too: then it decides what is asked, and may wait before it answers.
// `json` answers in the way it was asked for: as text, or as the arguments of the one tool that the request forces.
// A test that wants to hold an answer midway gives `text` (or `json`) as an async iterable, and yields pieces when it likes.
import type { SentBody } from './modelServerBody.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refusedAbility, type Ability } from './modelServerAbilities.ts'
import { inCuts, type Chunking } from './modelServerChunks.ts'
import { chatEvents, chatWhole } from './modelServerChat.ts'
import { responsesEvents, responsesWhole } from './modelServerResponses.ts'

export type { Ability, Chunking, SentBody }

/** An answer, and how it comes. */
export interface Said {
  /** A string is cut into pieces of `pieceLength`; pieces of your own are sent as they are. */
  readonly text?: string | Iterable<string> | AsyncIterable<string>
  /** The answer to a request for JSON, as a value, or as pieces of text. */
  readonly json?: unknown
  readonly calls?: readonly SaidCall[]
  readonly refusal?: string
  /** @default what fits: `stop`, or `tool_calls` */
  readonly finish?: 'stop' | 'length' | 'content_filter' | 'tool_calls' | (string & {}) | null
  /** @default one token for four characters; `missing` sends none */
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number } | 'missing'
  /** @default the one asked for */
  readonly model?: string
  /** Characters in a piece of text or arguments. @default 4 */
  readonly pieceLength?: number
  /** How the bytes of a stream are cut: one chunk for each event, all in one, each byte alone, or sizes in turn. @default 'events' */
  readonly chunking?: Chunking
  /** Comment lines (`: keep-alive`) between events, as proxies send them. */
  readonly comments?: boolean
  /** Ends lines with CR LF. */
  readonly crlf?: boolean
  /** Added to every chunk, choice and message: what nobody has documented. */
  readonly unknown?: Readonly<Record<string, unknown>>
  /** No choices at all. */
  readonly noChoices?: boolean
  /** Leaves out `data: [DONE]`. */
  readonly noDone?: boolean
  /** After so many events, the connection is cut. */
  readonly cutAfter?: number
  /** After so many events, an `error` event comes and the stream ends, as some servers do it. */
  readonly errorAfter?: { readonly events: number; readonly message: string }
  /** Answers a request for a stream with a whole answer. */
  readonly whole?: boolean
  /** @default text/event-stream or application/json */
  readonly contentType?: string
  /** Time before the first piece, and for each further one: for benchmarks. @default 0 */
  readonly firstMs?: number
  readonly pieceMs?: number
}

export interface SaidCall {
  readonly name: string
  /** A string is sent as it is, JSON or not. */
  readonly arguments: unknown
  readonly id?: string
}

/** Anything but an answer. */
export type Fault =
  /** A status with the usual error body; `body` replaces it. */
  | {
      readonly status: number
      readonly retryAfter?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly message?: string
      readonly body?: string
      readonly contentType?: string
    }
  /** These bytes, as they are. */
  | { readonly raw: string | Uint8Array; readonly contentType?: string; readonly chunking?: Chunking }
  /** So many bytes of one endless text. */
  | { readonly hugeBytes: number }
  /** Never answers: no header at all, or nothing after the first so many events of an answer. */
  | { readonly hang: true | (Said & { readonly after: number }) }
  /** The connection is cut before any answer. */
  | { readonly drop: true }

export type Reply = Said | Fault
export type Script = Iterable<Reply> | ((request: SeenRequest, index: number) => Reply | Promise<Reply>)

export interface SeenRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Empty where what was sent is no JSON object. */
  readonly body: SentBody
  /** Resolves when the connection is gone: `true` where that was before the answer was complete. */
  readonly gone: Promise<boolean>
}

export interface ModelServerOptions {
  /** What it cannot do: see modelServerAbilities.ts. */
  readonly without?: readonly Ability[]
  /** Any other key is answered with 401. */
  readonly key?: string
}

export interface ModelServer extends AsyncDisposable {
  /** The address for `baseURL`: ends in `/v1`. */
  readonly url: string
  /** All that have come, refused ones included. */
  readonly requests: readonly SeenRequest[]
  /** Answers being given at this moment, and the most at any. */
  readonly open: number
  readonly mostOpen: number
  /** Adds replies to the end of the script. */
  add(...replies: readonly Reply[]): void
  close(): Promise<void>
}

export async function openModelServer(script: Script = [], options: ModelServerOptions = {}): Promise<ModelServer> {
  const requests: SeenRequest[] = []
  const queue = typeof script === 'function' ? undefined : [...script]
  let taken = 0
  const counts = { open: 0, most: 0 }
  const next = (request: SeenRequest): Reply | Promise<Reply> => {
    const index = taken++
    if (typeof script === 'function') return script(request, index)
    return queue?.[index] ?? { status: 500, message: `the script has no reply for request ${index}` } // W1
  }
  const take = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    counts.open += 1
    counts.most = Math.max(counts.most, counts.open)
    const gone = new Promise<boolean>((resolve) => {
      response.on('close', () => {
        counts.open -= 1
        resolve(!response.writableFinished)
      })
    })
    const seen: SeenRequest = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: parsed(await bodyOf(incoming)),
      gone,
    }
    requests.push(seen)
    if (options.key !== undefined && incoming.headers.authorization !== `Bearer ${options.key}`) {
      await answer(seen, response, {
        status: 401,
        message: `Incorrect API key provided: ${incoming.headers.authorization ?? ''}`,
      })
      return
    }
    const refused = refusedAbility(seen.body, seen.path, options.without ?? [])
    await answer(seen, response, refused ?? (await next(seen)))
  }
  const server = createServer((incoming, response) => {
    take(incoming, response).catch(() => response.destroy()) // the client has gone, or the script threw
  })
  const url = await listening(server)
  const close = (): Promise<void> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  return {
    url: `${url}/v1`,
    requests,
    get open() {
      return counts.open
    },
    get mostOpen() {
      return counts.most
    },
    add: (...replies) => void queue?.push(...replies),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** An address at which nobody listens. */
export async function refusedAddress(): Promise<string> {
  const server = createServer()
  const url = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return `${url}/v1`
}

async function answer(seen: SeenRequest, response: ServerResponse, reply: Reply): Promise<void> {
  if ('drop' in reply) response.destroy()
  else if ('status' in reply) {
    response.writeHead(reply.status, {
      'content-type': reply.contentType ?? 'application/json',
      ...(reply.retryAfter !== undefined && { 'retry-after': reply.retryAfter }),
      ...reply.headers,
    })
    const message = reply.message ?? `scripted ${reply.status}`
    response.end(reply.body ?? JSON.stringify({ error: { message, type: 'scripted', code: null } }))
  } else if ('raw' in reply) {
    response.writeHead(200, { 'content-type': reply.contentType ?? 'text/event-stream' })
    for (const chunk of inCuts(Buffer.from(reply.raw as string), reply.chunking ?? 'whole')) response.write(chunk)
    response.end()
  } else if ('hugeBytes' in reply) await pour(response, reply.hugeBytes)
  else if ('hang' in reply) {
    if (reply.hang !== true) await say(seen, response, { ...reply.hang, cutAfter: reply.hang.after }, 'hang')
  } else await say(seen, response, reply, 'cut')
}

async function say(seen: SeenRequest, response: ServerResponse, said: Said, ending: 'cut' | 'hang'): Promise<void> {
  const isResponses = seen.path.endsWith('/responses')
  if (seen.body.stream !== true || said.whole === true) {
    await pause(said.firstMs)
    const whole = isResponses ? await responsesWhole(said, seen.body) : await chatWhole(said, seen.body)
    response.writeHead(200, { 'content-type': said.contentType ?? 'application/json' })
    response.end(JSON.stringify(whole))
    return
  }
  response.writeHead(200, { 'content-type': said.contentType ?? 'text/event-stream' })
  response.flushHeaders()
  const end = said.crlf === true ? '\r\n' : '\n'
  const chunking = said.chunking ?? 'events'
  const held: Buffer[] = [] // chunks that reach over events
  let sent = 0
  for await (const event of isResponses ? responsesEvents(said, seen.body) : chatEvents(said, seen.body)) {
    if (sent === said.cutAfter || sent === said.errorAfter?.events) break
    await pause(sent === 0 ? said.firstMs : said.pieceMs)
    const comment = said.comments === true ? `: keep-alive ${sent}${end}${end}` : ''
    const bytes = Buffer.from(comment + event.replaceAll('\n', end))
    if (chunking === 'events' || chunking === 'bytes')
      for (const chunk of inCuts(bytes, chunking)) response.write(chunk)
    else held.push(bytes)
    sent += 1
    if (response.destroyed) return
  }
  if (held.length > 0) for (const chunk of inCuts(Buffer.concat(held), chunking)) response.write(chunk)
  if (said.errorAfter !== undefined)
    response.write(`data: ${JSON.stringify({ error: { message: said.errorAfter.message } })}${end}${end}`)
  if (sent !== said.cutAfter) response.end()
  // What was written goes out before the connection is cut.
  else if (ending === 'cut') setImmediate(() => response.destroy())
}

async function pour(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const delta = { choices: [{ index: 0, delta: { content: 'x'.repeat(60_000) } }] }
  const chunk = `data: ${JSON.stringify(delta)}\n\n`
  for (let sent = 0; sent < bytes && !response.destroyed; sent += chunk.length) {
    if (!response.write(chunk)) await drained(response)
  }
  response.end()
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): SentBody {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

async function pause(ms = 0): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms)) // W3
}

/** Ports are used again by the system, and what is remembered of a server is remembered by its address: each gets its own. */
const usedPorts = new Set<number>()

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  for (;;) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    if (!usedPorts.has(port)) {
      usedPorts.add(port)
      return `http://127.0.0.1:${port}`
    }
    await new Promise((resolve) => server.close(resolve))
  }
}
