// Reading an answer of Chat Completions: of the first choice, whatever else comes with it.
import type { AnswerEnd } from '../model.ts'
import type { TokenCount } from '../usage.ts'
import {
  AnswerFault,
  argumentsIn,
  contentText,
  countIn,
  listOf,
  recordOf,
  reportedFault,
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
    const error = reportedFault(data)
    if (error !== undefined) throw error
    const { model, usage, choices, x_groq: groq } = recordOf(data)
    this.#spoken.nameModel(model)
    this.#spoken.usage = tokensIn(usage) ?? tokensIn(recordOf(groq)['usage']) ?? this.#spoken.usage
    const choice = listOf(choices).find((each) => (recordOf(each)['index'] ?? 0) === 0)
    if (choice === undefined) return
    this.#hasChoice = true
    const failure = reportedFault(choice)
    if (failure !== undefined) throw new AnswerFault(failure.message) // of an answer that has begun
    const { [part]: said, finish_reason: finish } = recordOf(choice)
    if (typeof finish === 'string' && finish !== '') this.#finish = finish
    this.#takeSaid(recordOf(said), part)
  }

  #takeSaid(
    { content, refusal, tool_calls: calls, function_call: old }: Readonly<Record<string, unknown>>,
    part: 'delta' | 'message',
  ): void {
    this.#spoken.say(contentText(content))
    this.#spoken.refuse(refusal)
    // In a whole answer the place in the list is the call, whatever servers write as its index or id.
    for (const [place, call] of listOf(calls).entries())
      this.#takeCall({ ...recordOf(call), ...(part === 'message' && { index: place }) })
    if (typeof old === 'object' && old !== null) this.#takeCall({ index: 0, function: old })
  }

  #takeCall({ index, id, function: called }: Readonly<Record<string, unknown>>): void {
    const { name, arguments: written } = recordOf(called)
    this.#spoken.call({ index: countIn(index), id: textIn(id), name: textIn(name), arguments: argumentsIn(written) })
  }
}

/** @returns nothing where it came to its end; what is no end that anybody knows is a failure with half of an answer */
function endOf(finish: string | undefined): AnswerEnd | undefined {
  if (finish === undefined) return undefined
  const end = ends.get(finish.toLowerCase())
  if (end === undefined)
    throw new AnswerFault(`it ended before it was complete (finish_reason: ${finish.slice(0, 60)})`)
  return end === 'well' ? undefined : end
}

/** Of OpenAI, and of those who have words of their own. */
const ends: ReadonlyMap<string, AnswerEnd | 'well'> = new Map<string, AnswerEnd | 'well'>([
  ...['stop', 'tool_calls', 'function_call', 'tool_use', 'tool_call', 'end_turn'].map(
    (word) => [word, 'well'] as const,
  ),
  ...['eos', 'eos_token', 'stop_sequence', 'complete', 'completed'].map((word) => [word, 'well'] as const),
  ...['length', 'max_tokens', 'model_length', 'max_output_tokens'].map((word) => [word, 'length'] as const),
  ...['content_filter', 'safety', 'sensitive'].map((word) => [word, 'filtered'] as const),
])

function tokensIn(usage: unknown): TokenCount | undefined {
  const { prompt_tokens, completion_tokens, prompt_tokens_details, prompt_cache_hit_tokens } = recordOf(usage)
  const inputTokens = countIn(prompt_tokens)
  const outputTokens = countIn(completion_tokens)
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const cached = countIn(recordOf(prompt_tokens_details)['cached_tokens']) ?? countIn(prompt_cache_hit_tokens) ?? 0
  return { inputTokens, outputTokens, cachedTokens: Math.min(cached, inputTokens) }
}
