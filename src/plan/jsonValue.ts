// The door for values that others made: a deep-frozen plain copy if it is JSON within limits, else what is wrong and where.
//
// J1. One pass without recursion: no value, however deep or wide, overflows the stack.
// J2. Nothing is looked at beyond the limits: a value that is too large or too deep costs no more than the limit.
// J3. The copy shares nothing with the value. A key `__proto__` is a property like any other.
import { PlanloomError } from '../errors.ts'
import type { Json } from './json.ts'
import { boundPointer, escapePart, shortPointer } from './pointer.ts'

const jsonLimits = { maxBytes: 10_000_000, maxDepth: 200 } as const

export interface JsonLimits {
  /** Size as compact JSON in UTF-8. @default 10,000,000 */
  readonly maxBytes?: number
  /** Arrays and objects inside each other. @default 200 */
  readonly maxDepth?: number
}

export interface JsonProblem {
  readonly code: 'OUTPUT_NOT_JSON' | 'OUTPUT_TOO_DEEP' | 'OUTPUT_TOO_LARGE'
  readonly message: string
  readonly hint: string
  /** JSON Pointer to the place in the value, or to the nearest one above it where that would be too long. */
  readonly path: string
}

export type JsonReading = { readonly value: Json } | { readonly failure: JsonProblem }

/** Copies a value that is JSON, deeply frozen; properties that are `undefined` are left out.
 *
 * Time and memory grow with the size of the value, up to the limits.
 * @throws `OUTPUT_NOT_JSON` for what JSON cannot hold (functions, symbols, bigints, NaN, class instances, cycles),
 *   `OUTPUT_TOO_DEEP`, `OUTPUT_TOO_LARGE`; `where.path` says where.
 * @example
 * toJsonValue({ rows: [1, 2], note: undefined }) // { rows: [1, 2] }
 * toJsonValue({ at: new Date() }) // throws OUTPUT_NOT_JSON
 */
export function toJsonValue(value: unknown, limits: JsonLimits = {}): Json {
  const reading = readJsonValue(value, limits)
  if ('value' in reading) return reading.value
  const { code, message, hint, path } = reading.failure
  throw new PlanloomError(code, message, { hint, where: { path } })
}

/** The same as `toJsonValue`, with what is wrong as a value. Never throws.
 *
 * @example
 * readJsonValue([1, 'a']) // { value: [1, 'a'] }
 */
export function readJsonValue(value: unknown, limits: JsonLimits = {}): JsonReading {
  const stack: Level[] = []
  try {
    return copy(value, stack, limits.maxBytes ?? jsonLimits.maxBytes, limits.maxDepth ?? jsonLimits.maxDepth)
  } catch (error) {
    // A getter or a proxy of the value threw.
    const text = error instanceof Error ? error.message : 'something that is no Error'
    return refuse(
      stack,
      'OUTPUT_NOT_JSON',
      `cannot be read: looking at it threw "${text}"`,
      'Give plain data, without getters.',
    )
  }
}

/** An array or object that is being copied. */
interface Level {
  readonly source: object
  readonly target: Json[] | Record<string, Json>
  /** Of an object; an array has none. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  /** Position of what is looked at now. */
  at: number
  /** How many of its values have been taken over. */
  written: number
}

function copy(root: unknown, stack: Level[], maxBytes: number, maxDepth: number): JsonReading {
  let bytes = 0
  let value = root
  let level: Level | undefined
  for (;;) {
    let copied: Json | undefined
    let opened: Level | undefined
    if (typeof value === 'string') {
      bytes += value.length + 2 > maxBytes - bytes ? value.length + 2 : sizeOfText(value)
      copied = value
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) return notJson(stack, value)
      bytes += sizeOfNumber(value)
      copied = value === 0 ? 0 : value // -0 would come back from a journal as 0
    } else if (typeof value === 'boolean' || value === null) {
      bytes += value === false ? 5 : 4
      copied = value
    } else if (typeof value === 'object') {
      if (stack.length >= maxDepth) return cycleIn(stack, value) ?? tooDeep(stack, maxDepth)
      opened = openLevel(value)
      if (opened === undefined) return notJson(stack, value)
      bytes += 2
      copied = opened.target
    } else if (value !== undefined || level?.keys === undefined) return notJson(stack, value)

    if (level !== undefined && copied !== undefined) {
      if (level.written++ > 0) bytes += 1 // a comma
      if (level.keys !== undefined) bytes += sizeOfText(level.keys[level.at] as string) + 1
    }
    if (bytes > maxBytes) return cycleIn(stack, undefined) ?? tooLarge(stack, maxBytes)

    if (level === undefined) {
      if (opened === undefined) return { value: copied as Json }
    } else if (level.keys === undefined) (level.target as Json[]).push(copied as Json)
    else if (copied !== undefined) put(level.target as Record<string, Json>, level.keys[level.at] as string, copied)
    if (opened !== undefined) {
      stack.push(opened)
      level = opened
    }

    // On to the next value: of this level, or of the nearest one above that has any left.
    while (level !== undefined && ++level.at >= level.length) {
      Object.freeze(level.target)
      const done: Level = level
      stack.pop()
      level = stack.at(-1)
      if (level === undefined) return { value: done.target }
    }
    if (level === undefined) throw new Error('unreachable: a value without levels was returned above')
    value =
      level.keys === undefined
        ? (level.source as unknown[])[level.at]
        : (level.source as Record<string, unknown>)[level.keys[level.at] as string]
  }
}

