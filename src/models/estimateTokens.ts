// How many tokens a text or a request may come to, without a tokenizer: each model has its own, and they weigh megabytes.
import type { ModelMessage, ModelRequest } from './model.ts'

/** Estimates the tokens of a text from its characters. Meant for limits and budgets.
 *
 * Beside the tokenizer o200k of OpenAI it came to 0.9 to 1.2 times the count for English, German, Chinese and Japanese text, code,
 * JSON and figures; to 1.5 times for Russian, and to less than half for base64 and other noise.
 *
 * @returns 0 for an empty text. Time grows with the text.
 * @example
 * import { estimateTokens } from 'planloom'
 * estimateTokens('A plan is a graph of steps.') // 6
 */
export function estimateTokens(text: string): number {
  let weight = 0
  for (let at = 0; at < text.length; at++) weight += weightOf(text.charCodeAt(at))
  return Math.ceil(weight)
}

/** The input of a request: messages, tools, and the schema of the answer. */
export function estimateRequest({ messages, tools = [], format }: ModelRequest): number {
  const ofMessages = messages.map((message) => perMessage + estimateTokens(textOf(message)))
  const ofTools = tools.map(
    ({ name, description, input }) => perMessage + estimateTokens(`${name} ${description} ${JSON.stringify(input)}`),
  )
  const ofFormat = format === undefined ? 0 : perMessage + estimateTokens(JSON.stringify(format.schema))
  return [...ofMessages, ...ofTools].reduce((sum, tokens) => sum + tokens, ofFormat)
}

/** Output that is reckoned with where nothing limits it. */
export const usualOutput = 4_096

/** What servers put around each. */
const perMessage = 5

function textOf(message: ModelMessage): string {
  if (message.role !== 'assistant') return message.text
  const calls = (message.calls ?? []).map((call) => `${call.name} ${call.arguments}`)
  return [message.text, ...calls].join(' ')
}

function weightOf(code: number): number {
  if (code === space) return 0.05
  if (code < 128) return isLetter(code) ? 0.235 : 0.5
  return code < firstWordSign ? 0.35 : 0.8
}

const space = 32
const firstWordSign = 0x2e80 // Chinese, Japanese, Korean and beyond: about a token for each

function isLetter(code: number): boolean {
  const lower = code | 32
  return lower >= 97 && lower <= 122
}
