// One HTTP request and its answer, over one connection that is closed afterwards.
//
// X1. No more than `maxBytes` of an answer is ever held, counted after decompression: the rest is not waited for.
// X2. When the signal fires, the connection is gone at once.
// X3. A failure says whether the server can have seen the request: what was never sent may be sent again.
import { request as requestPlain, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ToolError } from '../toolError.ts'
import { isPrivateAddress, privateAddress, publicLookup } from './allowedHosts.ts'

export interface HttpRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly allowPrivate: boolean
}

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case; of several with one name, the values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Sends a request and reads its answer.
 *
 * @throws `HOST_PRIVATE`, `HOST_UNREACHABLE` (nothing was sent), `CONNECTION_LOST`, `BODY_TOO_LARGE`, `BODY_UNREADABLE`,
 *   `CERTIFICATE_REFUSED`, `REQUEST_INVALID`; the reason of the signal when it fires.
 */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  const { url, allowPrivate, signal } = request
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && isIP(literal) !== 0 && isPrivateAddress(literal)) throw privateAddress(url.hostname) // not looked up
  signal.throwIfAborted()
  const progress = { wasSent: false }
  try {
    const message = await send(request, progress)
    const headers = headersOf(message)
    const body = request.method === 'HEAD' ? Buffer.alloc(0) : await readBody(message, request)
    return { status: message.statusCode ?? 0, headers, body }
  } catch (error) {
    signal.throwIfAborted() // X2: the reason, not "socket hang up"
    throw error instanceof ToolError ? error : explain(error, url, progress.wasSent)
  }
}

function send(request: HttpRequest, progress: { wasSent: boolean }): Promise<IncomingMessage> {
  const { url, method, headers, body, signal, allowPrivate } = request
  const options: RequestOptions = {
    method,
    headers: {
      'accept-encoding': 'gzip, deflate, br',
      ...headers,
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    },
    signal,
    agent: false, // a connection of its own, so that nothing is left open
    ...(!allowPrivate && { lookup: publicLookup }),
  }
  return new Promise((resolve, reject) => {
    const client: ClientRequest = url.protocol === 'https:' ? requestSecure(url, options) : requestPlain(url, options)
    client.on('error', reject)
    client.on('response', resolve)
    client.on('finish', () => {
      progress.wasSent = true // X3
    })
    client.end(body)
  })
}

async function readBody(message: IncomingMessage, { maxBytes, url }: HttpRequest): Promise<Buffer> {
  try {
    if (Number(message.headers['content-length']) > maxBytes) throw tooLarge(url, maxBytes)
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of decompressed(message)) {
      chunks.push(chunk as Buffer)
      length += (chunk as Buffer).length
      if (length > maxBytes) throw tooLarge(url, maxBytes) // X1
    }
    return Buffer.concat(chunks, length)
  } finally {
    message.destroy()
  }
}

function decompressed(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const opener = openers[encoding]
  if (opener === undefined) return message
  const opened = opener()
  message.on('error', (error) => opened.destroy(error))
  return message.pipe(opened)
}

const openers: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  )
  return Object.fromEntries(entries) as Record<string, string>
}

function tooLarge(url: URL, maxBytes: number): ToolError {
  return new ToolError('BODY_TOO_LARGE', `The answer of ${placeOf(url)} is larger than ${maxBytes} bytes.`, {
    retryable: false,
    hint: 'Ask for less (a page, a filter), or raise maxBytes of httpTools().',
  })
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'])

function explain(error: unknown, url: URL, wasSent: boolean): ToolError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const text =
    error instanceof AggregateError || !(error instanceof Error) || error.message === '' ? code : error.message
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_HTTP_INVALID_HEADER_VALUE' || code === 'ERR_INVALID_HTTP_TOKEN') {
    const hint = 'Header names are letters, digits and dashes; values are one line of text.'
    return new ToolError('REQUEST_INVALID', `The request to ${placeOf(url)} cannot be sent: ${text}`, {
      retryable: false,
      hint,
      cause: error,
    })
  }
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR')) {
    return new ToolError('BODY_UNREADABLE', `The answer of ${placeOf(url)} cannot be unpacked: ${text}`, {
      cause: error,
    })
  }
  if (/CERT|SIGNATURE|ERR_TLS/.test(code)) {
    const hint = 'The host does not prove that it is the one that was meant: check its certificate.'
    return new ToolError('CERTIFICATE_REFUSED', `The certificate of ${url.host} is not accepted: ${text}`, {
      retryable: false,
      hint,
      cause: error,
    })
  }
  if (!wasSent || unreachable.has(code)) {
    const hint = 'Check the name and the port, and whether the server runs.'
    return new ToolError('HOST_UNREACHABLE', `${placeOf(url)} cannot be reached: ${text}`, { hint, cause: error })
  }
  const hint = 'The server may have seen the request all the same.'
  return new ToolError('CONNECTION_LOST', `The connection to ${placeOf(url)} was lost: ${text}`, { hint, cause: error })
}

/** Without query and fragment: those may hold secrets, and a failure is kept for ever. */
export function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}
