// The client of the `openai` package: made at the first call, so that whoever uses no model does not wait for its loading.
import type { OpenAI } from 'openai'
import type { Redact } from './redact.ts'
import { errorInUsualForm } from './wire/errorBody.ts'

export interface ClientSettings {
  readonly baseURL: string
  readonly apiKey: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  readonly redact: Redact
}

/** @returns the same client at each call */
export function lazyClient(settings: ClientSettings): () => Promise<OpenAI> {
  let client: Promise<OpenAI> | undefined
  return () => (client ??= makeClient(settings))
}

async function makeClient({ baseURL, apiKey, headers, fetch }: ClientSettings): Promise<OpenAI> {
  const { OpenAI } = await import('openai')
  return new OpenAI({
    baseURL,
    apiKey: apiKey ?? 'none', // it wants one; what is sent says otherwise
    adminAPIKey: null,
    defaultHeaders: { ...headers, ...(apiKey === undefined && { Authorization: null }) },
    fetch: boundedErrors(fetch),
    maxRetries: 0, // calls are tried again where all that go to a server meet
    timeout: longestMs, // silence is watched elsewhere
    logLevel: 'off', // it would write what no log may hold
  })
}

/** What a timer can hold. */
export const longestMs = 2 ** 31 - 1

const longestErrorBytes = 65_536

/** The package reads the body of an error whole: it gets no more of it than a person would. Nobody is followed elsewhere: headers with
 * keys, and what was asked, would go along. */
function boundedErrors(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    if (response.ok || response.body === null) return response
    const { status, statusText, headers } = response
    const kept = new Headers(headers)
    for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name)
    const body = errorInUsualForm(await beginningOf(response.body as ReadableStream<Uint8Array>))
    return new Response(body, { status: status < 200 ? 500 : status, statusText, headers: kept })
  }
}

async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= longestErrorBytes) break // leaving the loop cancels the rest
    }
  } catch {
    // cut off: the status has been told, and what has come of the body is told, too
  }
  return Buffer.concat(chunks).subarray(0, longestErrorBytes).toString('utf8')
}
