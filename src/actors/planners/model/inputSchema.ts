// A tool's input schema as a plan may fill it: at each place inside, a reference may stand for the value.
//
// I1. Whatever the tool has a name for is accepted, and so is a reference in place of any part of it. Names that it lets pass and
//     does not know are not offered: it would do without them, and nobody would see.
// I2. What takes any value, or names that are not known before, takes them as JSON in a text as well (jsonText.ts): a strict schema can
//     say nothing else of them.
// I3. What says something about a value as a whole, and might say it wrongly of a reference, is left to the validator.
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../../plan/json.ts'
import { resolveReference } from '../../../plan/schemaProblems.ts'
import { hasOnlyItsProperties, isSchema, listOf } from '../../../plan/validate/schemaPaths.ts'

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
const jsonText: JsonObject = { $ref: '#/$defs/json' }
const anyValue: JsonObject = { anyOf: [{ type: ['string', 'number', 'boolean', 'null'] }, jsonText] }

/** The schema of a step's `input`. Definitions that it needs are added under names that begin with the prefix. */
export function withReferences(schema: JsonSchema, { prefix, add }: Definitions): JsonSchema {
  const names = new Map<string, string>()

  /** The schema of a place at which a reference may stand. */
  function open(inner: JsonSchema): JsonSchema {
    return { anyOf: [convert(inner), reference] }
  }

  function convert(inner: JsonSchema): JsonSchema {
    if (inner === false) return inner
    if (inner === true) return anyValue
    if (typeof inner.$ref === 'string') return definition(inner.$ref)
    const said = typeof inner.description === 'string' ? { description: inner.description } : {}
    if (!saysWhatItIs(inner)) return { ...said, ...anyValue } // I2
    if (!takesUnknownNames(inner)) return shapeOf(inner)
    const rest = withoutRecords(inner)
    return { ...said, anyOf: rest === undefined ? [jsonText] : [shapeOf(rest), jsonText] } // I2
  }

  function shapeOf(inner: JsonObject): JsonObject {
    const made: Record<string, Json> = {}
    for (const keyword of kept) if (inner[keyword] !== undefined) made[keyword] = inner[keyword]
    const { properties, items, prefixItems } = inner
    if (isJsonObject(properties)) made.properties = each(properties)
    if (inner.additionalProperties !== undefined || isClosable(inner)) made.additionalProperties = false
    if (isSchema(items) || namesType(inner, 'array')) made.items = open(isSchema(items) ? items : true)
    if (Array.isArray(prefixItems)) made.prefixItems = schemasIn(prefixItems).map(open)
    const choices = inner.anyOf ?? inner.oneOf
    if (Array.isArray(choices)) made.anyOf = schemasIn(choices).map(convert)
    if (Array.isArray(inner.allOf)) made.allOf = schemasIn(inner.allOf).map(convert)
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
    const found = resolveReference(schema, target)
    if (found === undefined) return anyValue
    const name = `${prefix}_${String(names.size + 1)}`
    names.set(target, name)
    add(name, convert(found))
    return { $ref: `#/$defs/${name}` }
  }

  return convert(schema)
}

/** Whether other names than those in its `properties` may be refused, and nothing is lost. */
export function isClosable(schema: JsonObject): boolean {
  return isJsonObject(schema.properties) && hasOnlyItsProperties(schema)
}

/** Without it, any value is taken. */
const shapes = ['$ref', 'type', 'enum', 'const', 'properties', 'items', 'prefixItems', 'anyOf', 'oneOf', 'allOf']

function saysWhatItIs(schema: JsonObject): boolean {
  return shapes.some((keyword) => Object.hasOwn(schema, keyword))
}

function takesUnknownNames(schema: JsonObject): boolean {
  const { properties, additionalProperties: others, patternProperties } = schema
  if (patternProperties !== undefined || isJsonObject(others) || others === true) return true
  return namesType(schema, 'object') && properties === undefined && others === undefined && !hasChoices(schema)
}

function hasChoices(schema: JsonObject): boolean {
  return ['enum', 'const', 'anyOf', 'oneOf', 'allOf'].some((keyword) => Object.hasOwn(schema, keyword))
}

/** What such a schema takes besides: objects with the names that it knows, and values of other types. */
function withoutRecords(schema: JsonObject): JsonObject | undefined {
  if (isJsonObject(schema.properties) || hasChoices(schema)) return schema
  const types = Array.isArray(schema.type) ? (schema.type as readonly Json[]).filter((one) => one !== 'object') : []
  return types.length === 0 ? undefined : { ...schema, type: types }
}

function namesType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && (type as readonly Json[]).includes(name))
}

function schemasIn(value: Json | undefined): readonly JsonSchema[] {
  return listOf(value).filter(isSchema)
}
