// A request in the words of Chat Completions.
import type {
  ChatCompletionCreateParamsBase,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions/completions'
import type { Abilities } from '../abilities.ts'
import { objectSchema, type AskedAs } from '../askedAs.ts'
import type { ModelMessage } from '../model.ts'

export function chatRequest(
  model: string,
  asked: AskedAs,
  { maxTokens, abilities }: { readonly maxTokens: number | undefined; readonly abilities: Abilities },
): ChatCompletionCreateParamsBase {
  const { messages, tools, schema, wantsObject, answerTool } = asked
  return {
    model,
    messages: messages.map(chatMessage),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, input }) => ({
        type: 'function' as const,
        function: { name, description, parameters: { ...objectSchema(input) } },
      })),
    }),
    // With other tools beside it, the model may call one of those first.
    ...(answerTool !== undefined && {
      tool_choice: tools.length === 1 ? { type: 'function' as const, function: { name: answerTool } } : 'required',
    }),
    ...(schema !== undefined && {
      response_format: { type: 'json_schema' as const, json_schema: { ...schema, schema: { ...schema.schema } } },
    }),
    ...(wantsObject && { response_format: { type: 'json_object' as const } }),
    ...(maxTokens !== undefined && { [abilities.lengthName]: maxTokens }),
    ...(abilities.stream && {
      stream: true,
      ...(abilities.streamOptions && { stream_options: { include_usage: true } }),
    }),
  }
}

function chatMessage(message: ModelMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text }
    case 'assistant': {
      const calls = (message.calls ?? []).map(({ id, name, arguments: written }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: written },
      }))
      // Some servers refuse an empty text, others a missing one: with calls it is `null`, as theirs are.
      if (calls.length === 0) return { role: 'assistant', content: message.text }
      return { role: 'assistant', content: message.text === '' ? null : message.text, tool_calls: calls }
    }
  }
}
