// What may come of one attempt at a server, and what that says about the server.
//
// A1. Tried again is only what the server cannot have begun to answer: what has been told piece by piece is never told twice.
// A2. What a person must change (key, address, model, request) is not tried again.

/** A `Headers`, or anything that finds a header by its name in lower case. */
export interface HeaderSource {
  get(name: string): string | null
}

export type Attempt<T> =
  /** @param tokens what was really used, where the server said it */
  | { readonly status: 'answered'; readonly value: T; readonly tokens?: number }
  | {
      readonly status: AttemptTrouble
      readonly error: unknown
      readonly headers?: HeaderSource
      readonly tokens?: number
    }

/** `limited`: not now (429). `unavailable`: it is down, or not reached; no byte of an answer came.
 * `broken`: the answer broke off, or was none. `refused`: it works, and will not answer this request. */
export type AttemptTrouble = 'limited' | 'unavailable' | 'broken' | 'refused'

export interface FailureSigns {
  /** Of the HTTP answer; `undefined` where none came. */
  readonly httpStatus: number | undefined
  readonly headers?: HeaderSource | undefined
  /** `code` or `type` in the body of the error, as providers name it. */
  readonly code?: string | null | undefined
  /** Something of an answer with status 200 has been read. */
  readonly hasBegun?: boolean
}

/** What a failed attempt says about the server. */
export function troubleOf({ httpStatus, headers, code, hasBegun = false }: FailureSigns): AttemptTrouble {
  if (hasBegun) return 'broken' // A1
  if (httpStatus === undefined) return 'unavailable'
  if (httpStatus < 400) return 'broken' // an answer, but not one that could be read
  if (httpStatus === 429) return isForGood(headers, code) ? 'refused' : 'limited'
  if (httpStatus >= 500) return httpStatus === 501 || httpStatus === 505 ? 'refused' : 'unavailable'
  return passing.has(httpStatus) ? 'unavailable' : 'refused' // A2
}

/** Request timed out at the server, conflict, too early: the same request may do a moment later. */
const passing: ReadonlySet<number> = new Set([408, 409, 425])

/** Some providers answer 429 where the money is spent: no waiting helps. */
function isForGood(headers: HeaderSource | undefined, code: string | null | undefined): boolean {
  return (
    code === 'insufficient_quota' || code === 'billing_hard_limit_reached' || headers?.get('x-should-retry') === 'false'
  )
}
