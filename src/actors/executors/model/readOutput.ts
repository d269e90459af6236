// What a model's last answer comes to: the output of its step.
//
// U1. Where the step expects something, the output is JSON that fits it; what does not fit is told, with its place.
// U2. Where it expects nothing in particular, the output is the JSON value that was written, or else the text, without what the model
//     thought aloud before it.
import { PlanloomError } from '../../../errors.ts'
import { findJson, withoutThoughts } from '../../../models/json/jsonInText.ts'
import type { Json, JsonSchema } from '../../../plan/json.ts'
import { checkSchema } from '../../../plan/jsonSchemaCheck.ts'
import { readJsonValue } from '../../../plan/jsonValue.ts'

/** `value` beside a problem: JSON that does not fit. */
export type OutputRead =
  { readonly value: Json; readonly problem?: undefined } | { readonly value?: Json; readonly problem: string }

export function readOutput(said: string, expect: JsonSchema | undefined): OutputRead {
  const text = withoutThoughts(said)
  if (text.trim() === '') return { problem: 'The answer is empty.' }
  if (expect === undefined || typeof expect === 'boolean') {
    const written = valueIn([text, fencedIn(text)])
    return { value: written === undefined ? text : written } // U2; null is a value
  }
  const found = tryFinding(text)
  if ('problem' in found) return checkSchema(expect, text).length === 0 ? { value: text } : found
  const { value } = found
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

/** JSON with prose around it, or what is wrong with it. */
function tryFinding(text: string): { readonly value: Json } | { readonly problem: string } {
  try {
    const read = readJsonValue(JSON.parse(findJson(text)))
    return 'value' in read ? { value: read.value } : { problem: read.failure.message }
  } catch (error) {
    if (error instanceof PlanloomError) return { problem: error.message }
    throw error
  }
}
