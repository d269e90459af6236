// Whether two JSON Schemas contradict each other: no value fits both. Said only where it is certain.
import { canonicalJson } from '../hash.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { escapePart } from '../pointer.ts'
import { resolveReference } from '../schemaProblems.ts'
import { isSchema, listOf, schemaInside, valuesOf, type Typed } from './schemaPaths.ts'

export interface Conflict {
  /** JSON Pointer to the place inside the value, where it is not the value itself. */
  readonly path: string
  /** What is given there, in words. */
  readonly given: string
  readonly wanted: string
}

/** Why what is given can never be what is wanted; `undefined` when it can, or when that cannot be known. */
export function findConflict(given: Typed, wanted: Typed): Conflict | undefined {
  if (typeof given.schema === 'boolean' || typeof wanted.schema === 'boolean')
    return compare(given, wanted, { left: fuel })
  let known = conflicts.get(given.schema)
  if (known === undefined) conflicts.set(given.schema, (known = new WeakMap()))
  let found = known.get(wanted.schema)
  if (found === undefined) known.set(wanted.schema, (found = compare(given, wanted, { left: fuel }) ?? 'none'))
  return found === 'none' ? undefined : found
}

const conflicts = new WeakMap<JsonObject, WeakMap<JsonObject, Conflict | 'none'>>()

/** Pairs of subschemas that are compared for one answer; past that, it cannot be known. */
const fuel = 1_000

function compare(given: Typed, wanted: Typed, tank: { left: number }): Conflict | undefined {
  const one = given.schema
  const two = wanted.schema
  if (one === false || two === false)
    return { path: '', given: one === false ? 'nothing' : nameOf(one), wanted: two === false ? 'nothing' : nameOf(two) }
  if (one === true || two === true) return undefined
  tank.left -= 1
  if (tank.left < 0) return undefined
  for (const part of conjuncts(given)) {
    const conflict = compare(part, wanted, tank)
    if (conflict) return conflict
  }
  for (const part of conjuncts(wanted)) {
    const conflict = compare(given, part, tank)
    if (conflict) return conflict
  }
  for (const ways of [one.anyOf, one.oneOf]) {
    const conflict = everyWay(listOf(ways), (way) => compare({ ...given, schema: way }, wanted, tank))
    if (conflict) return { ...conflict, given: conflict.path === '' ? nameOf(one) : conflict.given }
  }
  for (const ways of [two.anyOf, two.oneOf]) {
    const conflict = everyWay(listOf(ways), (way) => compare(given, { ...wanted, schema: way }, tank))
    if (conflict) return { ...conflict, wanted: conflict.path === '' ? nameOf(two) : conflict.wanted }
  }
  return compareOwn(one, two) ?? compareInside(given, wanted, one, two, tank)
}

function conjuncts({ schema, root }: Typed): Typed[] {
  if (typeof schema === 'boolean') return []
  const target = typeof schema.$ref === 'string' ? resolveReference(root, schema.$ref) : undefined
  return [...(target === undefined ? [] : [target]), ...listOf(schema.allOf)]
    .filter(isSchema)
    .map((part) => ({ schema: part, root }))
}

/** The first conflict, if each way has one. */
function everyWay(
  ways: readonly Json[],
  look: (way: Exclude<Json, null | number | string | readonly Json[]>) => Conflict | undefined,
): Conflict | undefined {
  let first: Conflict | undefined
  for (const way of ways) {
    const conflict = isSchema(way) ? look(way) : undefined
    if (conflict === undefined) return undefined
    first ??= conflict
  }
  return first
}

function compareOwn(one: JsonObject, two: JsonObject): Conflict | undefined {
  const conflict: Conflict = { path: '', given: nameOf(one), wanted: nameOf(two) }
  const types = typesOf(one)
  const others = typesOf(two)
  if (types && others && !types.some((type) => others.some((other) => fits(type, other)))) return conflict
  const values = valuesOf(one)
  const allowed = valuesOf(two)
  if (values && allowed) {
    const texts = new Set(allowed.map(canonicalJson))
    if (!values.some((value) => texts.has(canonicalJson(value)))) return conflict
  }
  const isNumeric = [types, others].some(
    (list) => list?.every((type) => type === 'number' || type === 'integer') === true,
  )
  if (isNumeric && (least(one) > most(two) || least(two) > most(one)))
    return { ...conflict, given: rangeOf(one), wanted: rangeOf(two) }
  return undefined
}

/** Objects that must have a property which contradicts, arrays that must have an element which does. */
function compareInside(
  given: Typed,
  wanted: Typed,
  one: JsonObject,
  two: JsonObject,
  tank: { left: number },
): Conflict | undefined {
  const types = typesOf(one) ?? typesOf(two)
  const others = typesOf(two) ?? types
  const common = types?.filter((type) => others?.some((other) => fits(type, other)))
  if (common?.length !== 1) return undefined
  const parts =
    common[0] === 'object'
      ? [...new Set([...listOf(one.required), ...listOf(two.required)])].filter((name) => typeof name === 'string')
      : common[0] === 'array' && Math.max(count(one.minItems), count(two.minItems)) > 0
        ? ['0']
        : []
  for (const part of parts) {
    const conflict = compare(schemaInside(given, part), schemaInside(wanted, part), tank)
    if (conflict) return { ...conflict, path: `/${escapePart(part)}${conflict.path}` }
  }
  return undefined
}

function typesOf(schema: JsonObject): readonly string[] | undefined {
  const values = valuesOf(schema)
  if (values !== undefined) return [...new Set(values.map(typeName))]
  const { type } = schema
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? (type as readonly string[]) : undefined
}

function fits(one: string, two: string): boolean {
  return one === two || (one === 'integer' && two === 'number') || (one === 'number' && two === 'integer')
}

export function typeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function least({ minimum, exclusiveMinimum }: JsonObject): number {
  return Math.max(
    typeof minimum === 'number' ? minimum : -Infinity,
    typeof exclusiveMinimum === 'number' ? exclusiveMinimum : -Infinity,
  )
}

function most({ maximum, exclusiveMaximum }: JsonObject): number {
  return Math.min(
    typeof maximum === 'number' ? maximum : Infinity,
    typeof exclusiveMaximum === 'number' ? exclusiveMaximum : Infinity,
  )
}

function rangeOf(schema: JsonObject): string {
  return `a number from ${least(schema)} to ${most(schema)}`
}

function count(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}

/** A schema in a few words. */
export function nameOf(schema: Json): string {
  if (!isJsonObject(schema)) return schema === false ? 'nothing' : 'anything'
  const values = valuesOf(schema)
  if (values !== undefined)
    return values.length > 5
      ? `one of ${values.length} values`
      : values.map((value) => JSON.stringify(value)).join(' or ')
  const { type } = schema
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return type.join(' or ')
  const ways = [...listOf(schema.anyOf), ...listOf(schema.oneOf)]
  if (ways.length > 0) return [...new Set(ways.map(nameOf))].join(' or ')
  const [first] = listOf(schema.allOf)
  return first === undefined ? 'something else' : nameOf(first)
}
