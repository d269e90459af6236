// What one server is asked for at most, and how long a call goes on trying.
import { PlanloomError } from '../../errors.ts'

/** Limits that all calls of this process to one server share. Where several models name them, the strictest holds. */
export interface ServerLimits {
  /** Calls at one time. @default 16 */
  readonly concurrency?: number
  /** Calls that begin in any minute. @default no limit */
  readonly requestsPerMinute?: number
  /** Tokens of the calls that begin in any minute: by an estimate first, then by what was used. @default no limit */
  readonly tokensPerMinute?: number
  /** After so many failures in a row nobody calls the server for `restMs`, then one call tries. @default 5 */
  readonly failuresInARow?: number
  /** ms. @default 30_000 */
  readonly restMs?: number
}

/** How a call goes on after an attempt that failed. */
export interface RetrySettings {
  /** Attempts after the first one. @default 4 */
  readonly retries?: number
  /** Longest wait in all, in ms, from when the server puts the call off for the first time. @default 60_000 */
  readonly maxWaitMs?: number
}

export const defaultServerLimits = { concurrency: 16, failuresInARow: 5, restMs: 30_000 } as const

export const defaultRetries = { retries: 4, maxWaitMs: 60_000 } as const

/** @throws `MODEL_OPTIONS_INVALID` */
export function checkServerSettings(settings: ServerLimits & RetrySettings): void {
  for (const [name, least, most] of ranges) {
    const value = settings[name]
    if (value === undefined) continue
    const isWhole = Number.isSafeInteger(value) || (value === Infinity && most === Infinity)
    if (isWhole && value >= least && value <= most) continue
    const range = most === Infinity ? `from ${least} on` : `from ${least} to ${most}`
    throw new PlanloomError(
      'MODEL_OPTIONS_INVALID',
      `"${name}" is ${String(value)}; it takes a whole number ${range}.`,
      {
        hint: `Correct it, or leave it out.`,
      },
    )
  }
}

/** The strictest of both. */
export function stricter(a: ServerLimits, b: ServerLimits): ServerLimits {
  const strictest: Record<string, number> = {}
  for (const [name, strict] of strictness) {
    const values = [a[name], b[name]].filter((value) => value !== undefined)
    if (values.length > 0) strictest[name] = strict(...values)
  }
  return strictest
}

/** What a timer can hold. */
const longestMs = 2 ** 31 - 1

const ranges = [
  ['concurrency', 1, Infinity],
  ['requestsPerMinute', 1, Infinity],
  ['tokensPerMinute', 1, Infinity],
  ['failuresInARow', 1, Infinity],
  ['restMs', 0, longestMs],
  ['retries', 0, Infinity],
  ['maxWaitMs', 0, longestMs],
] as const

const strictness = [
  ['concurrency', Math.min],
  ['requestsPerMinute', Math.min],
  ['tokensPerMinute', Math.min],
  ['failuresInARow', Math.min],
  ['restMs', Math.max],
] as const
