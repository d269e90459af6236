// Slips of models that have one meaning only, mended; everything else is left as it is, for the validator to find.
//
// N1. A null that a server's strict mode asked for, where the format or the tool's schema knows none, means "absent".
// N2. An input that is an object written as JSON in a text is that object: the step's `why` says that it was read so.
// N3. A value that may be meant as it stands is never touched.
import { checkSchema } from '../../../plan/jsonSchemaCheck.ts'
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../../plan/json.ts'
import { planLimits } from '../../../plan/schema.ts'
import type { ToolCatalogue } from '../../../plan/toolDescription.ts'
import { isSchema, lookUp } from './inputSchema.ts'

/** A step as it was meant. What is no step at all comes back as it is. */
export function mendStep(written: Json, tools: ToolCatalogue): Json {
  if (!isJsonObject(written)) return written
  const step = withoutNulls(written)
  const tool = typeof step.tool === 'string' ? tools.get(step.tool) : undefined
  const { input, when, forEach, retry, goal } = step
  return {
    ...step,
    ...(isJsonObject(forEach) && { forEach: withoutNulls(forEach) }),
    ...(isJsonObject(retry) && { retry: withoutNulls(retry) }),
    ...(isJsonObject(goal) && { goal: withoutNulls(goal) }),
    ...(isJsonObject(when) && { when: mendCondition(when) }),
    ...mendInput(input, step.why, tool?.input),
  }
}

/** An operation as it was meant, with its step. `to` may be null, and means it. */
export function mendOperation(written: Json, tools: ToolCatalogue): Json {
  if (!isJsonObject(written)) return written
  const { to } = written
  const operation = { ...withoutNulls(written), ...(to === null && { to }) }
  const { step, assumption } = operation as JsonObject
  return {
    ...operation,
    ...(step !== undefined && { step: mendStep(step, tools) }),
    ...(assumption !== undefined && { assumption: mendAssumption(assumption) }),
  }
}

export function mendAssumption(written: Json): Json {
  if (!isJsonObject(written)) return written
  const { is, ...rest } = withoutNulls(written)
  return { ...rest, ...(is !== undefined && { is: mendSchema(is) }) }
}

function mendCondition(written: JsonObject): JsonObject {
  const { value, is, ...rest } = withoutNulls(written)
  return {
    ...rest,
    ...(value !== undefined && { value: isJsonObject(value) ? withoutNulls(value) : value }),
    ...(is !== undefined && { is: mendSchema(is) }),
  }
}

/** `{"const": null}` says something; beside other keywords, as strict mode writes them all, it does not. */
function mendSchema(is: Json): Json {
  return isJsonObject(is) && Object.keys(is).length > 1 ? withoutNulls(is) : is
}

function mendInput(input: Json | undefined, why: Json | undefined, schema: JsonSchema | undefined): JsonObject {
  if (input === undefined) return {}
  if (typeof input === 'string' && schema !== undefined) {
    const parsed = parseObject(input)
    if (parsed === undefined) return {}
    const said = typeof why === 'string' && why !== '' ? `${why} ` : ''
    return {
      input: dropNulls(parsed, schema, schema, 0),
      why: `${said}(The input was written as JSON in a text, and read as an object.)`,
    }
  }
  return schema === undefined ? {} : { input: dropNulls(input, schema, schema, 0) }
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined // the validator says that a text is no input
  }
}

/** The value without nulls that its schema neither asks for nor allows; itself where there are none. */
function dropNulls(value: Json, schema: JsonSchema, root: JsonSchema, level: number): Json {
  if (typeof value !== 'object' || value === null || level > planLimits.inputDepth) return value
  if (Array.isArray(value)) {
    const { items } = objectSchema(schema, root, 'items')
    const inner = isSchema(items) ? items : true
    const given = value as readonly Json[]
    const made = given.map((item) => dropNulls(item, inner, root, level + 1))
    return made.some((item, index) => item !== given[index]) ? made : given
  }
  const object = value as JsonObject
  if (typeof object.$from === 'string' && object.path === null) return withoutNulls(object)
  const { properties, required } = objectSchema(schema, root, 'properties')
  if (!isJsonObject(properties)) return value
  let isChanged = false
  const entries: [string, Json][] = []
  for (const [key, inner] of Object.entries(object)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    const isOptional = !(Array.isArray(required) && required.includes(key))
    if (inner === null && isOptional && isSchema(known) && !allowsNull(known, root)) {
      isChanged = true
      continue
    }
    const made = isSchema(known) ? dropNulls(inner, known, root, level + 1) : inner
    if (made !== inner) isChanged = true
    entries.push([key, made])
  }
  return isChanged ? Object.fromEntries(entries) : value
}

/** The object in which a schema says what stands inside a value, where there is only one such. */
function objectSchema(schema: JsonSchema, root: JsonSchema, keyword: 'items' | 'properties', depth = 0): JsonObject {
  if (!isJsonObject(schema) || depth > 8) return {}
  if (typeof schema.$ref === 'string') {
    const target = schema.$ref === '#' ? root : lookUp(root, schema.$ref)
    return target === undefined ? {} : objectSchema(target, root, keyword, depth + 1)
  }
  if (schema[keyword] !== undefined) return schema
  const choices = schema.anyOf ?? schema.oneOf
  if (!Array.isArray(choices)) return schema
  const fitting = (choices as readonly Json[])
    .filter(isSchema)
    .map((choice) => objectSchema(choice, root, keyword, depth + 1))
    .filter((choice) => choice[keyword] !== undefined)
  return fitting.length === 1 ? (fitting[0] ?? {}) : {}
}

const nullables = new WeakMap<object, boolean>()

function allowsNull(schema: JsonSchema, root: JsonSchema): boolean {
  if (!isJsonObject(schema)) return schema
  const known = nullables.get(schema)
  if (known !== undefined) return known
  const definitions = isJsonObject(root) ? { $defs: root.$defs ?? {}, definitions: root.definitions ?? {} } : {}
  const isAllowed = checkSchema({ ...definitions, ...schema }, null).length === 0
  nullables.set(schema, isAllowed)
  return isAllowed
}

function withoutNulls(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
  return entries.some(([, value]) => value === null)
    ? Object.fromEntries(entries.filter(([, value]) => value !== null))
    : object
}
