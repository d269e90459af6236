// Whether a JSON Schema (draft 2020-12) is one: looked at before it is used, because a schema from a model may be anything.
//
// H1. Nothing that is found here is left to the validator, which would ignore it, throw, or hang.
// H2. References stay inside the schema: nothing is ever fetched.
// H3. Unknown keywords are annotations, and fine.
import { isJsonObject, type Json, type JsonSchema } from './json.ts'
import { escapePart, getPointer } from './pointer.ts'
import { findPatternProblem } from './patternSafety.ts'

export interface SchemaProblem {
  /** JSON Pointer: into the schema for `schemaProblems`, into the value for `checkSchema`. */
  readonly path: string
  readonly message: string
  /** The keyword that the value breaks. */
  readonly keyword?: string
}

/** What makes a schema unusable; nothing when it can be used.
 *
 * @example
 * import { schemaProblems } from 'planloom/plan'
 * schemaProblems({ type: 'strnig' }) // [{ path: '/type', message: '"strnig" is not a JSON Schema type' }]
 */
export function schemaProblems(schema: JsonSchema): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = []
  const state: Look = { root: schema, problems, seen: new Set(), targets: new Map(), left: nodeLimit }
  look(state, schema, '', 0)
  // What is referred to may stand where no keyword leads.
  for (const [target, path] of state.targets) if (!state.seen.has(target)) look(state, target, path, 0)
  return problems
}

interface Look {
  readonly root: JsonSchema
  readonly problems: SchemaProblem[]
  readonly seen: Set<Json>
  /** Subschemas that are referred to, and from where. */
  readonly targets: Map<JsonSchema, string>
  /** Subschemas that may still be looked at. */
  left: number
}

const nodeLimit = 10_000
const depthLimit = 64

function look(state: Look, schema: Json, path: string, depth: number): void {
  if (typeof schema === 'boolean') return
  if (!isJsonObject(schema)) return report(state, path, 'a schema is an object, true or false')
  if (depth > depthLimit) return report(state, path, `subschemas lie deeper than ${depthLimit} levels`)
  state.seen.add(schema)
  state.left -= 1
  if (state.left === 0) report(state, path, `the schema has more than ${nodeLimit} subschemas`)
  if (state.left <= 0) return
  for (const key of Object.keys(schema)) {
    const check = Object.hasOwn(keywords, key) ? keywords[key] : undefined
    check?.(state, schema[key] as Json, `${path}/${escapePart(key)}`, depth)
  }
}

type Check = (state: Look, value: Json, path: string, depth: number) => void

const typeNames = new Set<Json>(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'])

const isType: Check = (state, value, path) => {
  for (const name of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
    if (!typeNames.has(name)) report(state, path, `${JSON.stringify(name)} is not a JSON Schema type`)
  }
}
const isNumber: Check = (state, value, path) => {
  if (typeof value !== 'number') report(state, path, 'must be a number')
}
const isCount: Check = (state, value, path) => {
  if (typeof value !== 'number' || value < 0 || !Number.isInteger(value))
    report(state, path, 'must be a whole number, 0 or more')
}
const isPositive: Check = (state, value, path) => {
  if (typeof value !== 'number' || value <= 0) report(state, path, 'must be a number above 0')
}
const isBoolean: Check = (state, value, path) => {
  if (typeof value !== 'boolean') report(state, path, 'must be true or false')
}
const isText: Check = (state, value, path) => {
  if (typeof value !== 'string') report(state, path, 'must be a text')
}
const isList: Check = (state, value, path) => {
  if (!Array.isArray(value)) report(state, path, 'must be an array')
}
const isNameList: Check = (state, value, path) => {
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string'))
    report(state, path, 'must be an array of names')
}
const isPattern: Check = (state, value, path) => {
  if (typeof value !== 'string') return report(state, path, 'must be a text')
  const problem = findPatternProblem(value)
  if (problem !== undefined) report(state, path, problem)
}
const isSchema: Check = (state, value, path, depth) => {
  look(state, value, path, depth + 1)
}
const isSchemaList: Check = (state, value, path, depth) => {
  if (!Array.isArray(value) || value.length === 0)
    return report(state, path, 'must be an array with at least one schema')
  for (const [index, item] of (value as readonly Json[]).entries()) look(state, item, `${path}/${index}`, depth + 1)
}
const isSchemaMap: Check = (state, value, path, depth) => {
  if (!isJsonObject(value)) return report(state, path, 'must be an object of schemas')
  for (const key of Object.keys(value)) look(state, value[key] as Json, `${path}/${escapePart(key)}`, depth + 1)
}
const isPatternMap: Check = (state, value, path, depth) => {
  isSchemaMap(state, value, path, depth)
  if (isJsonObject(value))
    for (const key of Object.keys(value)) isPattern(state, key, `${path}/${escapePart(key)}`, depth)
}
const isNameListMap: Check = (state, value, path, depth) => {
  if (!isJsonObject(value)) return report(state, path, 'must be an object of arrays of names')
  for (const key of Object.keys(value)) isNameList(state, value[key] as Json, `${path}/${escapePart(key)}`, depth)
}
const isLocalReference: Check = (state, value, path) => {
  if (typeof value !== 'string') return report(state, path, 'must be a text')
  const target = resolveReference(state.root, value)
  if (target !== undefined) state.targets.set(target, path)
  else if (value.startsWith('#')) report(state, path, `"${value}" leads nowhere in the schema`)
  else report(state, path, `"${value}" leads out of the schema; only references inside it ("#/$defs/…") are followed`) // H2
}
const isRootOnly: Check = (state, value, path, depth) => {
  if (typeof value !== 'string') report(state, path, 'must be a text')
  else if (depth > 0) report(state, path, 'is supported at the root only')
}
const isUnsupported: Check = (state, _value, path) => {
  report(state, path, 'is not supported: use $ref with #/$defs')
}

const keywords: Readonly<Record<string, Check>> = {
  type: isType,
  enum: isList,
  required: isNameList,
  pattern: isPattern,
  format: isText,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: isPositive,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: isBoolean,
  properties: isSchemaMap,
  patternProperties: isPatternMap,
  dependentSchemas: isSchemaMap,
  dependentRequired: isNameListMap,
  $defs: isSchemaMap,
  definitions: isSchemaMap,
  additionalProperties: isSchema,
  unevaluatedProperties: isSchema,
  propertyNames: isSchema,
  items: isSchema,
  unevaluatedItems: isSchema,
  contains: isSchema,
  not: isSchema,
  if: isSchema,
  then: isSchema,
  else: isSchema,
  prefixItems: isSchemaList,
  allOf: isSchemaList,
  anyOf: isSchemaList,
  oneOf: isSchemaList,
  $ref: isLocalReference,
  $id: isRootOnly,
  $anchor: isUnsupported,
  $dynamicRef: isUnsupported,
  $dynamicAnchor: isUnsupported,
  $recursiveRef: isUnsupported,
}

/** The subschema that a reference inside a schema leads to. */
export function resolveReference(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (!reference.startsWith('#')) return undefined
  let pointer: string
  try {
    pointer = decodeURIComponent(reference.slice(1))
  } catch {
    return undefined
  }
  const found = getPointer(root, pointer)
  return typeof found === 'boolean' || isJsonObject(found) ? found : undefined
}

function report(state: Look, path: string, message: string): void {
  state.problems.push({ path, message })
}
