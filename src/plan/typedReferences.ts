// References with types: `read.output.rows[0].name` in TypeScript is `{"$from": "read", "path": "/rows/0/name"}` in the plan.
//
// T1. A path that is not in the tool's output does not compile, nor does a reference where its type does not fit.
// T2. Any property name can be referred to: what a reference is cannot be seen on it, only looked up beside it.
import type { Json } from './json.ts'
import { formatPointer } from './pointer.ts'

declare const givenType: unique symbol

/** Stands for a value of type `T` that will be known once the step that gives it has run. */
export interface RefTo<out T> {
  readonly [givenType]: T
}

/** The same, with what lies inside: `ref.rows` refers to a property, `ref.rows.at(0)` to the first element. */
export type Ref<T> = RefTo<T> & (unknown extends T ? Untyped : Members<NonNullable<T>>)

/** A reference to what no schema describes: any path may be taken, and it fits anywhere. */
interface Untyped extends RefTo<never> {
  readonly [part: string]: Untyped
}

type Members<T> = [T] extends [readonly (infer Item)[]]
  ? { readonly [index: number]: Ref<Item>; /** The element at an index. */ readonly at: (index: number) => Ref<Item> }
  : [T] extends [object]
    ? { readonly [Key in KeyIn<T>]: Ref<Exclude<ValueIn<T, Key>, undefined>> }
    : [Extract<T, object>] extends [never]
      ? unknown
      : Members<Extract<T, object>>

type KeyIn<T> = T extends unknown ? keyof T : never
type ValueIn<T, Key extends PropertyKey> = T extends unknown ? (Key extends keyof T ? T[Key] : never) : never

/** A value of type `T` in which references may stand wherever their type fits. */
export type WithRefs<T> = RefTo<T> | Parts<T>

type Parts<T> = unknown extends T
  ? T
  : T extends string | number | boolean | bigint | symbol | null | undefined
    ? T
    : T extends readonly unknown[]
      ? { readonly [Key in keyof T]: WithRefs<T[Key]> }
      : { readonly [Key in keyof T]: WithRefs<T[Key]> }

/** A reference to a step's output; properties of it are references to what is inside. */
export function refTo<T>(stepId: string): Ref<T> {
  return makeRef(['$from', stepId]) as Ref<T>
}

/** A reference to the item of a `forEach` step. */
export function refToItem<T>(): Ref<T> {
  return makeRef(['$item']) as Ref<T>
}

/** A value with every typed reference in it written as JSON. Properties that are `undefined` are left out. */
export function writeRefs(value: unknown): Json {
  if (isRef(value)) return writePlace(places.get(value) ?? ['$item'])
  if (typeof value !== 'object' || value === null) return value as Json
  if (Array.isArray(value)) return value.map(writeRefs)
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(entries.map(([key, part]) => [key, writeRefs(part)]))
}

/** Whether a value is a typed reference. */
export function isRef(value: unknown): value is Ref<unknown> {
  return (typeof value === 'function' || typeof value === 'object') && value !== null && places.has(value)
}

type Place = readonly ['$from', string, ...(readonly string[])] | readonly ['$item', ...(readonly string[])]

const places = new WeakMap<object, Place>() // T2

function makeRef(place: Place): object {
  const ref = new Proxy(target, {
    get: (_target, part) => (typeof part === 'string' ? makeRef([...place, part]) : undefined),
    apply: (_target, _self, [index]: unknown[]) => makeRef(elementAt(place, index)),
  })
  places.set(ref, place)
  return ref
}

/** Something that can be called. Not frozen: a proxy must tell the truth about what is fixed on its target. */
const target = (): undefined => undefined

function elementAt(place: Place, index: unknown): Place {
  if (place.length < 2 || place.at(-1) !== 'at' || typeof index !== 'number' || !Number.isInteger(index) || index < 0) {
    throw new TypeError(
      'A reference stands for a value that is not there yet: it cannot be called or awaited, but with at(index).',
    )
  }
  return [...place.slice(0, -1), String(index)] as unknown as Place
}

function writePlace(place: Place): Json {
  if (place[0] === '$item') return { $item: formatPointer(place.slice(1)) }
  const [, $from, ...path] = place
  return { $from, path: formatPointer(path) }
}
