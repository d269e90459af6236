// Errors of calls that a server did not answer. They name the server by `serverName`, which holds no key.
import { ModelError } from '../modelError.ts'
import type { Closure } from './circuitBreaker.ts'

/** A server cannot be called, or does not answer. */
export class ModelUnavailableError extends ModelError {
  override readonly name = 'ModelUnavailableError'
  /** Since when it has not answered, in ms since the epoch. */
  readonly since: number
  /** When it is tried again; until then calls are refused at once. */
  readonly retryAt: number | undefined

  constructor(message: string, since: number, retryAt: number | undefined, cause: unknown) {
    super('MODEL_UNAVAILABLE', message, {
      hint: 'See that the server runs, and that the address is the right one.',
      cause,
    })
    this.since = since
    this.retryAt = retryAt
  }
}

/** A server puts calls off for longer than they wait. */
export class ModelRateLimitedError extends ModelError {
  override readonly name = 'ModelRateLimitedError'
  /** Until when the server wants no calls, in ms since the epoch. */
  readonly retryAt: number

  constructor(message: string, retryAt: number, cause: unknown) {
    super('MODEL_RATE_LIMITED', message, {
      hint: 'Begin again later, or call less: set concurrency, requestsPerMinute and tokensPerMinute to what the server allows you.',
      cause,
    })
    this.retryAt = retryAt
  }
}

export function restingServer(server: string, { since, retryAt, failures }: Closure, cause: unknown): ModelError {
  return new ModelUnavailableError(
    `${server} has not answered since ${at(since)}, ${failures} times in a row. It is left alone until ${at(retryAt)}, then one call tries it.${last(cause)}`,
    since,
    retryAt,
    cause,
  )
}

export function downServer(server: string, attempts: number, since: number, cause: unknown): ModelError {
  return new ModelUnavailableError(
    `${server} did not answer in ${times(attempts)}, the first at ${at(since)}.${last(cause)}`,
    since,
    undefined,
    cause,
  )
}

export function limitedServer(server: string, attempts: number, retryAt: number, cause: unknown): ModelError {
  const began = attempts === 0 ? 'takes no calls' : `put the call off in ${times(attempts)}, and takes none`
  return new ModelRateLimitedError(`${server} ${began} before ${at(retryAt)}.${last(cause)}`, retryAt, cause)
}

function times(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`
}

function at(time: number): string {
  return new Date(time).toISOString()
}

function last(cause: unknown): string {
  return cause instanceof Error && cause.message !== '' ? ` The last reason: ${cause.message.slice(0, 300)}` : ''
}
