// A tool's input schema as a plan may fill it: at each place inside, a reference may stand for the value.
//
// I1. Whatever the tool has a name for is accepted, and so is a reference in place of any part of it. Names that it lets pass and
//     does not know are not offered: it would do without them, and nobody would see.
// I2. What says something about a value as a whole, and might say it wrongly of a reference, is left to the validator.
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../../plan/json.ts'

/** Keywords that hold for the value itself where it is given, and for nothing where a reference stands. */
const kept = [
  'type',
  'description',
  'required',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
] as const

/** Where a schema's own definitions go, and under which names. */
export interface Definitions {
  /** Begins the name of each: no two tools share one. */
  readonly prefix: string
  readonly add: (name: string, schema: JsonSchema) => void
}

const reference: JsonObject = { $ref: '#/$defs/reference' }

/** The schema of a step's `input`. Definitions that it needs are added under names that begin with the prefix. */
export function withReferences(schema: JsonSchema, { prefix, add }: Definitions): JsonSchema {
  const names = new Map<string, string>()

  /** The schema of a place at which a reference may stand. */
  function open(inner: JsonSchema): JsonSchema {
    const converted = convert(inner)
    return converted === true ? true : { anyOf: [converted, reference] }
  }

  function convert(inner: JsonSchema): JsonSchema {
    if (!isJsonObject(inner)) return inner
    if (typeof inner.$ref === 'string') return definition(inner.$ref)
    const made: Record<string, Json> = {}
    for (const keyword of kept) if (inner[keyword] !== undefined) made[keyword] = inner[keyword]
    const { properties, additionalProperties, items, prefixItems } = inner
    if (isJsonObject(properties)) made.properties = each(properties)
    if (additionalProperties === undefined && isClosable(inner)) made.additionalProperties = false
    if (isSchema(additionalProperties))
      made.additionalProperties = isJsonObject(additionalProperties) ? open(additionalProperties) : additionalProperties
    if (isSchema(items)) made.items = open(items)
    if (Array.isArray(prefixItems)) made.prefixItems = listOf(prefixItems).map(open)
    const choices = inner.anyOf ?? inner.oneOf
    if (Array.isArray(choices)) made.anyOf = listOf(choices).map(convert)
    if (Array.isArray(inner.allOf)) made.allOf = listOf(inner.allOf).map(convert)
    return made
  }

  function each(properties: JsonObject): JsonObject {
    const entries = Object.entries(properties).filter(([, inner]) => isSchema(inner))
    return Object.fromEntries(entries.map(([name, inner]) => [name, open(inner as JsonSchema)]))
  }

  /** Follows a reference within the tool's schema; one that leads out of it means anything. */
  function definition(target: string): JsonSchema {
    const known = names.get(target)
    if (known !== undefined) return { $ref: `#/$defs/${known}` }
    const found = target === '#' ? schema : lookUp(schema, target)
    if (found === undefined) return true
    const name = `${prefix}_${String(names.size + 1)}`
    names.set(target, name)
    add(name, convert(found))
    return { $ref: `#/$defs/${name}` }
  }

  return convert(schema)
}

/** What `#/$defs/name` and `#/definitions/name` stand for. */
export function lookUp(root: JsonSchema, target: string): JsonSchema | undefined {
  const name = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(target)
  if (name === null || !isJsonObject(root)) return undefined
  const definitions = root[name[1] ?? '']
  const key = decodeURIComponentSafely(name[2] ?? '')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  if (!isJsonObject(definitions) || !Object.hasOwn(definitions, key)) return undefined
  const found = definitions[key]
  return isSchema(found) ? found : undefined
}

export function isSchema(value: Json | undefined): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value)
}

/** Whether all names that a schema knows are in its `properties`, and it says nothing of others. */
export function isClosable(schema: JsonObject): boolean {
  if (!isJsonObject(schema.properties)) return false
  const more = ['additionalProperties', 'patternProperties', 'unevaluatedProperties', '$ref', 'allOf', 'anyOf', 'oneOf']
  return !more.some((keyword) => Object.hasOwn(schema, keyword))
}

function listOf(schemas: Json): readonly JsonSchema[] {
  return Array.isArray(schemas) ? (schemas as readonly Json[]).filter(isSchema) : []
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
