// What a scripted answer says, piece by piece, before it is put into the words of an API.
import type { SentBody } from './modelServerBody.ts'
import type { Said } from './modelServer.ts'

export interface Usage {
  readonly input: number
  readonly output: number
  readonly cached: number
}

/** What an answer is made of, in the order in which it comes. */
export type Piece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'refusal'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly text: string }

export async function* piecesOf(said: Said, body: SentBody): AsyncGenerator<Piece> {
  const length = said.pieceLength ?? 4
  for await (const text of cut(said.text, length)) yield { type: 'text', text }
  const forced = forcedTool(body)
  if (said.json !== undefined && forced === undefined)
    for await (const text of cut(jsonPieces(said.json), length)) yield { type: 'text', text }
  for (const text of cutText(said.refusal ?? '', length)) yield { type: 'refusal', text }
  let index = 0
  if (said.json !== undefined && forced !== undefined) {
    yield { type: 'call', index, id: `call_${index}`, name: forced }
    for await (const text of cut(jsonPieces(said.json), length)) yield { type: 'arguments', index, text }
    index += 1
  }
  for (const call of said.calls ?? []) {
    yield { type: 'call', index, id: call.id ?? `call_${index}`, name: call.name }
    const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
    for (const text of cutText(written, length)) yield { type: 'arguments', index, text }
    index += 1
  }
}

export function finishOf(said: Said, body: SentBody): string | null {
  if (said.finish !== undefined) return said.finish
  return said.calls !== undefined && said.calls.length > 0 && forcedTool(body) === undefined ? 'tool_calls' : 'stop'
}

export function usageOf(said: Said, body: unknown, output: number): Usage | undefined {
  if (said.usage === 'missing') return undefined
  const { input, output: told, cached } = said.usage ?? { input: Math.ceil(JSON.stringify(body).length / 4), output }
  return { input, output: told, cached: cached ?? 0 }
}

function forcedTool({ tool_choice: choice }: SentBody): string | undefined {
  return typeof choice === 'object' ? (choice.function?.name ?? choice.name) : undefined
}

type Text = string | Iterable<string> | AsyncIterable<string>

function jsonPieces(json: unknown): Text {
  const isPieces = typeof json === 'object' && json !== null && Symbol.asyncIterator in json
  return isPieces ? (json as AsyncIterable<string>) : JSON.stringify(json)
}

async function* cut(text: Text | undefined, length: number): AsyncGenerator<string> {
  if (typeof text === 'string') yield* cutText(text, length)
  else if (text !== undefined) yield* text
}

/** By characters, not by halves of them. */
function* cutText(text: string, length: number): Generator<string> {
  let piece = ''
  let held = 0
  for (const character of text) {
    piece += character
    if (++held < length) continue
    yield piece
    piece = ''
    held = 0
  }
  if (piece !== '') yield piece
}
