// Where two JSON values differ, and by how much.
import type { Json } from '../../plan/json.ts'
import { formatPointer } from '../../plan/pointer.ts'

export interface Difference {
  /** JSON Pointer. */
  readonly pointer: string
  /** `undefined` where there was nothing. */
  readonly recorded: Json | undefined
  readonly came: Json | undefined
}

/** Places at which two values differ, in order, as deep as they can be named. Time grows with both. */
export function differences(recorded: Json | undefined, came: Json | undefined): Difference[] {
  const found: Difference[] = []
  compare(recorded, came, [], found)
  return found
}

function compare(a: Json | undefined, b: Json | undefined, path: readonly string[], found: Difference[]): void {
  if (a === b) return
  if (!isHolder(a) || !isHolder(b) || Array.isArray(a) !== Array.isArray(b)) {
    found.push({ pointer: formatPointer(path), recorded: a, came: b })
    return
  }
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const name of names) compare(own(a, name), own(b, name), [...path, name], found)
}

function own(holder: Holder, name: string): Json | undefined {
  return Object.hasOwn(holder, name) ? holder[name] : undefined
}

type Holder = Readonly<Record<string, Json>>

function isHolder(value: Json | undefined): value is Holder & Json {
  return typeof value === 'object' && value !== null
}
