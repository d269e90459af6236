// A request as a cassette knows it: method, path and body, without keys.
import { canonicalJson } from '../../plan/hash.ts'
import { answeredSecrets, blankFor, pathOf, secretsOf, type Blank } from './blank.ts'
import type { RecordedRequest } from './cassetteFile.ts'

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface TakenRequest {
  readonly recorded: RecordedRequest
  /** For what comes back. */
  readonly blankAnswer: (headers: Headers) => Blank
  readonly signal: AbortSignal
  /** Sends it. */
  readonly send: (fetch: Fetch) => Promise<Response>
}

/** Takes in what `fetch` is called with. */
export async function takeRequest(input: string | URL | Request, init: RequestInit | undefined): Promise<TakenRequest> {
  const request = new Request(input, init)
  const url = new URL(request.url)
  const isPlain = !(input instanceof Request) && (init?.body == null || typeof init.body === 'string')
  // A stream can be read once: what is sent is the copy.
  const copy = isPlain ? undefined : request.clone()
  const body = await request.text()
  const secrets = secretsOf(request.headers, url)
  const blank = blankFor(secrets)
  return {
    recorded: { method: request.method, path: pathOf(url, blank), ...writtenBody(body, blank) },
    blankAnswer: (headers) => blankFor([...secrets, ...answeredSecrets(headers)]),
    signal: request.signal,
    send: (fetch) => (copy === undefined ? fetch(input, init) : fetch(copy)),
  }
}

/** Two requests with one key are the same. */
export function keyOf({ method, path, json, text }: RecordedRequest): string {
  return `${method} ${path} ${json === undefined ? `text ${text ?? ''}` : canonicalJson(json)}`
}

function writtenBody(body: string, blank: Blank): Pick<RecordedRequest, 'json' | 'text'> {
  if (body === '') return {}
  try {
    return { json: blank.json(JSON.parse(body)) }
  } catch {
    return { text: blank.text(body) }
  }
}
