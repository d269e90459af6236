// Whether an input, with references still in it, can fit the input schema of its tool.
//
// F1. Literal parts are checked as they stand; a reference by what is known of the value that it will give.
// F2. Of alternatives (`anyOf`, `oneOf`) one that may fit is enough.
// F3. Keywords that speak of the whole of a value say nothing while a part of it is missing.
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import { checkSchema } from '../jsonSchemaCheck.ts'
import { escapePart } from '../pointer.ts'
import { isItemPointer, isReference, type ItemPointer, type ReferenceLike } from '../references.ts'
import { resolveReference } from '../schemaProblems.ts'
import { findConflict, nameOf, typeName, type Conflict } from './conflict.ts'
import { isSchema, listOf, type Typed } from './schemaPaths.ts'

export interface Misfit {
  readonly code: 'INPUT_INVALID' | 'INPUT_MISSING' | 'INPUT_UNKNOWN' | 'REFERENCE_TYPE'
  /** JSON Pointer into the input. */
  readonly path: string
  readonly message: string
  /** For a property that is missing or unknown: its name, and the names there are. */
  readonly name?: string
  readonly names?: readonly string[]
  readonly conflict?: Conflict
}

export type Hole = ReferenceLike | ItemPointer

export interface Fitting {
  /** The input schema of the tool. */
  readonly root: JsonSchema
  /** Arrays and objects of the input that have references in them. */
  readonly holders: WeakSet<object>
  /** What was meant as a reference, and is none. */
  readonly mistakes: ReadonlySet<object>
  /** What is known of the value that a reference will give. */
  readonly typesOf: (hole: Hole) => readonly Typed[]
}

export function misfits(fitting: Fitting, value: Json): readonly Misfit[] {
  return look(fitting, value, { schema: fitting.root, path: '', leaps: 0 })
}

interface Spot {
  readonly schema: JsonSchema
  readonly path: string
  /** Schemas that were gone through for this same value: references may go round. */
  readonly leaps: number
}

const mostLeaps = 30

function look(fitting: Fitting, value: Json, spot: Spot): readonly Misfit[] {
  const { schema, path, leaps } = spot
  if (schema === true || leaps > mostLeaps) return []
  if (schema === false) return [{ code: 'INPUT_INVALID', path, message: 'nothing is allowed here' }]
  if (isReference(value) || isItemPointer(value)) return holeMisfits(fitting, value, schema, path)
  if (typeof value === 'object' && value !== null && fitting.mistakes.has(value)) return [] // said elsewhere
  if (typeof value !== 'object' || value === null || !fitting.holders.has(value)) {
    return literalMisfits(fitting.root, value, schema, path)
  }
  const lookBy = (other: Json): readonly Misfit[] => {
    return isSchema(other) ? look(fitting, value, { schema: other, path, leaps: leaps + 1 }) : []
  }
  const found: Misfit[] = [...ownMisfits(fitting, value, schema, path)]
  const target = typeof schema.$ref === 'string' ? resolveReference(fitting.root, schema.$ref) : undefined
  if (target !== undefined) found.push(...lookBy(target))
  for (const part of listOf(schema.allOf)) found.push(...lookBy(part))
  for (const ways of [schema.anyOf, schema.oneOf]) found.push(...fewest(listOf(ways).map(lookBy)))
  return found
}

/** The shortest list; none when one of them is empty (F2). */
function fewest(lists: readonly (readonly Misfit[])[]): readonly Misfit[] {
  return (
    lists.reduce<readonly Misfit[] | undefined>(
      (least, list) => (least === undefined || list.length < least.length ? list : least),
      undefined,
    ) ?? []
  )
}

function holeMisfits({ typesOf, root }: Fitting, hole: Hole, schema: JsonSchema, path: string): readonly Misfit[] {
  for (const given of typesOf(hole)) {
    if (given.schema === false) continue // said elsewhere: nothing is at that path
    const conflict = findConflict(given, { schema, root })
    if (conflict) return [{ code: 'REFERENCE_TYPE', path, message: `${conflict.wanted} is needed`, conflict }]
  }
  return []
}

const codes: Readonly<Record<string, Misfit['code']>> = {
  required: 'INPUT_MISSING',
  additionalProperties: 'INPUT_UNKNOWN',
}

