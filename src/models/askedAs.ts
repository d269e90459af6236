// How one request is put to a server: what it is asked for, by what it has shown to take.
import type { JsonFormat, ModelMessage, ModelRequest, ModelTool } from './model.ts'
import { strictSchema } from './json/strictSchema.ts'
import type { FormatRung } from './json/formatLadder.ts'
import type { JsonObject, JsonSchema } from '../plan/json.ts'

/** A request in the words that both APIs share. */
export interface AskedAs {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly schema: { readonly name: string; readonly schema: JsonObject; readonly strict: boolean } | undefined
  readonly wantsObject: boolean
  /** The tool that takes the answer in JSON. */
  readonly answerTool: string | undefined
}

/** @param rung ignored where the request wants no JSON */
export function askAs(request: ModelRequest, rung: FormatRung): AskedAs {
  const { messages, tools = [], format } = request
  const plain = { messages, tools, schema: undefined, wantsObject: false, answerTool: undefined }
  if (format === undefined) return plain
  switch (rung) {
    case 'strict':
    case 'schema': {
      const strict = rung === 'strict' ? strictSchema(format.schema) : undefined
      const schema = strict?.isStrict === true ? strict.schema : objectSchema(format.schema)
      return { ...plain, schema: { name: format.name, schema, strict: strict?.isStrict === true } }
    }
    case 'object':
      return { ...plain, messages: withSchema(messages, format), wantsObject: true }
    case 'tool': {
      const tool = { name: format.name, description: 'Takes the answer.', input: format.schema }
      return { ...plain, tools: [...tools, tool], answerTool: format.name }
    }
    case 'text':
      return { ...plain, messages: withSchema(messages, format) }
  }
}

/** Some servers take no `true` for a schema. */
export function objectSchema(schema: JsonSchema): JsonObject {
  return typeof schema === 'object' ? schema : { type: 'object' }
}

/** Among the instructions at the beginning, which stay the same from call to call: servers keep what they have read. */
function withSchema(messages: readonly ModelMessage[], { schema }: JsonFormat): ModelMessage[] {
  const said = `Answer with one JSON value and nothing else: no words around it, no code fence. It has to satisfy this JSON Schema:\n${JSON.stringify(schema)}`
  const [first, ...rest] = messages
  if (first?.role === 'system') return [{ role: 'system', text: `${first.text}\n\n${said}` }, ...rest]
  return [{ role: 'system', text: said }, ...messages]
}
