// The interface of a language model: what planners and executors ask, whoever serves it.
//
// M1. A call is answered once, or throws a `PlanloomError` that says why not; it never hangs past its signal.
// M2. What a model writes is text until somebody has read it: arguments of tool calls and answers in JSON are not parsed here.
// M3. What a call costs is told with its answer and with its error alike.
import type { ModelUsage } from '../machines/modelUsage.messages.ts'
import type { JsonSchema } from '../plan/json.ts'

export type { ModelUsage }

export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls?: readonly ToolCall[] }
  /** What came of a call. */
  | { readonly role: 'tool'; readonly callId: string; readonly text: string }

/** A tool as a model is shown it. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly input: JsonSchema
  /** Left out where the server takes no tools; a request with others fails there. @default false */
  readonly optional?: boolean
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as far as the model has written any (M2). */
  readonly arguments: string
}

/** The answer is to be one JSON value under a schema, and nothing else. */
export interface JsonFormat {
  /** Letters, digits, `_` and `-`. */
  readonly name: string
  readonly schema: JsonSchema
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ModelTool[]
  readonly format?: JsonFormat
  /** Longest answer, in tokens. @default that of the server */
  readonly maxTokens?: number
}

/** `length`: cut off at the longest answer. `filtered`: stopped by a content filter. `refused`: the model would not. */
export type AnswerEnd = 'stop' | 'calls' | 'length' | 'filtered' | 'refused'

export interface ModelAnswer {
  readonly end: AnswerEnd
  readonly text: string
  /** Tools that it wants called, in its order. */
  readonly calls: readonly ToolCall[]
  /** What it said when it refused. */
  readonly refusal?: string
  /** The model that answered, as the server names it. */
  readonly model: string
  readonly usage: ModelUsage
}

export interface CallOptions {
  readonly signal: AbortSignal
  /** Told each piece of the answer's text as it comes, where it comes piece by piece; of an answer in JSON, each piece of the JSON. */
  readonly onText?: (piece: string) => void
  /** The call is not begun where it may not suffice. @default no limit */
  readonly budget?: CallBudget
}

/** What is left for calls. Whoever is about to make one takes its estimate out beforehand, so that calls side by side do not
 * spend the same money. Calls that are made with a budget are told to the run by it, and by nobody else. */
export interface CallBudget {
  /** @throws `BUDGET_SHORT` where less is left; then nothing has been taken. */
  reserve(estimate: CallEstimate): Reservation
}

/** What a call may use at most, as far as that can be told beforehand. */
export interface CallEstimate {
  readonly tokens: number
  readonly cost: number
  /** Name of the model. */
  readonly model?: string
}

export interface Reservation {
  /** Gives back what was reserved, and takes what was used. To be called once, however the call ended. */
  settle(call: CallReport): void
  /** Gives back what was reserved: the call is not made, and nothing is told. */
  release(): void
}

/** One call, as it is told to the run that it was made for. */
export interface CallReport {
  readonly model: string
  readonly usage: ModelUsage
  /** From the request to the end of the answer. */
  readonly ms: number
  /** Code of the error that it ended with. */
  readonly failure?: string
}

/** A language model. `createModel` makes one for any OpenAI-compatible address; one of your own has a name and one method. */
export interface Model {
  readonly name: string
  /** @throws `PlanloomError`: `MODEL_UNAVAILABLE`, `MODEL_RATE_LIMITED`, `MODEL_REQUEST_REFUSED`, `MODEL_TOOLS_REFUSED`, `MODEL_CONTEXT_TOO_LONG`, `MODEL_KEY_REFUSED`,
   * `MODEL_ANSWER_BROKEN`, `MODEL_CALL_TIMEOUT`, `BUDGET_SHORT`; what a `signal` fired with. Its `usage` says what was used all the same (M3). */
  complete(request: ModelRequest, options: CallOptions): Promise<ModelAnswer>
}
