// `{"$json": "…"}`: a value written as JSON in a text, where a tool takes names that are not known before. No strict schema has
// another place for them, and one that is not strict for one tool is strict for none.
//
// J1. It stands for the value in the text, and for nothing else: a text that is no JSON is refused, and never handed to a tool.
import { isJsonObject, type Json, type JsonObject } from '../../../plan/json.ts'
import { formatPointer } from '../../../plan/pointer.ts'

export const jsonTextSchema: JsonObject = {
  type: 'object',
  description: 'A value whose names are not known before, such as a record.',
  properties: { $json: { type: 'string', description: 'The value, written as JSON. References may stand in it.' } },
  required: ['$json'],
  additionalProperties: false,
}

/** The value that is meant; nothing where this is none, or its text is no JSON. */
export function readJsonText(value: JsonObject): { readonly value: Json } | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  try {
    return { value: JSON.parse(text) as Json }
  } catch {
    return undefined
  }
}

/** Where there are texts still that could not be read (J1), as JSON Pointers. */
export function unreadTexts(value: Json, path: readonly (string | number)[] = []): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((item, index) => unreadTexts(item, [...path, index]))
  if (isJsonObject(value) && textOf(value) !== undefined) return [formatPointer(path)]
  return Object.entries(value).flatMap(([name, inner]) => unreadTexts(inner, [...path, name]))
}

function textOf(value: JsonObject): string | undefined {
  const { $json, ...others } = value
  return typeof $json === 'string' && Object.keys(others).length === 0 ? $json : undefined
}
