// The JSON value in what a model wrote: alone, in a fence, or with words around it.
//
// J1. Nothing is guessed: text without JSON, with broken or cut JSON, or with several values is named as such.
// J2. Time grows with the text, whatever it is.
// J3. Of several objects, those with a name that was asked for come before all others: an example in prose is no answer.
import { PlanloomError } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../plan/json.ts'
import { findJsonFault, type JsonFault } from '../../plan/jsonFault.ts'
import { endOfJson } from './jsonPieces.ts'

/** Finds the one JSON value in a text. Words around it may be anything; a value other than an object or a list has to stand alone.
 *
 * @throws `JSON_MISSING`, `JSON_BROKEN`, `JSON_CUT_SHORT`, `JSON_SEVERAL`
 * @example
 * import { jsonInText } from 'planloom'
 * jsonInText('Here it is:\n```json\n{"a": [1, 2]}\n```\nAnything else?') // { a: [1, 2] }
 */
export function jsonInText(text: string): Json {
  return JSON.parse(findJson(text)) as Json
}

export type ObjectRead = { readonly value: JsonObject } | { readonly problem: string }

/** Finds the one object in a text that has one of these names, or says what is wrong, for whoever wrote it. */
export function readObject(text: string, names: readonly string[]): ObjectRead {
  try {
    const value = JSON.parse(findJson(text, names)) as Json
    return isJsonObject(value) ? { value } : { problem: `It is ${nameOf(value)}, and must be an object.` }
  } catch (error) {
    if (error instanceof PlanloomError) return { problem: error.message }
    throw error
  }
}

/** The text of the one JSON value in a text, as it is written there.
 *
 * @param names of properties that tell the answer from other objects (J3)
 * @throws as `jsonInText`
 */
export function findJson(text: string, names: readonly string[] = []): string {
  const said = withoutThoughts(text).trim()
  if (parses(said)) return said
  const { found, fault } = valuesIn(said)
  const objects = found.filter((value) => value.startsWith('{'))
  const named = names.length > 0 ? objects.filter((value) => hasOne(value, names)) : []
  const values = [named, objects, found].find(({ length }) => length > 0) ?? [] // "[1]" in prose is a footnote, where there is an object
  const [only, ...others] = [...new Set(values)]
  if (fault !== undefined && !(only !== undefined && objects.length === 0 && fault.sign === '['))
    throw broken(said, fault)
  if (only === undefined) throw missing(said)
  if (others.length > 0) {
    throw new PlanloomError('JSON_SEVERAL', `The answer holds ${others.length + 1} JSON values, one after another.`, {
      hint: 'Answer with one of them.',
    })
  }
  return only
}

function hasOne(object: string, names: readonly string[]): boolean {
  const value = JSON.parse(object) as JsonObject
  return names.some((name) => Object.hasOwn(value, name))
}

function nameOf(value: Json): string {
  if (Array.isArray(value)) return 'a list'
  return value === null ? 'null' : `a ${typeof value}`
}

/** What some models think aloud before they answer. Where the chat template has opened the thoughts, only their end is in the text. */
export function withoutThoughts(text: string): string {
  const isOpened = /^\s*<think(?:ing)?>/.test(text)
  const end = isOpened || !/^[\s\ufeff]*(?:```|[{["])/.test(text) ? /<\/think(?:ing)?>/.exec(text) : null
  if (end === null) return isOpened ? '' : text
  return text.slice(end.index + end[0].length).trimStart()
}

interface Fault extends JsonFault {
  readonly sign: string
  readonly isCutShort: boolean
}

/** Values beside each other, and the first thing that begins as one and is none. */
function valuesIn(text: string): { readonly found: readonly string[]; readonly fault: Fault | undefined } {
  const found: string[] = []
  let fault: Fault | undefined
  let pattern = mayBegin
  for (let start = beginning(pattern, text, 0); start !== undefined;) {
    const end = endOfJson(text, start)
    const value = text.slice(start, end)
    const sign = text[start] ?? ''
    if (end !== undefined && parses(value)) found.push(value)
    else if (sign === '{' || (fault === undefined && end !== undefined)) {
      const { at, why } = findJsonFault(value) ?? { at: value.length, why: 'It cannot be read' }
      fault = { at: start + at, why, sign, isCutShort: end === undefined && start + at >= text.length }
    }
    // J2: what has been gone through is not gone through again, but for the one bracket of prose that is never closed.
    if (fault?.sign === '{') break // whatever else there is: this one is not what it should be
    if (end === undefined) pattern = mayBeginObject
    start = beginning(pattern, text, end ?? start + 1)
  }
  return { found, fault }
}

/** Where an object or a list may begin: a bracket in prose is followed by something else. */
const mayBegin = /\{(?=\s{0,100}["}])|\[(?=\s{0,100}(?:["{[\]\d-]|true|false|null))/g
const mayBeginObject = /\{(?=\s{0,100}["}])/g

function beginning(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from
  return pattern.exec(text)?.index
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function missing(said: string): PlanloomError {
  const shown = said === '' ? 'It is empty.' : `It begins with ${quoted(said, 0)}.`
  return new PlanloomError('JSON_MISSING', `The answer holds no JSON. ${shown}`, {
    hint: 'Answer with one JSON value.',
  })
}

function broken(said: string, { at, why, isCutShort }: Fault): PlanloomError {
  if (isCutShort) {
    return new PlanloomError('JSON_CUT_SHORT', `The JSON in the answer ends before it is complete: ${why}.`, {
      hint: 'Write it to its end, or a shorter one.',
    })
  }
  return new PlanloomError('JSON_BROKEN', `The answer is no JSON. ${why}, at ${quoted(said, at)}.`, {
    hint: 'Answer with one JSON value, with all names and texts in double quotes.',
  })
}

function quoted(text: string, at: number): string {
  const part = text.slice(Math.max(0, at - 20), at + 40)
  return JSON.stringify(at > 20 ? `…${part}` : part)
}
