// How long to wait before the next attempt: as the server asks or, where it does not, backoff with full jitter.
//
// B1. What the server asks for is never cut short. A time that is not ahead asks for nothing.
// B2. Without a word of the server, the wait is anything from 0 up to a bound that doubles with each attempt: calls that failed
//     together do not come back together.
import type { HeaderSource } from './attempt.ts'

/** ms that the server asks to wait, from `retry-after-ms`, or `Retry-After` in seconds or as a date. @param now ms since the epoch */
export function retryAfterMs(headers: HeaderSource | undefined, now: number): number | undefined {
  const ms = decimal(headers?.get('retry-after-ms'))
  if (ms !== undefined) return ahead(ms)
  const text = headers?.get('retry-after')?.trim()
  if (text === undefined) return undefined
  const seconds = decimal(text)
  if (seconds !== undefined) return ahead(seconds * 1000)
  const at = httpDate(text)
  if (at === undefined) return undefined
  return ahead(at - (httpDate(headers?.get('date')) ?? now)) // by the server's own clock, where it tells the time
}

/** @param attempt from 1 @param random from 0 up to 1
 * @see Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 */
export function backoffMs(attempt: number, random: number): number {
  return random * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1)) // B2
}

const firstBackoffMs = 1_000
const longestBackoffMs = 30_000

function ahead(ms: number): number | undefined {
  return ms > 0 ? ms : undefined
}

function decimal(text: string | null | undefined): number | undefined {
  return text != null && /^\s*\d{1,12}(\.\d{1,12})?\s*$/.test(text) ? Number(text) : undefined
}

function httpDate(text: string | null | undefined): number | undefined {
  if (text == null || !/^[A-Z][a-z]{2,8},? /.test(text)) return undefined // `Date.parse` takes nearly anything for a date
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
