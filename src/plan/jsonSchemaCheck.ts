// Checking a value against a JSON Schema that came with a plan or a tool: without generating code, since plans come from models.
//
// J1. A schema that is no schema is a problem that is reported, never an exception.
// J2. No check takes for ever: patterns are judged first, and a text that is too long for one is reported instead of tried.
// J3. The schema is left as it is: the validator writes on its own copy, made once per schema.
import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema'
import { guardedSchema } from './guardedSchema.ts'
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from './json.ts'
import { getPointer, parsePointer } from './pointer.ts'
import { schemaProblems, type SchemaProblem } from './schemaProblems.ts'

export type { SchemaProblem } from './schemaProblems.ts'

/** What is wrong with a value by a schema (draft 2020-12); nothing when it fits. `format` is checked, too.
 *
 * @returns problems with `path`, a JSON Pointer into the value. A schema that cannot be used is one problem.
 * @example
 * import { checkSchema } from 'planloom/plan'
 * checkSchema({ type: 'number' }, 'seven') // [{ path: '', message: 'expected number, got "seven"', keyword: 'type' }]
 */
export function checkSchema(schema: JsonSchema, value: Json): readonly SchemaProblem[] {
  if (schema === true) return none
  if (schema === false) return [{ path: '', message: 'nothing is allowed here', keyword: 'false' }]
  if (!isJsonObject(schema)) return [unusable('a schema is an object, true or false')]
  const quick = checkQuickly(schema, value)
  if (quick !== undefined) return quick
  const { validator, problem, hasPatternedNames } = validatorFor(schema)
  if (validator === undefined) return [problem]
  if (hasPatternedNames && hasLongName(value))
    return [{ path: '', message: `a name in it is longer than ${longestName} characters` }]
  try {
    const { valid, errors } = validator.validate(value)
    return valid ? none : problemsFrom(errors, value)
  } catch (error) {
    return [unusable(error instanceof Error ? error.message.split('\n')[0] : String(error))]
  }
}

const none: readonly SchemaProblem[] = []

/** The schemas that plans use most, `{const: x}` and `{enum: [scalars]}`, need no validator. */
function checkQuickly(schema: JsonObject, value: Json): readonly SchemaProblem[] | undefined {
  if (typeof value === 'object' && value !== null) return undefined
  const keys = Object.keys(schema)
  if (keys.length !== 1) return undefined
  const allowed =
    keys[0] === 'const'
      ? [schema.const]
      : keys[0] === 'enum' && Array.isArray(schema.enum)
        ? (schema.enum as readonly Json[])
        : undefined
  if (allowed === undefined) return undefined
  return allowed.includes(value) ? none : [{ path: '', message: mismatch(oneOf(allowed), value), keyword: 'enum' }]
}

interface Prepared {
  readonly validator: Validator | undefined
  readonly problem: SchemaProblem
  readonly hasPatternedNames: boolean
}

const prepared = new WeakMap<JsonObject, Prepared>()

function validatorFor(schema: JsonObject): Prepared {
  const known = prepared.get(schema)
  if (known !== undefined) return known
  const made = prepare(schema)
  prepared.set(schema, made)
  return made
}

function prepare(schema: JsonObject): Prepared {
  const problem = unusable()
  try {
    const [first] = schemaProblems(schema)
    if (first !== undefined)
      return {
        validator: undefined,
        problem: unusable(`${first.message}, at "${first.path}"`),
        hasPatternedNames: false,
      }
    const copy = guardedSchema(schema) as Schema
    const hasPatternedNames = JSON.stringify(schema).includes('"patternProperties"')
    return { validator: new Validator(copy, '2020-12', false), problem, hasPatternedNames }
  } catch (error) {
    return {
      validator: undefined,
      problem: unusable(error instanceof Error ? error.message : String(error)),
      hasPatternedNames: false,
    }
  }
}

function unusable(why = 'it cannot be used'): SchemaProblem {
  return { path: '', message: `this is not a usable JSON Schema: ${why}` }
}

const longestName = 5_000

function hasLongName(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return (value as readonly Json[]).some(hasLongName)
  return Object.entries(value).some(([name, part]) => name.length > longestName || hasLongName(part))
}

/** Keywords that only say that something deeper is wrong. */
const isFrame: ReadonlySet<string> = new Set([
  '$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties',
  'items', 'prefixItems', 'unevaluatedItems', 'contains', 'propertyNames', 'dependentSchemas',
]) // prettier-ignore

const mostProblems = 100

function problemsFrom(errors: readonly OutputUnit[], value: Json): readonly SchemaProblem[] {
  const isTelling = errors.some(({ keyword }) => !isFrame.has(keyword))
  const problems = new Map<string, SchemaProblem>()
  for (const [index, error] of errors.entries()) {
    if (isTelling && isFrame.has(error.keyword)) continue
    const problem = problemFrom(error, errors[index - 1]?.keyword, value)
    problems.set(`${problem.path}\n${problem.message}`, problem)
    if (problems.size === mostProblems) break
  }
  return [...problems.values()]
}

/** @param frame the keyword of the error before, which stands for what this one is about. */
function problemFrom(
  { instanceLocation, keyword, error }: OutputUnit,
  frame: string | undefined,
  value: Json,
): SchemaProblem {
  const path = decodeURIComponent(instanceLocation.slice(1))
  const name = /"(.*)"/s.exec(error)?.[1] ?? ''
  switch (keyword) {
    case 'type':
      return {
        path,
        message: mismatch(name.replaceAll('", "', ' or ').replace(/^.*Expected "/, ''), getPointer(value, path)),
        keyword,
      }
    case 'enum':
    case 'const':
      return {
        path,
        message: mismatch(
          error.replace(/^Instance does not match (any of )?/, '').replace(/\.$/, ''),
          getPointer(value, path),
        ),
        keyword,
      }
    case 'required':
      return { path, message: `the property "${name}" is missing`, keyword }
    case 'false':
      if (frame === 'additionalProperties' || frame === 'unevaluatedProperties') {
        return {
          path,
          message: `there is no property "${parsePointer(path).at(-1) ?? ''}" here`,
          keyword: 'additionalProperties',
        }
      }
      return { path, message: 'nothing is allowed here', keyword }
    default: {
      const text = error.replace(/^Instance /, 'it ').replace(/\.$/, '')
      return { path, message: `${text.charAt(0).toLowerCase()}${text.slice(1)}`, keyword }
    }
  }
}

function mismatch(expected: string, came: Json | undefined): string {
  return `expected ${expected}, got ${came === undefined ? 'nothing' : nameOf(came)}`
}

function oneOf(allowed: readonly (Json | undefined)[]): string {
  return allowed.map((one) => JSON.stringify(one)).join(' or ')
}

function nameOf(value: Json): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
