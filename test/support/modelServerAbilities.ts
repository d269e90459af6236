// What a scripted model server cannot do, and how real servers say so.
import type { Json } from '../../src/plan/json.ts'
import type { SentBody } from './modelServerBody.ts'
import { faultsOf } from './strictSubset.ts'

/** `json_schema`, `json_object`: as `response_format` (`text.format` in Responses). `strict`: refuses `strict: true`.
 * `responses`: has no such endpoint. */
export type Ability =
  | 'json_schema'
  | 'json_object'
  | 'strict'
  | 'tools'
  | 'tool_choice'
  | 'stream_options'
  | 'stream'
  | 'max_completion_tokens'
  | 'responses'

interface Refusal {
  readonly status: number
  readonly message: string
}

/** The refusal of what a request asks for and the server is `without`. */
export function refusedAbility(body: SentBody, path: string, without: readonly Ability[]): Refusal | undefined {
  const { response_format: chat, text } = body
  const format = chat?.type ?? text?.format?.type
  const asks: Readonly<Record<Ability, boolean>> = {
    json_schema: format === 'json_schema',
    json_object: format === 'json_object',
    strict: chat?.json_schema?.strict === true || text?.format?.strict === true,
    tools: Array.isArray(body.tools),
    tool_choice: typeof body.tool_choice === 'object',
    stream_options: body.stream_options !== undefined,
    stream: body.stream === true,
    max_completion_tokens: body.max_completion_tokens !== undefined,
    responses: path.endsWith('/responses'),
  }
  const missing = without.find((ability) => asks[ability])
  return missing === undefined ? refusedSchema(body) : refusals[missing]
}

/** No server is strict about a schema outside of the subset. */
function refusedSchema({ response_format: chat, text }: SentBody): Refusal | undefined {
  const format = chat?.json_schema ?? text?.format
  const [fault] = format?.strict === true ? faultsOf(format.schema as Json) : []
  if (fault === undefined) return undefined
  return { status: 400, message: `Invalid schema for response_format '${String(format?.name)}': In context=${fault}` }
}

const refusals: Readonly<Record<Ability, Refusal>> = {
  json_schema: {
    status: 400,
    message: "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
  },
  json_object: { status: 400, message: "'response_format.type' must be 'text'" },
  strict: { status: 400, message: "Invalid schema for response_format: 'strict' is not supported" },
  tools: { status: 400, message: 'registry.example/model does not support tools' },
  tool_choice: { status: 422, message: '"auto" is the only tool_choice that is supported' },
  stream_options: { status: 400, message: 'Unrecognized request argument supplied: stream_options' },
  stream: { status: 400, message: 'stream is not supported' },
  max_completion_tokens: { status: 400, message: 'Unrecognized request argument supplied: max_completion_tokens' },
  responses: { status: 404, message: 'Not Found' },
}
