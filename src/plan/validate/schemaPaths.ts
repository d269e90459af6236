// What a JSON Schema says of a place inside the values that fit it.
//
// Always an upper bound: `true` means that anything may be there, `false` that certainly nothing is.
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import { escapePart, getPointer, indexOf, isPointer, parsePointer } from '../pointer.ts'
import { resolveReference } from '../schemaProblems.ts'

/** A schema, and the one whose `$defs` its references lead to. */
export interface Typed {
  readonly schema: JsonSchema
  readonly root: JsonSchema
}

/** Any element of an array. */
const anyElement = Symbol('any element')
type Part = string | typeof anyElement

/** The schema of the place at a pointer. The same question gets the same object, so that what follows from it can be kept. */
export function schemaAt({ schema, root }: Typed, pointer: string): Typed {
  if (typeof schema === 'boolean' || pointer === '') return { schema, root }
  if (!isPointer(pointer)) return { schema: true, root } // said elsewhere
  let known = knownPlaces.get(schema)
  if (known === undefined) knownPlaces.set(schema, (known = new Map<string, JsonSchema>()))
  let found = known.get(pointer)
  if (found === undefined) {
    found = parsePointer(pointer).reduce<JsonSchema>((at, part) => inside(at, root, part, { left: fuel }), schema)
    known.set(pointer, found)
  }
  return { schema: found, root }
}

/** The schema of the elements of an array. */
export function schemaOfElements({ schema, root }: Typed): Typed {
  if (typeof schema === 'boolean') return { schema, root }
  let found = knownElements.get(schema)
  if (found === undefined) knownElements.set(schema, (found = inside(schema, root, anyElement, { left: fuel })))
  return { schema: found, root }
}

/** The schema of one property or element. */
export function schemaInside({ schema, root }: Typed, part: string): Typed {
  return schemaAt({ schema, root }, `/${escapePart(part)}`)
}

const knownPlaces = new WeakMap<JsonObject, Map<string, JsonSchema>>()
const knownElements = new WeakMap<JsonObject, JsonSchema>()

/** Subschemas that are looked at for one answer; past that, anything may be there. */
const fuel = 500

function inside(schema: JsonSchema, root: JsonSchema, part: Part, tank: { left: number }): JsonSchema {
  if (typeof schema === 'boolean') return schema
  tank.left -= 1
  if (tank.left < 0) return true
  const look = (one: Json): JsonSchema => (isSchema(one) ? inside(one, root, part, tank) : true)
  const all: JsonSchema[] = [own(schema, part)]
  if (typeof schema.$ref === 'string') all.push(look(resolveReference(root, schema.$ref) ?? true))
  for (const one of listOf(schema.allOf)) all.push(look(one))
  for (const ways of [schema.anyOf, schema.oneOf]) if (ways !== undefined) all.push(union(listOf(ways).map(look)))
  return meet(all)
}

/** What the keywords at hand say, without those that lead to other schemas for the same value. */
function own(schema: JsonObject, part: Part): JsonSchema {
  const values = valuesOf(schema)
  if (values !== undefined && part !== anyElement) {
    return union(
      values.map((value) => {
        const found = getPointer(value, `/${escapePart(part)}`)
        return found === undefined ? false : { const: found }
      }),
    )
  }
  const ways: JsonSchema[] = []
  if (part !== anyElement && allows(schema, 'object')) ways.push(property(schema, part))
  if (allows(schema, 'array')) ways.push(element(schema, part))
  return union(ways)
}

function property(schema: JsonObject, name: string): JsonSchema {
  const { properties, patternProperties, additionalProperties } = schema
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return asSchema(properties[name])
  if (patternProperties !== undefined) return true
  return asSchema(additionalProperties)
}

function element(schema: JsonObject, part: Part): JsonSchema {
  const first = listOf(schema.prefixItems).map(asSchema)
  if (part === anyElement) return union([...first, asSchema(schema.items)])
  const index = indexOf(part)
  if (index === undefined || (typeof schema.maxItems === 'number' && index >= schema.maxItems)) return false
  return first[index] ?? asSchema(schema.items)
}

/** The only values that fit, where the schema lists them. */
export function valuesOf(schema: JsonObject): readonly Json[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const as Json]
  return Array.isArray(schema.enum) ? (schema.enum as readonly Json[]) : undefined
}

function allows({ type }: JsonObject, name: string): boolean {
  return type === undefined || type === name || (Array.isArray(type) && type.includes(name))
}

export function isSchema(value: Json | undefined): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value)
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

/** Whether all names that a schema knows are in its `properties`, and it says nothing of others. */
export function hasOnlyItsProperties(schema: JsonObject): boolean {
  return !openEnds.some((keyword) => Object.hasOwn(schema, keyword))
}

const openEnds = [
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
]

function asSchema(value: Json | undefined): JsonSchema {
  return isSchema(value) ? value : true
}

function meet(schemas: readonly JsonSchema[]): JsonSchema {
  if (schemas.includes(false)) return false
  const telling = schemas.filter((schema) => schema !== true)
  return telling.length > 1 ? { allOf: telling } : (telling[0] ?? true)
}

function union(schemas: readonly JsonSchema[]): JsonSchema {
  if (schemas.includes(true)) return true
  const possible = schemas.filter((schema) => schema !== false)
  return possible.length > 1 ? { anyOf: possible } : (possible[0] ?? false)
}