function openLevel(source: object): Level | undefined {
  if (Array.isArray(source)) return { source, target: [], keys: undefined, length: source.length, at: -1, written: 0 }
  if (!isPlainObject(source)) return undefined
  const keys = Object.keys(source)
  return { source, target: {}, keys, length: keys.length, at: -1, written: 0 }
}

/** Whether an object is one that JSON can hold: no array, and no instance of a class. */
export function isPlainObject(value: object): boolean {
  if (Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  // The `Object.prototype` of another realm, as in a `vm` context.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf')
}

function put(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true }) // J3
}

/** Bytes of a text as JSON in UTF-8, quotes included. */
function sizeOfText(text: string): number {
  let bytes = text.length + 2
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80)
      bytes += unit < 0x20 ? (shortEscapes.has(unit) ? 1 : 5) : unit === quote || unit === backslash ? 1 : 0
    else if (unit < 0x800) bytes += 1
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 2
    else if (unit < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 2 // four bytes for two units
      at++
    } else bytes += 5 // a half of a pair is written as an escape
  }
  return bytes
}

const quote = 0x22
const backslash = 0x5c
const shortEscapes: ReadonlySet<number> = new Set([8, 9, 10, 12, 13])

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** Digits of an integer; of any other number an average, since writing it out costs more than all the rest. */
function sizeOfNumber(value: number): number {
  if (!Number.isInteger(value) || Math.abs(value) >= 1e15) return 17
  let digits = value < 0 ? 2 : 1
  for (let rest = Math.abs(value); rest >= 10; rest /= 10) digits++
  return digits
}

function notJson(stack: readonly Level[], value: unknown): JsonReading {
  const [what, hint] = wordsFor(value)
  return refuse(stack, 'OUTPUT_NOT_JSON', `is ${what}, which JSON cannot hold`, hint)
}

function tooDeep(stack: readonly Level[], maxDepth: number): JsonReading {
  const text = `lies deeper than ${String(maxDepth)} arrays and objects inside each other`
  return refuse(stack, 'OUTPUT_TOO_DEEP', text, 'Flatten it, for instance to a list of nodes with ids.')
}

function tooLarge(stack: readonly Level[], maxBytes: number): JsonReading {
  const text = `is where the whole grows over the limit of ${String(maxBytes)} bytes as JSON`
  return refuse(stack, 'OUTPUT_TOO_LARGE', text, 'Write it to a file and give its path, or give less of it.')
}

/** An array or object that holds itself, if there is one on the way down to `value`. */
function cycleIn(stack: readonly Level[], value: object | undefined): JsonReading | undefined {
  const seen = new Map<object, number>()
  const sources = [...stack.map(({ source }) => source), ...(value === undefined ? [] : [value])]
  for (const [depth, source] of sources.entries()) {
    if (seen.has(source)) {
      const outer = pathOf(stack.slice(0, seen.get(source)))
      return refuse(
        stack.slice(0, depth),
        'OUTPUT_NOT_JSON',
        `is the same as "${shortPointer(outer)}": it holds itself`,
        'Give ids in place of objects.',
      )
    }
    seen.set(source, depth)
  }
  return undefined
}

function refuse(stack: readonly Level[], code: JsonProblem['code'], text: string, hint: string): JsonReading {
  const path = pathOf(stack)
  const message = `${path === '' ? 'The value' : `The value at "${shortPointer(path)}"`} ${text}.`
  return { failure: { code, message, hint, path: boundPointer(path) } }
}

function pathOf(stack: readonly Level[]): string {
  return stack.map(({ keys, at }) => `/${escapePart(keys?.[at] ?? String(at))}`).join('')
}

function wordsFor(value: unknown): readonly [what: string, hint: string] {
  if (value === undefined) return ['undefined', 'Give null, or leave the property out.']
  if (typeof value === 'number') return [String(value), 'Give null, or a text that says why there is no number.']
  if (typeof value === 'bigint') return ['a bigint', 'Give it as a string, or as a number where it is small enough.']
  if (typeof value !== 'object' || value === null)
    return [`a ${typeof value}`, 'Leave it out: only data can be passed on.']
  const name = nameOf(value)
  if (name === 'Date') return ['a Date', 'Give date.toISOString().']
  if (name === 'Map') return ['a Map', 'Give Object.fromEntries(map).']
  if (name === 'Set') return ['a Set', 'Give [...set].']
  if (name === 'Promise') return ['a Promise', 'Await it first.']
  if (ArrayBuffer.isView(value))
    return [`binary data (${name})`, 'Write it to a file and give its path, or give it as base64.']
  return [`an instance of ${name}`, 'Give a plain object with the properties that matter.']
}

function nameOf(value: object): string {
  const maker: unknown = (value as { readonly constructor?: unknown }).constructor
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'a class without a name'
}