/** F1. A problem without a keyword is one of the schema, which is not the plan's fault. */
function literalMisfits(root: JsonSchema, value: Json, schema: JsonObject, path: string): readonly Misfit[] {
  return checkSchema(standalone(root, schema), value).flatMap((problem): Misfit[] => {
    const { keyword, message } = problem
    if (keyword === undefined) return []
    return [
      {
        code: codes[keyword] ?? 'INPUT_INVALID',
        path: path + problem.path,
        message,
        ...namesFor(schema, value, problem.path, message),
      },
    ]
  })
}

function namesFor(schema: JsonObject, value: Json, path: string, message: string): Pick<Misfit, 'name' | 'names'> {
  const name = /property "(.*)" (?:is missing|here)/s.exec(message)?.[1]
  return name === undefined || path.lastIndexOf('/') > 0 ? {} : { name, names: freeNames(schema, value) }
}

/** Names of properties that the schema knows and the value does not have. */
function freeNames({ properties }: JsonObject, value: Json): string[] {
  return isJsonObject(properties)
    ? Object.keys(properties).filter((name) => !isJsonObject(value) || !Object.hasOwn(value, name))
    : []
}

/** A part of a schema with the definitions that it may refer to. */
function standalone(root: JsonSchema, schema: JsonObject): JsonObject {
  if (schema === root || typeof root === 'boolean') return schema
  let known = parts.get(schema)
  if (known === undefined) {
    const { $defs, definitions } = root
    known = { ...schema, ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) }
    parts.set(schema, known)
  }
  return known
}

const parts = new WeakMap<JsonObject, JsonObject>()

function ownMisfits(fitting: Fitting, value: Json, schema: JsonObject, path: string): readonly Misfit[] {
  const { type } = schema
  const name = typeName(value)
  if (type !== undefined && type !== name && !(Array.isArray(type) && type.includes(name))) {
    return [{ code: 'INPUT_INVALID', path, message: `expected ${nameOf(schema)}, got an ${name}` }]
  }
  return isJsonObject(value)
    ? objectMisfits(fitting, value, schema, path)
    : arrayMisfits(fitting, value as readonly Json[], schema, path)
}

function objectMisfits(fitting: Fitting, value: JsonObject, schema: JsonObject, path: string): Misfit[] {
  const found: Misfit[] = []
  for (const name of listOf(schema.required)) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue
    found.push({ code: 'INPUT_MISSING', path, message: `the property "${name}" is missing`, name, names: [] })
  }
  const { properties, patternProperties, additionalProperties } = schema
  for (const name of Object.keys(value)) {
    const place = `${path}/${escapePart(name)}`
    if (isJsonObject(properties) && Object.hasOwn(properties, name)) {
      if (isSchema(properties[name]))
        found.push(...look(fitting, value[name] as Json, { schema: properties[name], path: place, leaps: 0 }))
    } else if (patternProperties !== undefined) continue
    else if (additionalProperties === false) {
      found.push({
        code: 'INPUT_UNKNOWN',
        path: place,
        message: `there is no property "${name}" here`,
        name,
        names: freeNames(schema, value),
      })
    } else if (isJsonObject(additionalProperties))
      found.push(...look(fitting, value[name] as Json, { schema: additionalProperties, path: place, leaps: 0 }))
  }
  return found
}

function arrayMisfits(fitting: Fitting, value: readonly Json[], schema: JsonObject, path: string): Misfit[] {
  const found: Misfit[] = []
  const { minItems, maxItems } = schema
  if (typeof minItems === 'number' && value.length < minItems)
    found.push({ code: 'INPUT_INVALID', path, message: `at least ${minItems} items are needed, not ${value.length}` })
  if (typeof maxItems === 'number' && value.length > maxItems)
    found.push({ code: 'INPUT_INVALID', path, message: `at most ${maxItems} items are allowed, not ${value.length}` })
  const first = listOf(schema.prefixItems)
  for (const [index, item] of value.entries()) {
    const element = first[index] ?? schema.items
    if (isSchema(element)) found.push(...look(fitting, item, { schema: element, path: `${path}/${index}`, leaps: 0 }))
  }
  return found
}
