// Reading an answer of the Responses API: from its events as they come, and from the response that the last one holds.
import type { AnswerEnd } from '../model.ts'
import {
  AnswerFault,
  argumentsIn,
  countIn,
  listOf,
  recordOf,
  reportedFault,
  ReportedFault,
  textIn,
  type AnswerReader,
  type Gathered,
  type Pieces,
} from './gathered.ts'
import { Spoken } from './spoken.ts'

type Fields = Readonly<Record<string, unknown>>

export class ResponsesReader implements AnswerReader {
  readonly #spoken: Spoken
  /** `completed`, `incomplete`: what the last event says. */
  #status: string | undefined
  #reason = ''

  constructor(pieces: Pieces) {
    this.#spoken = new Spoken(pieces)
  }

  get written(): string {
    return this.#spoken.written
  }

  event(data: unknown): void {
    const event = recordOf(data)
    const delta = textIn(event['delta'])
    switch (event['type']) {
      case 'response.output_text.delta':
        this.#spoken.say(delta)
        break
      case 'response.refusal.delta':
        this.#spoken.refuse(delta)
        break
      case 'response.output_item.added':
        this.#beginItem(event)
        break
      case 'response.function_call_arguments.delta':
        this.#argue({ ...event, arguments: delta })
        break
      case 'response.output_item.done':
        this.#endItem(event)
        break
      case 'response.completed':
      case 'response.incomplete':
        if (this.#spoken.isSilent) this.#takeOutput(recordOf(event['response'])) // it came all at once
        this.#end(recordOf(event['response']))
        break
      case 'response.failed':
        throw reportedFault(event['response']) ?? new ReportedFault('')
      case 'error':
        throw reportedFault({ error: event['error'] ?? event }) ?? new ReportedFault('')
      default: {
        const error = reportedFault(data) // of a server or proxy that reports in other words
        if (error !== undefined) throw error
      }
    }
  }

  whole(answer: unknown): void {
    const response = recordOf(answer)
    const error = reportedFault(response)
    if (error !== undefined || response['status'] === 'failed') throw error ?? new ReportedFault('')
    this.#takeOutput(response)
    this.#end(response)
  }

  #takeOutput({ output }: Fields): void {
    if (!Array.isArray(output)) throw new AnswerFault('it holds no output')
    for (const [index, each] of listOf(output).entries()) {
      const item = recordOf(each)
      for (const part of listOf(item['content'])) {
        const { type, text, refusal } = recordOf(part)
        if (type === 'output_text') this.#spoken.say(textIn(text))
        if (type === 'refusal') this.#spoken.refuse(refusal)
      }
      this.#beginItem({ output_index: index, item })
      this.#endItem({ output_index: index, item })
    }
  }

  finish(): Gathered {
    if (this.#status === undefined) throw new AnswerFault('it breaks off before its end')
    return this.#spoken.gathered(endOf(this.#status, this.#reason))
  }

  #beginItem({ output_index: index, item }: Fields): void {
    const { type, call_id: id, name } = recordOf(item)
    if (type !== 'function_call') return
    this.#spoken.call({ index: countIn(index), id: textIn(id), name: textIn(name), arguments: '' })
  }

  #endItem({ output_index: index, item }: Fields): void {
    const { type, call_id: id, name, arguments: written } = recordOf(item)
    if (type !== 'function_call') return
    this.#spoken.endCall({
      index: countIn(index),
      id: textIn(id),
      name: textIn(name),
      arguments: argumentsIn(written),
    })
  }

  #argue({ output_index: index, arguments: written }: Fields): void {
    const piece = textIn(written)
    if (piece !== '') this.#spoken.call({ index: countIn(index), id: '', name: '', arguments: piece })
  }

  #end({ status, model, usage, incomplete_details: details }: Fields): void {
    this.#status = textIn(status)
    this.#reason = textIn(recordOf(details)['reason'])
    this.#spoken.nameModel(model)
    const { input_tokens, output_tokens, input_tokens_details: inputs } = recordOf(usage)
    const inputTokens = countIn(input_tokens)
    const outputTokens = countIn(output_tokens)
    if (inputTokens === undefined || outputTokens === undefined) return
    const cached = countIn(recordOf(inputs)['cached_tokens']) ?? 0
    this.#spoken.usage = { inputTokens, outputTokens, cachedTokens: Math.min(cached, inputTokens) }
  }
}

function endOf(status: string, reason: string): AnswerEnd | undefined {
  if (status === 'completed' || status === '') return undefined
  if (status !== 'incomplete') throw new AnswerFault(`it ended before it was complete (status: ${status.slice(0, 60)})`)
  return reason === 'content_filter' ? 'filtered' : 'length'
}
