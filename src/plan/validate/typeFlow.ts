// Following types from output to input: what a reference will give, and whether that can fit where it stands.
//
// Only what is certain is said: a schema that is absent, open, a union or a `$ref` means "cannot know".
import type { Json, JsonObject, JsonSchema } from '../json.ts'
import { isJsonObject } from '../json.ts'
import { parsePointer } from '../pointer.ts'
import type { Reference, Step } from '../schema.ts'
import type { ToolCatalogue } from '../toolDescription.ts'

/** The schema of the value at a reference: `undefined` cannot be known, `'nothing'` certainly leads nowhere. */
export function schemaAt(reference: Reference, byId: ReadonlyMap<string, Step>, tools: ToolCatalogue): JsonSchema | 'nothing' | undefined {
  const step = byId.get(reference.$from)
  const tool = step?.tool === undefined ? undefined : tools.get(step.tool)
  if (step === undefined || tool === undefined) return undefined
  const output: JsonSchema = step.forEach ? { type: 'array', items: tool.output } : tool.output
  return descend(output, reference.path)
}

/** The schema of the items that a `forEach` goes over. */
export function itemSchema(step: Step, byId: ReadonlyMap<string, Step>, tools: ToolCatalogue): JsonSchema | undefined {
  if (step.forEach === undefined) return undefined
  const list = schemaAt(step.forEach, byId, tools)
  if (list === 'nothing' || !isPlain(list) || !isJsonObject(list.items)) return undefined
  return list.items
}

export function descend(schema: JsonSchema | undefined, path: string): JsonSchema | 'nothing' | undefined {
  let at: JsonSchema | undefined = schema
  for (const token of parsePointer(path)) {
    if (!isPlain(at)) return undefined
    const { properties } = at
    if (isJsonObject(properties) && Object.hasOwn(properties, token)) at = properties[token] as JsonSchema
    else if (at.type === 'array' && /^\d+$/.test(token)) at = isJsonObject(at.items) ? at.items : undefined
    else if (at.type === 'object' && at.additionalProperties === false && at.patternProperties === undefined) return 'nothing'
    else if (isJsonObject(at.additionalProperties)) at = at.additionalProperties
    else if (typeof at.type === 'string' && ['string', 'number', 'integer', 'boolean', 'null'].includes(at.type)) return 'nothing'
    else return undefined
  }
  return at
}

/** Types that can stand there, where that is certain. */
export function certainTypes(schema: JsonSchema | undefined): ReadonlySet<string> | undefined {
  if (!isPlain(schema)) return undefined
  if (Object.hasOwn(schema, 'const')) return new Set([typeName(schema.const as Json)])
  if (Array.isArray(schema.enum)) return new Set((schema.enum as readonly Json[]).map(typeName))
  if (typeof schema.type === 'string') return new Set([schema.type])
  return Array.isArray(schema.type) ? new Set(schema.type as readonly string[]) : undefined
}

/** Whether some value of `given` types may stand where `wanted` types are. An integer is a number. */
export function mayFit(given: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  for (const type of given) {
    if (wanted.has(type) || (type === 'integer' && wanted.has('number')) || (type === 'number' && wanted.has('integer'))) return true
  }
  return false
}

function typeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** A schema that says what it says without unions, references or conditions. */
function isPlain(schema: unknown): schema is JsonObject {
  return isJsonObject(schema) && !['anyOf', 'oneOf', 'allOf', '$ref', 'if', 'not'].some((word) => Object.hasOwn(schema, word))
}
