// A language model that a test scripts: no server, no network. What goes over HTTP is tested with test/support/modelServer.ts.
import type { AnswerEnd, CallOptions, Model, ModelAnswer, ModelRequest, ModelUsage } from '../../src/models/model.ts'

/** What it says: a text, a JSON value, or an answer in more detail. */
export type Said =
  | string
  | {
      readonly json?: unknown
      readonly text?: string
      /** The text comes in these pieces. @default as a whole */
      readonly pieces?: Iterable<string> | AsyncIterable<string>
      readonly end?: AnswerEnd
      readonly refusal?: string
      readonly calls?: ModelAnswer['calls']
      /** It throws this in place of an answer. */
      readonly error?: Error
    }

export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[]
  readonly options: readonly CallOptions[]
}

export const usageOfOneCall: ModelUsage = {
  tokens: 12,
  inputTokens: 10,
  outputTokens: 2,
  cachedTokens: 0,
  cost: 0.5,
  calls: 1,
}

/** @param script one after another, the last one again and again; or what is said to each request. */
export function scriptedModel(
  script: readonly Said[] | ((request: ModelRequest, index: number) => Said | Promise<Said>),
  name = 'scripted',
): ScriptedModel {
  const requests: ModelRequest[] = []
  const options: CallOptions[] = []
  return {
    name,
    requests,
    options,
    async complete(request, given) {
      const index = requests.push(request) - 1
      options.push(given)
      const said = typeof script === 'function' ? await script(request, index) : (script[index] ?? script.at(-1) ?? '')
      const reservation = given.budget?.reserve({ tokens: 100, cost: 1 })
      const detail = typeof said === 'string' ? { text: said } : said
      const failed = detail.error
      reservation?.settle({ model: 'scripted-1', usage: usageOfOneCall, ms: 1, ...(failed && { failure: 'SCRIPTED' }) })
      if (failed) throw failed
      const { end = 'stop', calls = [], refusal } = detail
      let text = ''
      for await (const piece of detail.pieces ?? [detail.text ?? JSON.stringify(detail.json)]) {
        given.signal.throwIfAborted()
        text += piece
        given.onText?.(piece)
      }
      return { end, text, calls, model: 'scripted-1', usage: usageOfOneCall, ...(refusal !== undefined && { refusal }) }
    },
  }
}

/** All texts of a request, one after another. */
export function textOf({ messages }: ModelRequest): string {
  return messages.map(({ text }) => text).join('\n')
}
