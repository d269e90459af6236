// A scripted answer in the words of the Responses API: as much of it as a client needs.
import type { SentBody } from './modelServerBody.ts'
import type { Said } from './modelServer.ts'
import { finishOf, piecesOf, usageOf } from './modelServerPieces.ts'

export async function responsesWhole(said: Said, body: SentBody): Promise<unknown> {
  let last: unknown
  for await (const event of eventsOf(said, body)) last = event
  return (last as { response: unknown }).response
}

export async function* responsesEvents(said: Said, body: SentBody): AsyncGenerator<string> {
  for await (const event of eventsOf(said, body)) yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

interface Event {
  readonly type: string
  readonly [key: string]: unknown
}

interface Item {
  readonly type: 'message' | 'function_call'
  readonly [key: string]: unknown
}

async function* eventsOf(said: Said, body: SentBody): AsyncGenerator<Event> {
  let sequence_number = 0
  const event = (type: string, more: object): Event => ({ type, sequence_number: sequence_number++, ...more })
  const head = { id: 'resp_1', object: 'response', model: said.model ?? body.model, ...said.unknown }
  yield event('response.created', { response: { ...head, status: 'in_progress', output: [], usage: null } })

  let text = ''
  let refusal = ''
  let pieces = 0
  const calls: { type: 'function_call'; id: string; call_id: string; name: string; arguments: string }[] = []
  for await (const piece of piecesOf(said, body)) {
    pieces += 1
    if (piece.type === 'text') {
      text += piece.text
      yield event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, delta: piece.text })
    } else if (piece.type === 'refusal') {
      refusal += piece.text
      yield event('response.refusal.delta', { item_id: 'msg_1', output_index: 0, delta: piece.text })
    } else if (piece.type === 'call') {
      const call = {
        type: 'function_call',
        id: `fc_${piece.index}`,
        call_id: piece.id,
        name: piece.name,
        arguments: '',
      } as const
      calls.push(call)
      yield event('response.output_item.added', { output_index: piece.index + 1, item: { ...call } })
    } else {
      const call = calls[piece.index]!
      call.arguments += piece.text
      const at = { item_id: call.id, output_index: piece.index + 1 }
      yield event('response.function_call_arguments.delta', { ...at, delta: piece.text })
    }
  }

  const content = [
    ...(text === '' ? [] : [{ type: 'output_text', text, annotations: [] }]),
    ...(refusal === '' ? [] : [{ type: 'refusal', refusal }]),
  ]
  const message: Item[] = content.length === 0 ? [] : [{ type: 'message', id: 'msg_1', role: 'assistant', content }]
  const output: Item[] = said.noChoices === true ? [] : [...message, ...calls]
  for (const item of output) yield event('response.output_item.done', { item })
  const finish = finishOf(said, body)
  const reason = finish === 'length' ? 'max_output_tokens' : finish === 'content_filter' ? finish : undefined
  const status = reason === undefined ? 'completed' : 'incomplete'
  const usage = usageOf(said, body, pieces)
  yield event(`response.${status}`, {
    response: {
      ...head,
      status,
      incomplete_details: reason === undefined ? null : { reason },
      output,
      usage:
        usage === undefined
          ? null
          : {
              input_tokens: usage.input,
              output_tokens: usage.output,
              total_tokens: usage.input + usage.output,
              input_tokens_details: { cached_tokens: usage.cached },
            },
    },
  })
}
