// Taking keys out of what a cassette holds.
//
// B1. What a request carries as its right to be answered (key, organisation, project, cookie; in headers or in the address) is
//     never written: not there, since no request header is, and not where a body or a path repeats it.
// B2. The same request with another key is the same request: recording and replay blank alike.
import type { Json } from '../../plan/json.ts'
import { redactor } from '../redact.ts'

export interface Blank {
  text(text: string): string
  json(value: unknown): Json
}

/** @param secrets those of the request at hand; what looks like a key is blanked without being named. */
export function blankFor(secrets: readonly string[]): Blank {
  const redact = redactor(secrets)
  const text = (raw: string): string => redact(raw).replace(organisation, mark).replace(parameterInText, `$1${mark}`)
  const json = (value: unknown): Json => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(json)
    if (typeof value !== 'object' || value === null) return value as Json
    // `fromEntries` defines: a key named __proto__ stays a key.
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        text(key),
        typeof inner === 'string' && secretField.test(key) ? mark : json(inner),
      ]),
    )
  }
  return { text, json }
}

/** What a request carries as its right to be answered. */
export function secretsOf(headers: Headers, url: URL): string[] {
  const secrets: string[] = []
  for (const [name, value] of headers) {
    if (!secretHeader.test(name)) continue
    secrets.push(value)
    if (name === 'cookie') secrets.push(...value.split(/;\s*/).map((cookie) => cookie.slice(cookie.indexOf('=') + 1)))
    else secrets.push(value.replace(/^\w+\s+/, '')) // the scheme: Bearer, Basic
  }
  for (const [name, value] of url.searchParams) if (secretParameter.test(name)) secrets.push(value)
  // As it was written: a `+` stands for a space only to those that read it so.
  for (const part of url.search.slice(1).split('&')) {
    const [name = '', value = ''] = part.split(/=(.*)/s)
    if (secretParameter.test(name)) secrets.push(value)
  }
  return secrets
}

/** What an answer tells of who asked. */
export function answeredSecrets(headers: Headers): string[] {
  const cookies = headers.getSetCookie().map((cookie) => cookie.replace(/^[^=]*=|;.*$/gs, ''))
  const names = ['openai-organization', 'openai-project'].flatMap((name) => headers.get(name) ?? [])
  return [...cookies, ...names]
}

/** Path and query, without what is secret in them. */
export function pathOf(url: URL, blank: Blank): string {
  const query = new URLSearchParams(url.search)
  for (const name of new Set(query.keys())) if (secretParameter.test(name)) query.set(name, mark)
  const text = query.toString()
  return blank.text(decodeMark(`${url.pathname}${text === '' ? '' : `?${text}`}`))
}

const mark = '[redacted]'
const secretHeader = /auth|api-?key|token|secret|cookie|organization|project|signature/i
const secretField = /^(?:(?:proxy-)?authorization|(?:x-)?api[-_]?key|access[-_]?token|client[-_]?secret)$/i
const secretParameter =
  /^(?:(?:x-)?api[-_]?key|(?:subscription-)?key|access[-_]?token|token|client[-_]?secret|sig|signature|code)$/i
/** In an address that stands in a text. */
const parameterInText =
  /([?&](?:(?:x-)?api[-_]?key|key|access[-_]?token|client[-_]?secret|sig|signature)=)[^&\s"'#\\]{6,}/gi
/** As OpenAI writes them, also where an error names the one that a key belongs to. */
const organisation = /\b(?:org-[A-Za-z0-9]{20,}|proj_[A-Za-z0-9]{16,})/g

function decodeMark(text: string): string {
  return text.replaceAll(encodeURIComponent(mark), mark)
}
