// What calls to one server share, for all models, runs and runtimes of this process: limits, retries, and the word that it is down.
//
// S1. One server, one state: a server is the origin and the path of its base URL.
// S2. An attempt is made again only after `limited` and `unavailable`, so many times and with so much waiting as the call allows.
// S3. Where the server says when to come back, nobody comes earlier.
// S4. Every attempt that was made is over when the call is.
import { PlanloomError } from '../../errors.ts'
import type { Attempt, AttemptTrouble } from './attempt.ts'
import { Queue, type Caller } from './queue.ts'
import { backoffMs, retryAfterMs } from './retryAfter.ts'
import { systemServerClock, type ServerClock } from './serverClock.ts'
import { downServer, limitedServer } from './serverErrors.ts'
import { checkServerSettings, defaultRetries, type RetrySettings, type ServerLimits } from './serverLimits.ts'

export interface ServerCall {
  /** Estimate of what an attempt uses, input and output together; a whole number. */
  readonly tokens: number
  readonly signal: AbortSignal
}

export interface ModelServer {
  /** For messages: origin and path, without user, password or query. */
  readonly name: string
  /** Makes an attempt when its turn has come, and again where that may help.
   *
   * @param attempt ends soon after the signal fires. What it throws is taken to say nothing of the server, and is not tried again.
   * @throws what the signal fired with; `MODEL_UNAVAILABLE`, `MODEL_RATE_LIMITED`; the `error` of an attempt that was `refused` or
   *   `broken`, as it is. */
  call<T>(call: ServerCall, attempt: (made: { readonly number: number }) => Promise<Attempt<T>>): Promise<T>
}

export type ServerSettings = ServerLimits & RetrySettings

/** Finds the one state of a server (S1). Limits that were named before stay; of several the strictest holds. */
export type FindServer = (url: string, settings?: ServerSettings) => ModelServer

/** A set of servers with a clock of its own, as a test needs it. */
export function createServers(clock: ServerClock): FindServer {
  const queues = new Map<string, Queue>()
  return (url, settings = {}) => {
    checkServerSettings(settings)
    const name = serverName(url)
    const queue = queues.get(name) ?? new Queue(name, clock)
    queues.set(name, queue)
    queue.limit(settings)
    const retries = settings.retries ?? defaultRetries.retries
    const maxWaitMs = settings.maxWaitMs ?? defaultRetries.maxWaitMs
    return { name, call: (call, attempt) => carryOut(name, queue, clock, { ...call, retries, maxWaitMs }, attempt) }
  }
}

/** The servers of this process. */
export const serverFor: FindServer = createServers(systemServerClock)

async function carryOut<T>(
  name: string,
  queue: Queue,
  clock: ServerClock,
  { tokens, signal, retries, maxWaitMs }: ServerCall & Required<RetrySettings>,
  attempt: (made: { readonly number: number }) => Promise<Attempt<T>>,
): Promise<T> {
  const turn = queue.nextTurn()
  const caller: Caller = {
    turn,
    tokens: Math.ceil(tokens),
    signal,
    maxWaitMs,
    attempts: 0,
    putOffAt: undefined,
    waitedMs: 0,
  }
  let firstFailureAt: number | undefined
  for (let delayMs = 0; ;) {
    const place = await queue.enter(caller, delayMs)
    let outcome: Attempt<T>
    try {
      outcome = await attempt({ number: caller.attempts })
    } catch (error) {
      place.leave('unknown', undefined)
      throw error
    }
    if (outcome.status === 'answered') {
      place.leave('well', outcome.tokens)
      return outcome.value
    }
    const { status, error, headers } = outcome
    const now = clock.now()
    const askedMs = retryAfterMs(headers, now)
    delayMs = askedMs ?? backoffMs(caller.attempts, clock.random())
    // S3: before the place is given back. What the server says holds, also where the call has been given up meanwhile.
    if (status === 'limited' || askedMs !== undefined) queue.putOff(now + delayMs, error)
    place.leave(signOf(status, signal), outcome.tokens ?? (status === 'broken' ? undefined : 0), error)
    signal.throwIfAborted()
    if (status === 'refused' || status === 'broken') throw error
    firstFailureAt ??= now
    caller.putOffAt ??= now
    if (caller.attempts > retries || caller.waitedMs + delayMs > maxWaitMs) {
      throw status === 'limited'
        ? limitedServer(name, caller.attempts, now + delayMs, error)
        : downServer(name, caller.attempts, firstFailureAt, error)
    }
  }
}

/** What fails because it was given up says nothing of the server. */
function signOf(status: AttemptTrouble, signal: AbortSignal): 'well' | 'failed' | 'unknown' {
  if (status === 'refused' || status === 'limited') return 'well'
  return signal.aborted ? 'unknown' : 'failed'
}

function serverName(url: string): string {
  if (!URL.canParse(url)) {
    throw new PlanloomError('MODEL_OPTIONS_INVALID', 'The address of the server is no URL.', {
      hint: 'An address looks like http://localhost:11434/v1.', // what came is not shown: it may hold a key
    })
  }
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
