// From a JSON Schema to the subset that servers with strict schemas take, and from their answers back.
//
// T1. What comes out keeps to the subset: objects are closed, all their properties required, and keywords that servers do not
//     know are dropped. What they asked for is said in the description.
// T2. A value that the schema takes and that has only properties it names has an answer that the strict schema takes:
//     `withoutAddedNulls` makes the one of the other.
// T3. Where the subset cannot say what a schema says (any value, names that are not known before), there is no strict schema.
// @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../plan/json.ts'

export type StrictSchema =
  | { readonly isStrict: true; readonly schema: JsonObject }
  /** @param path JSON Pointer into the schema */
  | { readonly isStrict: false; readonly path: string; readonly why: string }

const cache = new WeakMap<object, StrictSchema>()

/** Makes a schema that a server can keep to letter by letter. Optional properties become properties that may be `null`.
 *
 * @returns why there is none, where the subset cannot say it. Time grows with the schema.
 */
export function strictSchema(schema: JsonSchema): StrictSchema {
  if (typeof schema !== 'object') return { isStrict: false, path: '', why: 'any value' }
  const known = cache.get(schema)
  if (known !== undefined) return known
  const made = make(schema)
  cache.set(schema, made)
  return made
}

function make(schema: JsonObject): StrictSchema {
  const count: Count = { properties: 0, enumValues: 0, characters: 0 }
  try {
    const strict = convert(schema, { path: '', depth: 0, count })
    if (strict['type'] !== 'object') throw new Inexpressible('', 'the whole has to be an object')
    if (count.properties > most.properties) throw new Inexpressible('', `${count.properties} properties`)
    if (count.enumValues > most.enumValues) throw new Inexpressible('', `${count.enumValues} values of enums`)
    if (count.characters > most.characters)
      throw new Inexpressible('', `${count.characters} characters in names and enums`)
    return { isStrict: true, schema: strict }
  } catch (error) {
    if (error instanceof Inexpressible) return { isStrict: false, path: error.path, why: error.message }
    throw error
  }
}

const most = { properties: 5_000, enumValues: 1_000, characters: 120_000, depth: 10 }

interface Count {
  properties: number
  enumValues: number
  characters: number
}

interface At {
  readonly path: string
  /** Of objects around it. */
  readonly depth: number
  readonly count: Count
}

class Inexpressible extends Error {
  readonly path: string
  constructor(path: string, why: string) {
    super(why)
    this.path = path
  }
}

type Draft = Record<string, Json>

function convert(schema: Json | undefined, at: At): Draft {
  if (!isJsonObject(schema)) throw new Inexpressible(at.path, schema === false ? 'nothing fits' : 'any value')
  const { $ref, allOf } = schema
  if (typeof $ref === 'string') {
    if ($ref !== '#' && !/^#\/(?:\$defs|definitions)\/[^/]+$/.test($ref))
      throw new Inexpressible(at.path, `a reference to "${$ref}"`)
    return { $ref: $ref.replace('#/definitions/', '#/$defs/') }
  }
  if (Array.isArray(allOf)) {
    const [only, ...others] = allOf as readonly Json[]
    if (others.length > 0 || !isJsonObject(only))
      throw new Inexpressible(`${at.path}/allOf`, '"allOf" of several schemas')
    const { allOf: _, ...rest } = schema
    return convert({ ...only, ...rest }, at)
  }
  for (const keyword of inexpressible)
    if (keyword in schema) throw new Inexpressible(`${at.path}/${keyword}`, `the keyword "${keyword}"`)
  const draft: Draft = { ...described(schema), ...definitions(schema, at) }
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) {
    const keyword = schema['anyOf'] === undefined ? 'oneOf' : 'anyOf'
    if ('properties' in schema || 'enum' in schema || 'const' in schema)
      throw new Inexpressible(`${at.path}/${keyword}`, `"${keyword}" beside other constraints`)
    const converted = (choices as readonly Json[]).map((each, index) =>
      convert(typed(each, schema['type']), { ...at, path: `${at.path}/${keyword}/${index}` }),
    )
    return { ...draft, anyOf: converted }
  }
  return { ...draft, ...constrained(schema, at) }
}

const inexpressible = [
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  'patternProperties',
  'prefixItems',
  '$dynamicRef',
]

/** A type that stands beside choices holds for each of them. */
function typed(choice: Json, type: Json | undefined): Json {
  return type === undefined || !isJsonObject(choice) || '$ref' in choice || 'type' in choice
    ? choice
    : { type, ...choice }
}

