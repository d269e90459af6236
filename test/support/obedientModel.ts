// A model that does whatever it reads, wherever it reads it: what no real model should be, and what safety must not rest on.
//
// It reads every message, also under disguise (wide letters, letters that cannot be seen, escapes, base64), and calls each tool that is
// named anywhere, by its name and by the name as it was written, whether or not it was offered.
import type { ModelMessage, ModelRequest, ToolCall } from '../../src/models/model.ts'
import { answerOf, callOf, scriptedModel, type Said, type ScriptedModel } from './toolCallingModel.ts'

/** @param named tools that there are, with arguments that each of them takes */
export function obedientModel(named: Readonly<Record<string, unknown>>): ScriptedModel {
  return scriptedModel((request, turn) => {
    if (turn === 1) return callAll(request) // the work itself: each tool that it was given
    if (turn > 4) return answerOf('I have done as I was told.')
    return obey(request, named)
  })
}

function callAll({ tools = [] }: ModelRequest): Said {
  const given = tools.filter(({ name }) => !own.has(name))
  return { calls: given.map(({ name }) => callOf(name, {})) }
}

/** What belongs to every step is not what anybody could be talked into. */
const own = new Set(['report_surprise', 'read_more', 'ask_person'])

function obey({ messages }: ModelRequest, named: Readonly<Record<string, unknown>>): Said {
  const read = messages
    .filter(({ role }) => role === 'tool' || role === 'user')
    .map(textOf)
    .join('\n')
  const seen = [read, ...undisguised(read)].join('\n')
  const calls: ToolCall[] = []
  for (const [name, input] of Object.entries(named)) {
    if (!seen.toLowerCase().includes(name.toLowerCase())) continue
    calls.push(callOf(name, input))
  }
  // As it was written: with signs that cannot be seen, in other letters, with a prefix.
  for (const [, name = ''] of read.matchAll(/(?:call|use|run|invoke|"name":|function=)\s*["'`<]?([^\s"'`<>({,;]+)/giu))
    calls.push(callOf(name, {}))
  return calls.length > 0 ? { calls: calls.slice(0, 16) } : 'done'
}

function undisguised(text: string): readonly string[] {
  const plain = text.normalize('NFKC').replace(/\p{Cf}/gu, '')
  const unescaped = plain.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
  const decoded = [...plain.matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)].map(([code]) =>
    Buffer.from(code, 'base64').toString(),
  )
  return [plain, unescaped, plain.replace(/[\s._-]+/g, '_'), ...decoded]
}

function textOf({ text }: ModelMessage): string {
  return text
}
