// Taking out of an answer the nulls that a strict schema has put in for what was left out.
//
// N1. A `null` goes only where the schema names the property, does not require it and would not take `null` for it.
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../plan/json.ts'
import { resolveReference } from '../../plan/schemaProblems.ts'

/** Takes out the nulls that stand for optional properties. What a server without strict schemas has answered stays as it is.
 *
 * @param schema the one that was asked for, before it was made strict
 * @example
 * import { withoutAddedNulls } from 'planloom'
 * const schema = { type: 'object', properties: { id: { type: 'string' }, why: { type: 'string' } }, required: ['id'] }
 * withoutAddedNulls(schema, { id: 'a', why: null }) // { id: 'a' }
 */
export function withoutAddedNulls(schema: JsonSchema, value: Json): Json {
  return strip(value, [schema], { root: schema, depth: 0 })
}

interface Within {
  readonly root: JsonSchema
  readonly depth: number
}

/** Deeper than any answer; a reference that leads to itself goes deeper than any. */
const mostDepth = 200

function strip(value: Json, schemas: readonly Json[], within: Within): Json {
  if (within.depth > mostDepth || typeof value !== 'object' || value === null) return value
  const deeper = { ...within, depth: within.depth + 1 }
  const alternatives = schemas.flatMap((schema) => branches(schema, within.root))
  if (Array.isArray(value)) {
    const items = alternatives.flatMap(({ items: each }) => (isJsonObject(each) ? [each] : []))
    const list = value as readonly Json[]
    return items.length === 0 ? list : list.map((item) => strip(item, items, deeper))
  }
  const fitting = alternatives.filter((schema) => mayBe(schema, value as JsonObject))
  const kept = Object.entries(value).flatMap(([name, part]): [string, Json][] => {
    const named = fitting.flatMap(({ properties, required }) => {
      if (!isJsonObject(properties) || !Object.hasOwn(properties, name)) return []
      return [{ schema: properties[name] ?? true, isRequired: Array.isArray(required) && required.includes(name) }]
    })
    const isAdded =
      named.length > 0 &&
      part === null &&
      named.every(({ schema, isRequired }) => !isRequired && !takesNull(schema, within.root))
    return isAdded
      ? []
      : [
          [
            name,
            strip(
              part,
              named.map(({ schema }) => schema),
              deeper,
            ),
          ],
        ]
  })
  return Object.fromEntries(kept)
}

/** A schema and all that it leaves the choice of, references followed. */
function branches(schema: Json, root: JsonSchema, depth = 0): JsonObject[] {
  if (!isJsonObject(schema) || depth > 20) return []
  const { $ref, anyOf, oneOf, allOf } = schema
  const others = [anyOf, oneOf, allOf].flatMap((each) => (Array.isArray(each) ? (each as readonly Json[]) : []))
  const referred = typeof $ref === 'string' ? [resolveReference(root, $ref) ?? true] : []
  return [schema, ...[...referred, ...others].flatMap((each) => branches(each, root, depth + 1))]
}

/** Fixed values tell the alternatives of a union from each other: `{ op: 'insert' }` is not `{ op: 'remove' }`. */
function mayBe({ properties, required }: JsonObject, value: JsonObject): boolean {
  if (!isJsonObject(properties)) return true
  const lacks = Array.isArray(required) && (required as readonly string[]).some((name) => !Object.hasOwn(value, name))
  const differs = Object.entries(properties).some(([name, schema]) => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (!isJsonObject(schema) || given === undefined || typeof given === 'object') return false // null, or a reference in its place
    const allowed =
      'const' in schema
        ? [schema['const']]
        : Array.isArray(schema['enum'])
          ? (schema['enum'] as readonly Json[])
          : undefined
    return allowed !== undefined && !allowed.includes(given)
  })
  return !lacks && !differs
}

function takesNull(schema: Json, root: JsonSchema): boolean {
  if (schema === true) return true
  return branches(schema, root).some(({ type, const: one, enum: values, $ref, anyOf, oneOf, allOf }) => {
    if (one === null || (Array.isArray(values) && values.includes(null))) return true
    if (type === 'null' || (Array.isArray(type) && type.includes('null') && values === undefined)) return true
    return [type, one, values, $ref, anyOf, oneOf, allOf].every((each) => each === undefined) // says nothing of the type
  })
}
