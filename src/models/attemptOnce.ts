// One HTTP request to a model and its answer.
//
// O1. When the signal fires, the request is aborted at once.
// O2. Its value is an answer, or what the server did in the place of one; it throws only what the signal fired with and what
//     the caller's own `onText` and `fetch` threw on purpose: that says nothing of the server.
// O3. What an answer that broke off has used is told as far as it can be known.
import type { OpenAI } from 'openai'
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions/completions'
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses'
import { PlanloomError } from '../errors.ts'
import type { Abilities } from './abilities.ts'
import { answerOf, unfitAnswer, unfitAnswerIn } from './answerOf.ts'
import type { AskedAs } from './askedAs.ts'
import { estimateRequest, estimateTokens } from './estimateTokens.ts'
import { explainFailure } from './explainFailure.ts'
import { isAboutRung, type FormatRung } from './json/formatLadder.ts'
import { jsonPieces } from './json/jsonPieces.ts'
import type { JsonFormat, ModelAnswer, ModelUsage } from './model.ts'
import { longestMs } from './modelClient.ts'
import type { ModelSettings } from './modelSettings.ts'
import type { Attempt } from './server/attempt.ts'
import { noUsage } from '../machines/modelUsage.messages.ts'
import { isAboutTools } from './refusals.ts'
import { usageOf } from './usage.ts'
import { chatRequest } from './wire/chatRequest.ts'
import { ChatReader } from './wire/chatReader.ts'
import { ReportedFault, type Pieces } from './wire/gathered.ts'
import { readAnswer } from './wire/readAnswer.ts'
import { responsesRequest } from './wire/responsesRequest.ts'
import { ResponsesReader } from './wire/responsesReader.ts'
import { watchSilence } from './wire/silenceWatch.ts'
import { withoutKeys } from './wire/withoutKeys.ts'

export interface AttemptSettings {
  readonly settings: ModelSettings
  readonly client: () => Promise<OpenAI>
  readonly asked: AskedAs
  readonly format: JsonFormat | undefined
  readonly rung: FormatRung
  readonly abilities: Abilities
  readonly maxTokens: number | undefined
  readonly signal: AbortSignal
  readonly onText: ((piece: string) => void) | undefined
  readonly spend: (usage: ModelUsage) => void
}

export async function attemptOnce(attempt: AttemptSettings): Promise<Attempt<ModelAnswer>> {
  const { settings, asked, signal, spend } = attempt
  const { timeoutMs, maxBytes, clock, prices, api } = settings
  using watch = watchSilence(clock, timeoutMs, signal) // O1
  const listener = guarded(attempt.onText)
  const pieces = withoutKeys(piecesFor(attempt, listener.tell), settings.keys)
  const reader = api === 'chat' ? new ChatReader(pieces) : new ResponsesReader(pieces)
  const estimated = (): ModelUsage => {
    const counts = {
      inputTokens: estimateRequest({ ...asked, tools: asked.tools }),
      outputTokens: estimateTokens(reader.written),
    }
    return usageOf({ ...counts, cachedTokens: 0, isEstimated: true }, prices)
  }
  let hasBegun = false
  try {
    const response = await send(attempt, watch.signal)
    hasBegun = true
    watch.heard()
    const onChunk = (): void => {
      watch.heard()
    }
    const gathered = await readAnswer(response, reader, { maxBytes, signal: watch.signal, onChunk })
    pieces.end()
    const usage = gathered.usage === undefined ? estimated() : usageOf(gathered.usage, prices)
    spend(usage)
    return { status: 'answered', value: answerOf(gathered, attempt, usage), tokens: usage.tokens }
  } catch (thrown) {
    const unfit = unfitAnswerIn(thrown)
    const hasSaid = reader.written !== ''
    const isBilled = unfit !== undefined || (hasBegun && (hasSaid || !(thrown instanceof ReportedFault)))
    const usage = isBilled ? estimated() : noUsage
    if (isBilled) spend(usage) // O3
    signal.throwIfAborted()
    if (listener.thrown !== undefined) throw listener.thrown.error
    const own = thrownOnPurpose(thrown)
    if (own !== undefined) throw own
    const silentMs = watch.hasFired ? timeoutMs : undefined
    if (unfit !== undefined)
      return { status: 'answered', value: unfitAnswer(unfit, attempt, usage), tokens: usage.tokens }
    const isRefusal = (said: string): boolean => isAboutWay(said, attempt)
    const failed = explainFailure(thrown, { settings, hasBegun, hasSaid, isRefusal, silentMs, usage })
    return { ...failed, ...(hasBegun && { tokens: usage.tokens }) }
  }
}

/** The answer as it comes: bytes are counted, and silence is watched, from the first one on. */
async function send(
  { client, settings, asked, abilities, maxTokens }: AttemptSettings,
  signal: AbortSignal,
): Promise<Response> {
  const { chat, responses } = await client()
  const options = { signal, maxRetries: 0, timeout: longestMs }
  const { model, api } = settings
  if (api === 'responses') {
    const body = responsesRequest(model, asked, { maxTokens, abilities }) as ResponseCreateParamsStreaming
    return responses.create(body, options).asResponse()
  }
  const body = chatRequest(model, asked, { maxTokens, abilities }) as ChatCompletionCreateParamsStreaming
  return chat.completions.create(body, options).asResponse()
}

/** Whether it is a way of asking that is refused, by whatever status. */
function isAboutWay(said: string, { asked, format, rung }: AttemptSettings): boolean {
  return (format !== undefined && isAboutRung(rung, said)) || (asked.tools.length > 0 && isAboutTools(said))
}

function piecesFor({ asked, format }: AttemptSettings, tell: (piece: string) => void): Pieces {
  const schema = format?.schema
  const isObject = typeof schema === 'object' && (schema['type'] === undefined || schema['type'] === 'object')
  const tellJson = isObject ? jsonPieces(tell) : tell
  return {
    onText: asked.answerTool === undefined ? tellJson : () => undefined,
    onArguments: (name, piece) => {
      if (name === asked.answerTool) tellJson(piece)
    },
  }
}

/** What a `fetch` of the caller's throws for people to read, as a cassette does: the package has wrapped it in its own. */
function thrownOnPurpose(thrown: unknown): PlanloomError | undefined {
  let at = thrown
  for (let depth = 0; depth < 10 && at instanceof Error; depth++) {
    if (at instanceof PlanloomError) return at
    at = at.cause
  }
  return undefined
}

/** Whose error it is: one that the caller's own function throws is not the server's. */
function guarded(onText: ((piece: string) => void) | undefined): {
  readonly tell: (piece: string) => void
  readonly thrown: { readonly error: unknown } | undefined
} {
  const listener: { thrown: { error: unknown } | undefined; tell: (piece: string) => void } = {
    thrown: undefined,
    tell: (piece) => {
      if (piece === '') return
      try {
        onText?.(piece)
      } catch (error) {
        listener.thrown = { error }
        throw error
      }
    },
  }
  return listener
}
