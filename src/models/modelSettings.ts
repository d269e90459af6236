// The options of a model, checked and completed.
import type { OpenAI } from 'openai'
import { PlanloomError } from '../errors.ts'
import { formatRungs, type FormatRung } from './json/formatLadder.ts'
import { redactor, type Redact } from './redact.ts'
import { secretsOf, type Secrets } from './secrets.ts'
import { systemServerClock, type ServerClock } from './server/serverClock.ts'
import { serverFor, type FindServer, type ServerSettings } from './server/modelServer.ts'
import type { ModelPrices } from './usage.ts'

export interface ModelOptions extends ServerSettings {
  /** As the server names it. */
  readonly model: string
  /** Address of the server, with what comes before `/chat/completions`. @default `OPENAI_BASE_URL`, or OpenAI */
  readonly baseURL?: string
  /** @default `OPENAI_API_KEY`; a local server needs none */
  readonly apiKey?: string
  /** A client of the `openai` package, in the place of address and key. It is not asked to try again. */
  readonly client?: OpenAI
  /** @default 'chat', which all servers speak */
  readonly api?: 'chat' | 'responses'
  /** The way of asking for JSON to begin with; those above it are not tried: a strict schema, a loose one, some JSON object, the arguments
   * of a tool, words. What the server refuses goes down from there by itself. @default 'strict' */
  readonly jsonFormat?: FormatRung
  /** Without them, calls cost nothing. */
  readonly prices?: ModelPrices
  /** Longest answer, in tokens, where a request names none. @default that of the server */
  readonly maxTokens?: number
  /** Longest silence, in ms: before the first byte, and between two. @default 120_000 */
  readonly timeoutMs?: number
  /** Longest that a call may take in all, in ms, with its waiting and its retries: also where a server never falls silent and never
   * comes to an end. @default 600_000 */
  readonly callMs?: number
  /** Most that is taken of one answer. @default 67_108_864 */
  readonly maxBytes?: number
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Carries out the requests: for a proxy, a recording, a test. @default `fetch` of Node */
  readonly fetch?: typeof fetch
}

/** What stands in for the world in tests. */
export interface ModelWorld {
  readonly clock?: ServerClock
  readonly servers?: FindServer
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface ModelSettings {
  readonly model: string
  readonly baseURL: string
  /** Of the address, for people: without user, password and query. */
  readonly place: string
  readonly apiKey: string | undefined
  readonly client: OpenAI | undefined
  readonly api: 'chat' | 'responses'
  readonly jsonFormat: FormatRung
  readonly prices: ModelPrices | undefined
  readonly maxTokens: number | undefined
  readonly timeoutMs: number
  readonly callMs: number
  readonly maxBytes: number
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  readonly redact: Redact
  /** Of the keys alone, for what the model itself says. */
  readonly keys: Secrets
  readonly clock: ServerClock
  readonly servers: FindServer
  readonly limits: ServerSettings
}

const openAI = 'https://api.openai.com/v1'

/** @throws `MODEL_OPTIONS_INVALID` */
export function modelSettings(options: ModelOptions, world: ModelWorld): ModelSettings {
  const {
    model,
    client,
    api = 'chat',
    jsonFormat = 'strict',
    prices,
    maxTokens,
    timeoutMs = 120_000,
    callMs = 600_000,
    maxBytes = 67_108_864,
    headers = {},
  } = options
  const { clock = systemServerClock, servers = serverFor, env = process.env } = world
  if (typeof model !== 'string' || model.trim() === '')
    throw invalid('"model" is missing.', 'Name the model as the server does.')
  if (client !== undefined && (options.baseURL !== undefined || options.apiKey !== undefined))
    throw invalid(
      '"client" stands beside "baseURL" or "apiKey".',
      'A client has its own address and key: leave the others out.',
    )
  if (!formatRungs.includes(jsonFormat))
    throw invalid(
      `"jsonFormat" is ${JSON.stringify(jsonFormat)}.`,
      `It takes ${formatRungs.map((rung) => `"${rung}"`).join(', ')}.`,
    )
  checkNumbers({ maxTokens, timeoutMs, callMs, maxBytes })
  checkPrices(prices)
  const baseURL = (client?.baseURL ?? options.baseURL ?? given(env['OPENAI_BASE_URL']) ?? openAI).replace(/\/+$/, '')
  if (!URL.canParse(baseURL) || !/^https?:$/.test(new URL(baseURL).protocol))
    throw invalid(
      'The address of the server is no URL.',
      'An address (baseURL, or OPENAI_BASE_URL) looks like http://localhost:11434/v1.',
    ) // it may hold a key
  const apiKey = client === undefined ? (given(options.apiKey) ?? given(env['OPENAI_API_KEY'])) : undefined
  const { origin, pathname, username, password, searchParams } = new URL(baseURL)
  if (username !== '' || password !== '')
    throw invalid(
      'The address of the server holds a user or a password.',
      'Send them in headers: { authorization: … }.',
    )
  const secrets = [apiKey, client?.apiKey ?? undefined, ...searchParams.values(), ...Object.values(headers)]
  const { concurrency, requestsPerMinute, tokensPerMinute, failuresInARow, restMs, retries, maxWaitMs } = options
  const limits = { concurrency, requestsPerMinute, tokensPerMinute, failuresInARow, restMs, retries, maxWaitMs }
  return {
    model,
    baseURL,
    place: `${origin}${pathname.replace(/\/+$/, '')}`,
    apiKey,
    client,
    api,
    jsonFormat,
    prices,
    maxTokens,
    timeoutMs,
    callMs,
    maxBytes,
    headers,
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    redact: redactor(secrets),
    keys: secretsOf(
      [apiKey, client?.apiKey ?? undefined, ...keysIn(searchParams), ...keysIn(Object.entries(headers))].filter(
        (key) => key !== undefined && !standsForNone(key),
      ),
    ),
    clock,
    servers,
    limits: Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
  }
}

/** Values that are keys, as their names say; of "Bearer abc" the key is "abc". */
function keysIn(named: Iterable<readonly [string, string]>): string[] {
  return [...named].flatMap(([name, value]) =>
    /auth|key|token|secret|cookie|password/i.test(name) ? [value, value.split(/\s+/).at(-1) ?? value] : [],
  )
}

/** "not-needed", "lm-studio": what people write where a local server asks for no key, and models may say as well. */
function standsForNone(key: string): boolean {
  return key.length < 20 && /^[a-z]+(?:-[a-z]+)*$/.test(key)
}

/** An empty variable is one that is not set. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim()
}

function checkNumbers(numbers: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue
    throw invalid(`"${name}" is ${String(value)}; it takes a whole number from 1 on.`, 'Correct it, or leave it out.')
  }
}

function checkPrices(prices: ModelPrices | undefined): void {
  for (const [name, value] of Object.entries(prices ?? {})) {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) continue
    throw invalid(
      `The price "${name}" is ${String(value)}.`,
      'Prices are for a million tokens, in a unit of yours: 0 or more.',
    )
  }
}

function invalid(message: string, hint: string): PlanloomError {
  return new PlanloomError('MODEL_OPTIONS_INVALID', message, { hint })
}
