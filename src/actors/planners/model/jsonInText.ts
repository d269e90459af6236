// JSON in what a model wrote: by itself, in a fence, or with words around it.
//
// J1. Nothing is guessed: text that is no JSON, or that holds two answers, is named as such and never becomes `{}`.
// J2. Time grows with the text, whatever it is.
import { isJsonObject, type JsonObject } from '../../../plan/json.ts'
import { findJsonFault } from '../../../plan/jsonFault.ts'

export type JsonReading = { readonly value: JsonObject } | { readonly problem: string }

/** Finds the one object in a text that has one of these keys. */
export function readJsonIn(text: string, keys: readonly string[]): JsonReading {
  const trimmed = text.trim()
  if (trimmed === '') return { problem: 'It is empty.' }
  const whole = parse(trimmed)
  if (whole !== undefined)
    return isJsonObject(whole) ? { value: whole } : { problem: `It is ${nameOf(whole)}, and must be an object.` }
  const { found, isOpen } = objectsIn(trimmed)
  const answers = found.filter((object) => keys.some((key) => Object.hasOwn(object, key)))
  const [answer] = answers
  if (answers.length > 1) return { problem: `It holds ${String(answers.length)} answers, one after another.` }
  if (answer !== undefined && !isOpen) return { value: answer }
  const start = startOfObject(trimmed, 0)
  if (start === undefined) return { problem: `It has no JSON object in it; it begins with ${quoted(trimmed, 0)}.` }
  const fault = findJsonFault(trimmed.slice(start))
  const at = start + (fault?.at ?? 0)
  return { problem: `It is no JSON: ${fault?.why ?? 'it cannot be read'}, at ${quoted(trimmed, at)}.` }
}

/** All objects that stand in a text beside each other, and whether one begins and does not end. */
function objectsIn(text: string): { readonly found: readonly JsonObject[]; readonly isOpen: boolean } {
  const found: JsonObject[] = []
  for (let at = startOfObject(text, 0); at !== undefined;) {
    const end = endOfObject(text, at)
    if (end === undefined) return { found, isOpen: true }
    const value = parse(text.slice(at, end))
    if (isJsonObject(value)) found.push(value)
    at = startOfObject(text, end)
  }
  return { found, isOpen: false }
}

/** Where an object may begin: a brace in prose is followed by something else. */
function startOfObject(text: string, from: number): number | undefined {
  beginning.lastIndex = from
  return beginning.exec(text)?.index
}

const beginning = /\{(?=\s{0,100}["}])/g

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0
  let isInString = false
  for (let at = start; at < text.length; at++) {
    const sign = text[at]
    if (isInString) {
      if (sign === '\\') at += 1
      else if (sign === '"') isInString = false
    } else if (sign === '"') isInString = true
    else if (sign === '{') depth += 1
    else if (sign === '}') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return value === null ? 'null' : `a ${typeof value}`
}

function quoted(text: string, at: number): string {
  const piece = text.slice(at, at + 40)
  return piece === '' ? 'its end' : JSON.stringify(piece)
}
