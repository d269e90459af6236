// Arguments of a tool call, as a model has written them: a JSON object, or what is wrong with them.
//
// P1. What is not a JSON object is never taken for one, and least of all for an empty one.
import { isJsonObject, type JsonObject } from '../../../plan/json.ts'
import { readJsonValue } from '../../../plan/jsonValue.ts'

export function readArguments(text: string): { readonly input: JsonObject } | { readonly problem: string } {
  if (text.trim() === '') return { problem: 'The arguments are empty. Write a JSON object: {} where none are needed.' }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { problem: `The arguments are not JSON (${why.slice(0, 200)}). Write them again as one JSON object.` }
  }
  const read = readJsonValue(parsed)
  if ('failure' in read) return { problem: `The arguments cannot be taken. ${read.failure.message}` }
  if (isJsonObject(read.value)) return { input: read.value }
  const what = read.value === null ? 'null' : Array.isArray(read.value) ? 'a list' : `a ${typeof read.value}`
  return { problem: `The arguments are ${what}, and must be a JSON object.` }
}
