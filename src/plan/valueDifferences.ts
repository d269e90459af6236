// Where two JSON values differ.
import type { Json } from './json.ts'

export interface ValueDifference {
  /** The parts of a JSON Pointer (`formatPointer`). */
  readonly path: readonly string[]
  /** `undefined` where there was nothing. */
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** Places at which two values differ, in order, as deep as they can be named. Time grows with both.
 *
 * @example
 * import { valueDifferences } from 'planloom/plan'
 * const [only] = valueDifferences({ rows: [{ name: 'Ada' }] }, { rows: [{ name: 'Bob' }] })
 * only?.path // ['rows', '0', 'name']
 */
export function* valueDifferences(
  before: Json | undefined,
  after: Json | undefined,
  path: readonly string[] = [],
): Generator<ValueDifference> {
  if (before === after) return
  if (!isHolder(before) || !isHolder(after) || Array.isArray(before) !== Array.isArray(after)) {
    yield { path, before, after }
    return
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  for (const name of names) yield* valueDifferences(own(before, name), own(after, name), [...path, name])
}

type Holder = Readonly<Record<string, Json>>

function own(holder: Holder, name: string): Json | undefined {
  return Object.hasOwn(holder, name) ? holder[name] : undefined
}

function isHolder(value: Json | undefined): value is Holder & Json {
  return typeof value === 'object' && value !== null
}
