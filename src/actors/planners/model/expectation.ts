// What a model expects of an output: written as a list of places and what is to hold there, because a strict schema has no room for
// names that are not known before; read as the JSON Schema that a step's `expect` is.
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../../plan/json.ts'
import { isPointer, parsePointer } from '../../../plan/pointer.ts'

/** A list of `{path, is}` as one schema. Anything else comes back as it is: a schema, or what the validator refuses. */
export function readExpectation(written: Json): Json {
  const places = Array.isArray(written) ? (written as readonly Json[]) : []
  const schemas = places.flatMap((one) => placed(one) ?? [])
  const [first, ...others] = schemas
  if (first === undefined || schemas.length < places.length) return written
  return others.length === 0 ? first : { allOf: schemas }
}

/** The schema of the whole that says what is to hold at a place inside. Places in lists have no name. */
function placed(one: Json): JsonSchema | undefined {
  if (!isJsonObject(one) || typeof one.path !== 'string' || !isPointer(one.path)) return undefined
  const { is } = one
  const parts = parsePointer(one.path)
  if (!(isJsonObject(is) || typeof is === 'boolean') || parts.some((part) => /^\d+$/.test(part))) return undefined
  return parts.reduceRight<JsonObject | boolean>(
    (inner, part) => ({ type: 'object', properties: { [part]: inner }, required: [part] }),
    is,
  )
}
