// A request in the words of the Responses API. Nothing is kept at the server.
import type { ResponseCreateParamsBase, ResponseInputItem } from 'openai/resources/responses/responses'
import type { Abilities } from '../abilities.ts'
import { objectSchema, type AskedAs } from '../askedAs.ts'
import type { ModelMessage } from '../model.ts'

export function responsesRequest(
  model: string,
  asked: AskedAs,
  { maxTokens, abilities }: { readonly maxTokens: number | undefined; readonly abilities: Abilities },
): ResponseCreateParamsBase {
  const { messages, tools, schema, wantsObject, answerTool } = asked
  return {
    model,
    store: false,
    input: messages.flatMap(inputItems),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, input }) => ({
        type: 'function' as const,
        name,
        description,
        parameters: { ...objectSchema(input) },
        strict: false,
      })),
    }),
    ...(answerTool !== undefined && {
      tool_choice: tools.length === 1 ? { type: 'function' as const, name: answerTool } : 'required',
    }),
    ...(schema !== undefined && {
      text: { format: { type: 'json_schema' as const, ...schema, schema: { ...schema.schema } } },
    }),
    ...(wantsObject && { text: { format: { type: 'json_object' as const } } }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(abilities.stream && { stream: true }),
  }
}

function inputItems(message: ModelMessage): ResponseInputItem[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ role: message.role, content: message.text }]
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.text }]
    case 'assistant': {
      const calls = (message.calls ?? []).map(({ id, name, arguments: written }) => ({
        type: 'function_call' as const,
        call_id: id,
        name,
        arguments: written,
      }))
      return message.text === '' ? calls : [{ role: 'assistant', content: message.text }, ...calls]
    }
  }
}
