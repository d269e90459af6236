// Values and texts in a few characters: what lists and entries show before somebody looks closer.
import { isJsonObject, type Json, type JsonObject } from '../../plan/index.ts'

/** A text of at most `length` UTF-16 units; what was cut off is marked, and no character is cut in two. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text
  const end = isHighSurrogate(text.charCodeAt(length - 2)) ? length - 2 : length - 1
  return `${text.slice(0, end)}…`
}

/** A value as JSON of about `length` characters at most. Costs as much as it shows, however large the value is. */
export function preview(value: Json, length: number): string {
  return shortened(written(value, length), length)
}

/** JSON that may end early, once it is longer than `length`. */
function written(value: Json, length: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, length + 1))
  if (value === null || typeof value !== 'object') return String(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  let text = open
  for (const part of isJsonObject(value) ? membersOf(value) : itemsOf(value)) {
    if (text.length > length) return text
    if (text !== open) text += ','
    text += `${part.name}${written(part.value, length - text.length)}`
  }
  return text + close
}

interface Part {
  readonly name: string
  readonly value: Json
}

function* itemsOf(values: readonly Json[]): Generator<Part> {
  for (const value of values) yield { name: '', value }
}

function* membersOf(value: JsonObject): Generator<Part> {
  for (const name in value) yield { name: `${JSON.stringify(name)}:`, value: value[name] ?? null }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
