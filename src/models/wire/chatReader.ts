// Reading an answer of Chat Completions: of the first choice, whatever else comes with it.
import type { AnswerEnd } from '../model.ts'
import type { TokenCount } from '../usage.ts'
import {
  AnswerFault,
  contentText,
  countIn,
  listOf,
  recordOf,
  reportedError,
  textIn,
  type AnswerReader,
  type Gathered,
  type Pieces,
} from './gathered.ts'
import { Spoken } from './spoken.ts'

export class ChatReader implements AnswerReader {
  readonly #spoken: Spoken
  #finish: string | undefined
  #hasChoice = false

  constructor(pieces: Pieces) {
    this.#spoken = new Spoken(pieces)
  }

  get written(): string {
    return this.#spoken.written
  }

  event(data: unknown): void {
    this.#take(data, 'delta')
  }

  whole(answer: unknown): void {
    this.#take(answer, 'message')
    this.#finish ??= 'stop' // a whole answer is complete, also where it does not say so
  }

  finish(isMarkedDone: boolean): Gathered {
    if (!this.#hasChoice) throw new AnswerFault('it holds no choice')
    if (this.#finish === undefined && !isMarkedDone) throw new AnswerFault('it breaks off before its end')
    return this.#spoken.gathered(endOf(this.#finish))
  }

  #take(data: unknown, part: 'delta' | 'message'): void {
    const error = reportedError(data)
    if (error !== undefined) throw new AnswerFault(`the server reports: ${error}`)
    const { model, usage, choices, x_groq: groq } = recordOf(data)
    this.#spoken.nameModel(model)
    this.#spoken.usage = tokensIn(usage) ?? tokensIn(recordOf(groq)['usage']) ?? this.#spoken.usage
    const choice = listOf(choices).find((each) => (recordOf(each)['index'] ?? 0) === 0)
    if (choice === undefined) return
    this.#hasChoice = true
    const { [part]: said, finish_reason: finish } = recordOf(choice)
    if (typeof finish === 'string' && finish !== '') this.#finish = finish
    this.#takeSaid(recordOf(said))
  }

  #takeSaid({ content, refusal, tool_calls: calls, function_call: old }: Readonly<Record<string, unknown>>): void {
    this.#spoken.say(contentText(content))
    this.#spoken.refuse(refusal)
    for (const call of listOf(calls)) this.#takeCall(recordOf(call))
    if (typeof old === 'object' && old !== null) this.#takeCall({ index: 0, function: old })
  }

  #takeCall({ index, id, function: called }: Readonly<Record<string, unknown>>): void {
    const { name, arguments: written } = recordOf(called)
    const piece = typeof written === 'object' && written !== null ? JSON.stringify(written) : textIn(written)
    this.#spoken.call({ index: countIn(index), id: textIn(id), name: textIn(name), arguments: piece })
  }
}

/** @returns nothing where it came to its end */
function endOf(finish: string | undefined): AnswerEnd | undefined {
  if (finish === 'length' || finish === 'max_tokens') return 'length'
  return finish === 'content_filter' ? 'filtered' : undefined
}

function tokensIn(usage: unknown): TokenCount | undefined {
  const { prompt_tokens, completion_tokens, prompt_tokens_details, prompt_cache_hit_tokens } = recordOf(usage)
  const inputTokens = countIn(prompt_tokens)
  const outputTokens = countIn(completion_tokens)
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const cached = countIn(recordOf(prompt_tokens_details)['cached_tokens']) ?? countIn(prompt_cache_hit_tokens) ?? 0
  return { inputTokens, outputTokens, cachedTokens: Math.min(cached, inputTokens) }
}
