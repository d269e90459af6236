// What a model's last answer comes to: the output of its step.
//
// U1. Where the step expects something, the output is JSON that fits it; what does not fit is told, with its place.
// U2. Where it expects nothing in particular, the output is the JSON value that was written, or else the text.
import type { Json, JsonSchema } from '../../../plan/json.ts'
import { checkSchema } from '../../../plan/jsonSchemaCheck.ts'
import { readJsonValue } from '../../../plan/jsonValue.ts'

/** `value` beside a problem: JSON that does not fit. */
export type OutputRead =
  { readonly value: Json; readonly problem?: undefined } | { readonly value?: Json; readonly problem: string }

export function readOutput(text: string, expect: JsonSchema | undefined): OutputRead {
  if (text.trim() === '') return { problem: 'The answer is empty.' }
  if (expect === undefined || typeof expect === 'boolean') {
    const written = valueIn([text, fencedIn(text)])
    return { value: written === undefined ? text : written } // U2; null is a value
  }
  const value = valueIn([text, fencedIn(text), outermostIn(text, '{', '}'), outermostIn(text, '[', ']')])
  if (value === undefined) {
    return checkSchema(expect, text).length === 0 ? { value: text } : { problem: 'The answer is not JSON.' }
  }
  const problems = checkSchema(expect, value)
  if (problems.length === 0) return { value }
  const told = problems.slice(0, mostTold).map(({ path, message }) => `at "${path}": ${message}`)
  const more = problems.length > mostTold ? `; and ${String(problems.length - mostTold)} more` : ''
  return { value, problem: `The answer does not fit the schema ${told.join('; ')}${more}.` }
}

const mostTold = 8

/** The first of these texts that is a JSON value. */
function valueIn(texts: readonly (string | undefined)[]): Json | undefined {
  for (const text of texts) {
    if (text === undefined) continue
    try {
      const read = readJsonValue(JSON.parse(text))
      if ('value' in read) return read.value
    } catch {
      // no JSON
    }
  }
  return undefined
}

/** What stands in a code fence, where that is all there is. */
function fencedIn(text: string): string | undefined {
  return /^\s*```\w*\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1]
}

/** From the first opening sign to the last closing one: JSON with prose around it. */
function outermostIn(text: string, open: string, close: string): string | undefined {
  const from = text.indexOf(open)
  const to = text.lastIndexOf(close)
  return from === -1 || to < from ? undefined : text.slice(from, to + 1)
}
