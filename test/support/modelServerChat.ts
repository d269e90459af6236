// A scripted answer in the words of Chat Completions.
import type { SentBody } from './modelServerBody.ts'
import type { Said } from './modelServer.ts'
import { finishOf, piecesOf, usageOf, type Piece } from './modelServerPieces.ts'

export async function chatWhole(said: Said, body: SentBody): Promise<unknown> {
  let text = ''
  let refusal: string | null = null
  let output = 0
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = []
  for await (const piece of piecesOf(said, body)) {
    output += 1
    if (piece.type === 'text') text += piece.text
    else if (piece.type === 'refusal') refusal = (refusal ?? '') + piece.text
    else if (piece.type === 'call') {
      calls.push({ id: piece.id, type: 'function', function: { name: piece.name, arguments: '' } })
    } else calls[piece.index]!.function.arguments += piece.text
  }
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...said.unknown,
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(said, body), ...said.unknown }
  return {
    ...headOf(said, body, 'chat.completion'),
    choices: said.noChoices === true ? [] : [choice],
    ...wireUsage(said, body, output),
  }
}

/** Events as text, the usage and `[DONE]` among them. */
export async function* chatEvents(said: Said, body: SentBody): AsyncGenerator<string> {
  const head = headOf(said, body, 'chat.completion.chunk')
  const event = (choices: unknown[], more: object = {}): string =>
    `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`
  let output = 0
  if (said.noChoices !== true) {
    yield event([choiceOf(said, { role: 'assistant', content: '' })])
    for await (const piece of piecesOf(said, body)) {
      output += 1
      yield event([choiceOf(said, deltaOf(piece))])
    }
    yield event([{ ...choiceOf(said, {}), finish_reason: finishOf(said, body) }])
  }
  if (body.stream_options?.include_usage === true) {
    const usage = wireUsage(said, body, output)
    if (usage.usage !== undefined) yield event([], usage)
  }
  if (said.noDone !== true) yield 'data: [DONE]\n\n'
}

function headOf(said: Said, body: SentBody, object: string): object {
  return { id: 'chatcmpl-1', object, created: 1, model: said.model ?? body.model, ...said.unknown }
}

function choiceOf(said: Said, delta: object): object {
  return { index: 0, delta: { ...delta, ...said.unknown }, logprobs: null, finish_reason: null, ...said.unknown }
}

function deltaOf(piece: Piece): object {
  switch (piece.type) {
    case 'text':
      return { content: piece.text }
    case 'refusal':
      return { refusal: piece.text }
    case 'call': {
      const { index, id, name } = piece
      return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }
    }
    case 'arguments':
      return { tool_calls: [{ index: piece.index, function: { arguments: piece.text } }] }
  }
}

function wireUsage(said: Said, body: unknown, pieces: number): { usage?: object } {
  const usage = usageOf(said, body, pieces)
  if (usage === undefined) return {}
  const { input, output, cached } = usage
  return {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
    },
  }
}
