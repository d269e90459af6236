// A request as the HTTP tools make it: every hop allowed, in time, and its answer judged.
//
// A1. Each hop of a redirect is checked like the first, and none leads from https to http.
// A2. What a step or the settings send to one origin (a token, a cookie) does not follow a redirect to another.
import { ToolError } from '../toolError.ts'
import { findAllowed } from './allowedHosts.ts'
import { exchange, placeOf, type HttpAnswer } from './exchange.ts'
import type { HttpLimits } from './httpLimits.ts'

export interface Question {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly redirects: number
  readonly signal: AbortSignal
}

export interface Answer extends HttpAnswer {
  /** Where it came from in the end. */
  readonly url: string
}

/** Sends a request and follows redirects.
 *
 * @throws `URL_INVALID`, `HOST_REFUSED`, `HEADER_REFUSED`, `REDIRECT_REFUSED`, `HTTP_TIMEOUT`, and what `exchange` throws.
 */
export async function ask(question: Question, limits: HttpLimits): Promise<Answer> {
  const deadline = AbortSignal.timeout(limits.timeoutMs)
  const signal = AbortSignal.any([question.signal, deadline])
  let url = parseUrl(question.url)
  let headers = ownHeaders(question.headers)
  try {
    for (let hop = 0; ; hop++) {
      const answer = await exchange({
        url,
        method: question.method,
        headers: { ...headers, ...settledHeaders(url, limits) },
        ...(question.body !== undefined && { body: question.body }),
        signal,
        maxBytes: limits.maxBytes,
        allowPrivate: limits.allowPrivate,
      })
      const location = answer.headers['location']
      if (location === undefined || !isRedirect(answer.status) || question.redirects === 0)
        return { ...answer, url: url.href }
      if (hop >= question.redirects)
        throw redirectRefused(url, `it is redirected more than ${question.redirects} times`)
      const next = nextUrl(location, url)
      if (next.origin !== url.origin) headers = {} // A2
      url = next
    }
  } catch (error) {
    if (deadline.aborted && !question.signal.aborted) throw timedOut(url, limits.timeoutMs)
    throw error
  }
}

/** Makes an error of an answer whose status says that it did not work.
 *
 * @param mayRepeat whether a server that broke down half-way may be asked again
 * @throws `HTTP_STATUS`
 */
export function requireSuccess({ url, status, headers, body }: Answer, mayRepeat: boolean): void {
  if (status >= 200 && status < 300) return
  const wait = headers['retry-after']
  const location = headers['location']
  const text = body.subarray(0, 300).toString('utf8').replaceAll(/\s+/g, ' ').trim()
  throw new ToolError('HTTP_STATUS', `${placeOf(new URL(url))} answered ${status}${text === '' ? '.' : `: ${text}`}`, {
    retryable: notProcessed.has(status) || (mayRepeat && status >= 500),
    hint:
      wait !== undefined
        ? `The server asks to wait: Retry-After ${wait}.`
        : location !== undefined
          ? `It points to ${location}`
          : hintFor(status),
  })
}

/** Statuses by which a server says that it did nothing yet: too early, too many, not now. */
const notProcessed: ReadonlySet<number> = new Set([408, 425, 429, 503])

function hintFor(status: number): string {
  if (status === 401 || status === 403) return 'Give the credentials in `headers` of httpTools().'
  if (status === 404 || status === 410) return 'Check the path of the URL.'
  return status >= 500 ? 'The server is in trouble.' : 'Check the request; onStatus "give" takes any answer.'
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const problem =
    url === undefined
      ? 'is not a URL'
      : url.protocol !== 'http:' && url.protocol !== 'https:'
        ? 'is neither http nor https'
        : url.username !== '' || url.password !== ''
          ? 'holds a user or a password'
          : undefined
  if (url !== undefined && problem === undefined) return url
  throw new ToolError(
    'URL_INVALID',
    `${url === undefined ? JSON.stringify(text.slice(0, 200)) : placeOf(url)} ${problem ?? ''}.`,
    {
      retryable: false,
      hint: 'Give a whole URL, as https://example.com/path; credentials go into `headers` of httpTools().',
    },
  )
}

/** What is set for the host of this hop, which must be an allowed one (A1). */
function settledHeaders(url: URL, { hosts, headers }: HttpLimits): Readonly<Record<string, string>> {
  const allowed = findAllowed(hosts, url)
  if (allowed !== undefined) return lowerCased(headers[allowed.entry] ?? {})
  throw new ToolError('HOST_REFUSED', `"${url.host}" is not among the hosts that may be asked.`, {
    retryable: false,
    hint:
      hosts.length === 0 ? 'No host is allowed: name some.' : `Allowed: ${hosts.map(({ entry }) => entry).join(', ')}`,
  })
}

/** They say how a connection is used and whom it is for, which is not the step's to say. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function ownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const lower = lowerCased(headers)
  const refused = Object.keys(lower).find((name) => connectionHeaders.has(name) || name.startsWith('proxy-'))
  if (refused === undefined) return lower
  throw new ToolError('HEADER_REFUSED', `The header "${refused}" is not a step's to set.`, {
    retryable: false,
    hint: 'Leave it out.',
  })
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308
}

function nextUrl(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw redirectRefused(from, 'it is redirected to what is no URL')
  const next = parseUrl(new URL(location, from).href)
  if (from.protocol === 'https:' && next.protocol === 'http:')
    throw redirectRefused(from, 'it is redirected from https to http') // A1
  return next
}

function redirectRefused(url: URL, because: string): ToolError {
  return new ToolError('REDIRECT_REFUSED', `${placeOf(url)} cannot be fetched: ${because}.`, {
    retryable: false,
    hint: 'Ask for the final address.',
  })
}

function timedOut(url: URL, timeoutMs: number): ToolError {
  return new ToolError('HTTP_TIMEOUT', `${placeOf(url)} did not answer in full within ${timeoutMs} ms.`, {
    hint: 'Try again, ask for less, or raise timeoutMs of httpTools().',
  })
}
