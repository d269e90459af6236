// Where two values differ, in words: the place as a JSON Pointer and what stands there on both sides, in short. A value can be large,
// and what has changed in it small.
import { canonicalJson, formatPointer, isJsonObject, shortPointer, type Json } from '../plan/index.ts'
import { printable } from './escape.ts'
import { fit } from './fit.ts'

export interface ValueChanges {
  /** The first few, in the order of the value: `/rows/3/name "Ada" becomes "Bob"`; of the value as a whole, without a place. */
  readonly told: readonly string[]
  /** How many more there are. */
  readonly more: number
}

const mostTold = 5
const mostColumns = 60
/** What is told of a text before the place where it differs. */
const leadCharacters = 12

/** @param before undefined: there was none */
export function valueChanges(before: Json | undefined, after: Json | undefined): ValueChanges {
  const told: string[] = []
  let count = 0
  const compare = (one: Json | undefined, other: Json | undefined, place: readonly (string | number)[]): void => {
    if (one === other) return
    const keys = keysOf(one, other)
    if (keys !== undefined) {
      for (const key of keys) compare(partOf(one, key), partOf(other, key), [...place, key])
    } else if (++count <= mostTold) {
      told.push(`${placeOf(place)}${sidesOf(one, other)}`)
    }
  }
  compare(before, after, [])
  return { told, more: count - told.length }
}

/** Undefined where there is nothing to look into: the values are no two lists, and no two objects. */
function keysOf(one: Json | undefined, other: Json | undefined): Iterable<string | number> | undefined {
  if (Array.isArray(one) && Array.isArray(other)) return Array(Math.max(one.length, other.length)).keys()
  if (isJsonObject(one) && isJsonObject(other)) return new Set([...Object.keys(one), ...Object.keys(other)])
  return undefined
}

function partOf(value: Json | undefined, key: string | number): Json | undefined {
  if (value === undefined || value === null || !Object.hasOwn(value as object, key)) return undefined
  return Reflect.get(value as object, key) as Json
}

function placeOf(place: readonly (string | number)[]): string {
  return place.length === 0 ? '' : `${printable(shortPointer(formatPointer(place)))} `
}

function sidesOf(one: Json | undefined, other: Json | undefined): string {
  const from = typeof one === 'string' && typeof other === 'string' ? commonStart(one, other) : 0
  return `${short(one, from)} becomes ${short(other, from)}`
}

/** Where two texts that begin alike are worth being told from. */
function commonStart(one: string, other: string): number {
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  return Math.max(one.length, other.length) <= mostColumns ? 0 : Math.max(0, same - leadCharacters)
}

function short(value: Json | undefined, from: number): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `${from > 0 ? '…' : ''}${fit(quotedText(value.slice(from)), mostColumns)}`
  return fit(printable(canonicalJson(value)), mostColumns)
}

/** Only so much of it as can be told: a text may be of any length. */
function quotedText(text: string): string {
  return printable(JSON.stringify(text.slice(0, 4 * mostColumns)))
}
