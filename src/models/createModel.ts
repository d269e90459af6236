// A language model behind any OpenAI-compatible address.
//
// C1. Every request goes out through `server.call`: there the calls of all runs to one server meet.
// C2. A call ends within `callMs`, whatever the server does.
// C3. What was reserved of a budget is settled once, with what was used, however the call ended.
import type { OpenAI } from 'openai'
import { PlanloomError } from '../errors.ts'
import { abilitiesOf, learnFrom, type Abilities } from './abilities.ts'
import { askAs, type AskedAs } from './askedAs.ts'
import { attemptOnce, type AttemptSettings } from './attemptOnce.ts'
import { estimateRequest, usualOutput } from './estimateTokens.ts'
import { lowerOf, rungBelow, rungToTry, SchemaRungs, type FormatRung } from './json/formatLadder.ts'
import type { CallOptions, Model, ModelAnswer, ModelRequest, ModelUsage } from './model.ts'
import { lazyClient } from './modelClient.ts'
import { ModelError } from './modelError.ts'
import { modelSettings, type ModelOptions, type ModelSettings, type ModelWorld } from './modelSettings.ts'
import type { ModelServer } from './server/modelServer.ts'
import { addUsage, noUsage } from '../machines/modelUsage.messages.ts'
import { usageOf } from './usage.ts'

/** Makes a model of any server that speaks Chat Completions. Only address, key and name change between providers and local servers.
 *
 * Nothing is sent before the first call. What the server cannot do (strict schemas, JSON mode, tools) is found out at the
 * first request that needs it, and remembered.
 *
 * @throws `MODEL_OPTIONS_INVALID`
 * @example
 * import { createModel } from 'planloom'
 * const local = createModel({ model: 'qwen3:8b', baseURL: 'http://localhost:11434/v1' })
 * const paid = createModel({ model: 'gpt-5-mini', apiKey: 'sk-...', prices: { input: 0.25, cached: 0.025, output: 2 } })
 * local.name // 'qwen3:8b'
 */
export function createModel(options: ModelOptions): Model {
  return modelIn(options, {})
}

/** The same, with a clock, servers and environment of the caller's. */
export function modelIn(options: ModelOptions, world: ModelWorld): Model {
  const settings = modelSettings(options, world)
  const { client } = settings
  const server = settings.servers(settings.place, settings.limits)
  const parts: Parts = {
    settings,
    server,
    client: client === undefined ? lazyClient(settings) : () => Promise.resolve(client),
    schemaRungs: new SchemaRungs(),
    abilities: abilitiesOf(server.name, settings.model),
  }
  return { name: settings.model, complete: (request, call) => complete(parts, request, call) }
}

interface Parts {
  readonly settings: ModelSettings
  readonly server: ModelServer
  readonly client: () => Promise<OpenAI>
  readonly schemaRungs: SchemaRungs
  readonly abilities: Abilities
}

async function complete(parts: Parts, request: ModelRequest, options: CallOptions): Promise<ModelAnswer> {
  const { settings } = parts
  const { clock, prices, model } = settings
  const { signal, budget } = options
  signal.throwIfAborted()
  const startedAt = clock.now()
  using limit = timeLimit(settings, signal) // C2
  const maxTokens = request.maxTokens ?? settings.maxTokens
  const inputTokens = estimateRequest(request)
  const estimate = usageOf({ inputTokens, outputTokens: maxTokens ?? usualOutput, cachedTokens: 0 }, prices)
  const reservation = budget?.reserve({ tokens: estimate.tokens, cost: estimate.cost, model })
  const bill = { spent: noUsage }
  let failure: string | undefined
  try {
    const spend = (usage: ModelUsage): void => {
      bill.spent = addUsage(bill.spent, usage)
    }
    const answer = await ask(parts, request, {
      ...options,
      signal: limit.signal,
      maxTokens,
      tokens: estimate.tokens,
      spend,
    })
    return { ...answer, usage: bill.spent }
  } catch (error) {
    failure = error instanceof PlanloomError ? error.code : signal.aborted ? 'ABORTED' : 'MODEL_UNAVAILABLE'
    // The errors of the server's door know nothing of what was used.
    if (error instanceof PlanloomError && !signal.aborted) Object.assign(error, { usage: bill.spent })
    throw error
  } finally {
    const ms = Math.max(0, Math.round(clock.now() - startedAt))
    reservation?.settle({ model, usage: bill.spent, ms, ...(failure !== undefined && { failure }) }) // C3
  }
}

