// Checking a value against a JSON Schema that came with a plan: without generating code, since plans come from models.
import { Validator } from '@cfworker/json-schema'
import type { Json, JsonSchema } from './json.ts'

export interface SchemaProblem {
  /** JSON Pointer into the value. */
  readonly path: string
  readonly message: string
}

const validators = new WeakMap<object, Validator | SchemaProblem>()

/** What is wrong with a value by a schema (draft 2020-12); nothing when it fits.
 *
 * A schema that is itself malformed is one problem, not an exception.
 *
 * @example
 * import { checkSchema } from 'planloom/plan'
 * checkSchema({ type: 'number' }, 1).length // 0
 */
export function checkSchema(schema: JsonSchema, value: Json): readonly SchemaProblem[] {
  if (schema === true) return []
  if (schema === false) return [{ path: '', message: 'nothing is allowed here' }]
  const quick = checkQuickly(schema, value)
  if (quick !== undefined) return quick
  const validator = validatorFor(schema)
  if (!(validator instanceof Validator)) return [validator]
  try {
    const { valid, errors } = validator.validate(value)
    if (valid) return []
    const problems = errors.map(({ instanceLocation, error }) => ({ path: instanceLocation.slice(1), message: error }))
    return problems.length > 1 ? problems.filter(({ message }) => !/^Property ".*" does not match (additional )?(properties )?schema\.$/.test(message)) : problems
  } catch (error) {
    return [{ path: '', message: `the schema cannot be applied: ${error instanceof Error ? error.message : String(error)}` }]
  }
}

/** Whether a schema can be used at all; the problem where it cannot. */
export function findSchemaProblem(schema: JsonSchema): string | undefined {
  if (typeof schema === 'boolean') return undefined
  const { type } = schema
  const types = type === undefined ? [] : Array.isArray(type) ? (type as readonly Json[]) : [type]
  for (const name of types) if (typeof name !== 'string' || !knownTypes.has(name)) return `"${String(name)}" is not a JSON Schema type`
  if (typeof schema.pattern === 'string') {
    try {
      new RegExp(schema.pattern, 'u')
    } catch {
      return `"${schema.pattern}" is not a regular expression`
    }
  }
  const validator = validatorFor(schema)
  return validator instanceof Validator ? undefined : validator.message
}

const knownTypes = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'])

/** The schemas that plans use most, `{const: x}` and `{enum: [scalars]}`, need no validator. */
function checkQuickly(schema: Exclude<JsonSchema, boolean>, value: Json): readonly SchemaProblem[] | undefined {
  const keys = Object.keys(schema)
  if (keys.length !== 1 || (typeof value === 'object' && value !== null)) return undefined
  const allowed = Object.hasOwn(schema, 'const') ? [schema.const] : Array.isArray(schema.enum) ? (schema.enum as readonly Json[]) : undefined
  if (allowed === undefined) return undefined
  if (allowed.includes(value)) return []
  return [{ path: '', message: `expected ${allowed.map((one) => JSON.stringify(one)).join(' or ')}, got ${JSON.stringify(value)}` }]
}

function validatorFor(schema: Exclude<JsonSchema, boolean>): Validator | SchemaProblem {
  const known = validators.get(schema)
  if (known) return known
  let validator: Validator | SchemaProblem
  try {
    validator = new Validator(structuredClone(schema) as ConstructorParameters<typeof Validator>[0], '2020-12', false)
  } catch (error) {
    validator = { path: '', message: `not a usable JSON Schema: ${error instanceof Error ? error.message : String(error)}` }
  }
  validators.set(schema, validator)
  return validator
}
