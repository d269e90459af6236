// Where two values differ, in words: the place as a JSON Pointer and what stands there on both sides, in short. A value can be large,
// and what has changed in it small.
import { canonicalJson, formatPointer, shortPointer, valueDifferences, type Json } from '../plan/index.ts'
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
  for (const { path, before: was, after: is } of valueDifferences(before, after)) {
    if (++count <= mostTold) told.push(`${placeOf(path)}${sidesOf(was, is)}`)
  }
  return { told, more: count - told.length }
}

function placeOf(path: readonly string[]): string {
  return path.length === 0 ? '' : `${printable(shortPointer(formatPointer(path)))} `
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
