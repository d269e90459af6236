// A language model for tests of steps that call tools: it answers as its script says, and keeps what it was asked.
import type { CallOptions, Model, ModelAnswer, ModelRequest, ModelUsage, ToolCall } from '../../src/models/model.ts'

export type Said = string | Partial<ModelAnswer>
/** What it says at a turn, which counts from 1. */
export type Script =
  readonly Said[] | ((request: ModelRequest, turn: number, options: CallOptions) => Said | Promise<Said>)

export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[]
}

/** What each of its calls uses, unless the script says otherwise. */
export const usageOfCall: ModelUsage = {
  tokens: 10,
  inputTokens: 8,
  outputTokens: 2,
  cachedTokens: 0,
  cost: 0.5,
  calls: 1,
}

/** @param asks it asks the budget that it is handed before each call, with this estimate */
export function scriptedModel(script: Script, asks?: number): ScriptedModel {
  const requests: ModelRequest[] = []
  return {
    name: 'scripted',
    requests,
    complete: async (request, options) => {
      requests.push(structuredClone(request))
      const turn = requests.length
      const reservation = asks === undefined ? undefined : options.budget?.reserve({ tokens: asks, cost: 0 })
      const said =
        typeof script === 'function' ? await script(request, turn, options) : (script[turn - 1] ?? 'nothing more')
      const answer = answerOf(said)
      reservation?.settle({ model: 'scripted', usage: answer.usage, ms: 1 })
      return answer
    },
  }
}

export function answerOf(said: Said): ModelAnswer {
  const given: Partial<ModelAnswer> = typeof said === 'string' ? { text: said } : said
  const calls = given.calls ?? []
  return { end: calls.length > 0 ? 'calls' : 'stop', text: '', calls, model: 'scripted', usage: usageOfCall, ...given }
}

/** Calls of tools: `{ read: { path: 'a' } }`, or `['read', {…}]` for several of the same. A text stands for arguments as they are. */
export function calling(...calls: readonly (readonly [name: string, input: unknown])[]): Said {
  return { calls: calls.map(([name, input], nth) => callOf(name, input, `c${String(nth)}`)) }
}

export function callOf(name: string, input: unknown, id = ''): ToolCall {
  return { id, name, arguments: typeof input === 'string' ? input : JSON.stringify(input) }
}

/** What came of the calls of the answer before. */
export function resultsIn({ messages }: ModelRequest): readonly string[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.slice(last + 1).flatMap((message) => (message.role === 'tool' ? [message.text] : []))
}
