// What a client may send to a model server, as far as the scripted one or a test looks at it.

export interface SentBody {
  readonly model?: string
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly messages?: readonly SentMessage[]
  readonly tools?: readonly SentTool[]
  readonly tool_choice?:
    string | { readonly type: string; readonly name?: string; readonly function?: { readonly name: string } }
  readonly response_format?: { readonly type: string; readonly json_schema?: SentFormat }
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  /** Of Responses: */
  readonly input?: readonly Record<string, unknown>[]
  readonly text?: { readonly format?: SentFormat & { readonly type: string } }
  readonly max_output_tokens?: number
}

export interface SentMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

/** `function` in Chat Completions, the fields themselves in Responses. */
export interface SentTool extends Partial<SentFunction> {
  readonly type: string
  readonly function?: SentFunction
}

export interface SentFunction {
  readonly name: string
  readonly description?: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a schema, which a test looks into as it knows it
  readonly parameters: any
  readonly strict?: boolean
}

export interface SentFormat {
  readonly name?: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a schema, which a test looks into as it knows it
  readonly schema?: any
  readonly strict?: boolean
}
