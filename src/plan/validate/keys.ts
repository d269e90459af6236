// Keys that stand for others: what is written under a misspelt name is read as what was meant, and reported only once.
import type { Json, JsonObject } from '../json.ts'
import { Suggestions } from './report.ts'

/** What other planners and formats call the fields of ours. */
const synonyms: Readonly<Record<string, string>> = {
  dependson: 'after',
  dependencies: 'after',
  needs: 'after',
  args: 'input',
  arguments: 'input',
  params: 'input',
  parameters: 'input',
  inputs: 'input',
  action: 'tool',
  function: 'tool',
  foreach: 'forEach',
  condition: 'when',
  description: 'title',
  name: 'id',
  tasks: 'steps',
  objective: 'goal',
}

/** The field that a key probably stands for: one that is not there itself. */
export function meantBy(key: string, fields: readonly string[], value: JsonObject): string | undefined {
  const free = fields.filter((field) => !Object.hasOwn(value, field))
  const plain = key.toLowerCase().replace(/[^a-z]/g, '')
  const other = Object.hasOwn(synonyms, plain) ? synonyms[plain] : undefined
  return other !== undefined && free.includes(other) ? other : new Suggestions(free).nearest(key)
}

export interface ReadKeys {
  /** The object with the names that were meant. */
  readonly value: JsonObject
  /** By the name that was meant, the one that is written. */
  readonly written: ReadonlyMap<string, string>
}

const noneWritten: ReadonlyMap<string, string> = new Map()

/** Reads keys as what they were meant to be, where the value fits that. */
export function readKeys(
  value: JsonObject,
  fields: readonly string[],
  fits: (field: string, value: Json) => boolean,
): ReadKeys {
  const odd = Object.keys(value).filter((key) => !known(fields).has(key))
  if (odd.length === 0) return { value, written: noneWritten }
  const written = new Map<string, string>()
  const read = new Map(Object.entries(value))
  for (const key of odd.slice(0, mostOdd)) {
    const meant = meantBy(key, fields, value)
    if (meant === undefined || written.has(meant) || !fits(meant, value[key] as Json)) continue
    read.delete(key)
    read.set(meant, value[key] as Json)
    written.set(meant, key)
  }
  return { value: Object.fromEntries(read), written }
}

/** An object with more keys that are no fields than this is no plan with a slip in it. */
const mostOdd = 20

const knownFields = new WeakMap<readonly string[], ReadonlySet<string>>()

function known(fields: readonly string[]): ReadonlySet<string> {
  let names = knownFields.get(fields)
  if (names === undefined) knownFields.set(fields, (names = new Set(fields)))
  return names
}