function constrained(schema: JsonObject, at: At): Draft {
  const { enum: values, const: one } = schema
  if (one !== undefined || Array.isArray(values)) {
    const allowed = one === undefined ? (values as readonly Json[]) : [one]
    if (allowed.length === 0 || allowed.some((value) => typeof value === 'object' && value !== null))
      throw new Inexpressible(at.path, 'a fixed value that is an object or a list')
    at.count.enumValues += allowed.length
    at.count.characters += allowed.reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0)
    return { type: typesOf(allowed), enum: [...allowed] }
  }
  const types = namedTypes(schema, at)
  const draft: Draft = { type: types.length === 1 ? (types[0] ?? null) : [...types] }
  for (const type of types) Object.assign(draft, keep(schema, keptKeywords[type] ?? []))
  if (types.includes('string')) Object.assign(draft, stringKeywords(schema))
  if (types.includes('array')) draft['items'] = convert(schema['items'], { ...at, path: `${at.path}/items` })
  if (types.includes('object')) Object.assign(draft, closedObject(schema, at))
  return draft
}

function namedTypes(schema: JsonObject, at: At): readonly string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type) && type.length > 0) return type as readonly string[]
  if ('properties' in schema) return ['object']
  if ('items' in schema) return ['array']
  throw new Inexpressible(at.path, 'any value')
}

function typesOf(values: readonly Json[]): Json {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  return types.length === 1 ? (types[0] ?? null) : types
}

const keptKeywords: Readonly<Record<string, readonly string[]>> = {
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['minItems', 'maxItems'],
}
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])

function keep(schema: JsonObject, keywords: readonly string[]): Draft {
  return Object.fromEntries(
    keywords.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])),
  )
}

function stringKeywords({ pattern, format }: JsonObject): Draft {
  return {
    ...(typeof pattern === 'string' && !/\(\?|\\[bBpPk1-9]/.test(pattern) && { pattern }), // no lookaround, no word boundary
    ...(typeof format === 'string' && formats.has(format) && { format }),
  }
}

function closedObject(schema: JsonObject, at: At): Draft {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  const { additionalProperties: others, required } = schema
  const names = Object.keys(properties)
  // A record, or an object of which nothing is known, would always be empty.
  if (isJsonObject(others) || (names.length === 0 && others !== false))
    throw new Inexpressible(at.path, 'an object with names that are not known before')
  if (at.depth >= most.depth) throw new Inexpressible(at.path, `more than ${most.depth} objects within each other`)
  const needed = new Set<Json>(Array.isArray(required) ? (required as readonly Json[]) : [])
  for (const name of needed)
    if (!names.includes(name as string)) throw new Inexpressible(at.path, 'a required property without a schema')
  at.count.properties += names.length
  at.count.characters += names.join('').length
  const converted = Object.entries(properties).map(([name, property]): [string, Json] => {
    const draft = convert(property, {
      ...at,
      depth: at.depth + 1,
      path: `${at.path}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    })
    return [name, needed.has(name) ? draft : orNull(draft)]
  })
  return { properties: Object.fromEntries(converted), required: names, additionalProperties: false }
}

function orNull(draft: Draft): Draft {
  const { type, enum: values, anyOf, description } = draft
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return draft
  if (type !== undefined && Array.isArray(values))
    return { ...draft, type: [type, 'null'].flat() as Json, enum: [...(values as readonly Json[]), null] }
  if (typeof type === 'string' && type !== 'object') return { ...draft, type: [type, 'null'] }
  if (Array.isArray(anyOf)) return { ...draft, anyOf: [...(anyOf as readonly Json[]), { type: 'null' }] }
  const { description: _, ...rest } = draft
  return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] }
}

function definitions(schema: JsonObject, at: At): Draft {
  const found = [schema['$defs'], schema['definitions']]
    .filter((each) => isJsonObject(each))
    .flatMap((each) => Object.entries(each))
  if (found.length === 0) return {}
  const converted = found.map(([name, each]): [string, Json] => [
    name,
    convert(each, { ...at, depth: 0, path: `${at.path}/$defs/${name}` }),
  ])
  at.count.characters += found.reduce((sum, [name]) => sum + name.length, 0)
  return { $defs: Object.fromEntries(converted) }
}

/** Keywords that are dropped but can be said in words. */
const saidInWords = [
  'minLength',
  'maxLength',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'contains',
  'default',
] as const

function described(schema: JsonObject): Draft {
  const { description, pattern, format } = schema
  const words = saidInWords.flatMap((keyword) =>
    schema[keyword] === undefined ? [] : [`${keyword} ${JSON.stringify(schema[keyword])}`],
  )
  const kept = stringKeywords(schema)
  if (typeof format === 'string' && kept['format'] === undefined) words.push(`format ${format}`)
  if (typeof pattern === 'string' && kept['pattern'] === undefined) words.push(`pattern ${pattern}`)
  const text = [typeof description === 'string' ? description : '', words.length > 0 ? `(${words.join(', ')})` : '']
    .join(' ')
    .trim()
  return text === '' ? {} : { description: text }
}