/** Fires with the signal, or when the time of the call is over. */
function timeLimit(
  { callMs, clock, place }: ModelSettings,
  signal: AbortSignal,
): Disposable & { readonly signal: AbortSignal } {
  const time = new AbortController()
  const end = new AbortController()
  const wait = async (): Promise<void> => {
    await clock.wait(callMs, end.signal)
    time.abort(
      new ModelError('MODEL_CALL_TIMEOUT', `The call of ${place} took longer than its ${callMs} ms.`, {
        hint: 'Raise callMs where the model needs longer, or have it answer at less length (maxTokens).',
      }),
    )
  }
  wait().catch(() => undefined) // disposed of
  return {
    signal: AbortSignal.any([signal, time.signal]),
    [Symbol.dispose]: () => {
      end.abort()
    },
  }
}

interface Asking extends CallOptions {
  readonly maxTokens: number | undefined
  readonly tokens: number
  readonly spend: (usage: ModelUsage) => void
}

/** Asks in the best way that the server is known to take, and in the next one where it refuses that. */
async function ask(
  parts: Parts,
  request: ModelRequest,
  { signal, onText, maxTokens, tokens, spend }: Asking,
): Promise<ModelAnswer> {
  const { settings, server, client, abilities, schemaRungs } = parts
  let tried: { readonly rung: FormatRung; readonly since: unknown } | undefined
  for (let refusals = 0; ; refusals++) {
    const known =
      request.format === undefined ? abilities.rung : lowerOf(abilities.rung, schemaRungs.of(request.format.schema))
    const rung = lowerOf(settings.jsonFormat, tried === undefined ? known : lowerOf(known, tried.rung))
    const asked = askAs(withToolsTaken(request, parts), rung)
    const now = { ...abilities }
    const attempt: AttemptSettings = {
      settings,
      client,
      asked,
      format: request.format,
      rung,
      abilities: now,
      maxTokens,
      signal,
      onText,
      spend,
    }
    try {
      const answer = await server.call({ tokens, signal }, () => attemptOnce(attempt)) // C1
      if (tried !== undefined) abilities.rung = lowerOf(abilities.rung, tried.rung)
      return answer
    } catch (error) {
      if (refusals === mostRefusals) throw error
      if (learn(error, { parts, request, asked, rung, now, maxTokens })) continue
      const refusal = request.format === undefined ? undefined : refusalIn(error)
      const below = refusal === undefined ? undefined : rungToTry(rung, refusal)
      if (below === undefined) throw tried?.since ?? error
      tried = { rung: below, since: tried?.since ?? error }
    }
  }
}

/** More than there are ways to ask. */
const mostRefusals = 10

interface Refused {
  readonly parts: Parts
  readonly request: ModelRequest
  readonly asked: AskedAs
  readonly rung: FormatRung
  /** As they were when it was asked. */
  readonly now: Abilities
  readonly maxTokens: number | undefined
}

/** @returns whether the server may take the request in another way */
function learn(error: unknown, { parts, request, asked, rung, now, maxTokens }: Refused): boolean {
  const { abilities, schemaRungs, settings } = parts
  const refusal = refusalIn(error)
  if (refusal === undefined) return false
  const isChat = settings.api === 'chat'
  const sent = {
    hasStreamOptions: isChat && now.stream && now.streamOptions,
    isStream: now.stream,
    lengthName: isChat && maxTokens !== undefined ? now.lengthName : undefined,
    hasTools: asked.tools.some(({ name }) => name !== asked.answerTool),
  }
  if (learnFrom(refusal, sent, abilities)) return true
  if (request.format === undefined) return false
  const below = rungBelow(rung, refusal)
  if (below?.of === 'schema') schemaRungs.set(request.format.schema, below.rung)
  if (below?.of === 'server') abilities.rung = lowerOf(abilities.rung, below.rung)
  return below !== undefined
}

/** What the server has against the request; `undefined` where it is not the request that failed. */
function refusalIn(error: unknown): string | undefined {
  if (!(error instanceof ModelError) || error.code !== 'MODEL_REQUEST_REFUSED') return undefined
  if (isSentOn(error)) return undefined
  return error.cause instanceof Error ? error.cause.message : ''
}

/** A redirect says nothing of what was asked. */
function isSentOn({ httpStatus = 0 }: ModelError): boolean {
  return httpStatus >= 300 && httpStatus < 400
}

/** Without tools that can be done without, where the server takes none. @throws `MODEL_TOOLS_REFUSED` where there are others */
function withToolsTaken(request: ModelRequest, { abilities, settings }: Parts): ModelRequest {
  const { tools = [], ...rest } = request
  if (abilities.tools || tools.length === 0) return request
  const needed = tools.filter(({ optional }) => optional !== true)
  if (needed.length === 0) return rest
  const { model, place } = settings
  throw new ModelError('MODEL_TOOLS_REFUSED', `The model "${model}" at ${place} takes no tools, and this needs them.`, {
    hint: 'Choose a model that can call tools, or have the server allow for it; steps that name no tools can do without.',
  })
}
