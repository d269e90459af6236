// What can be wrong with a tool before it ever runs: all of it at once, when it is defined.
import { z } from 'zod'
import { PlanloomError } from '../errors.ts'
import type { Json, JsonObject } from '../plan/json.ts'
import { isJsonObject } from '../plan/json.ts'
import { isPointer } from '../plan/pointer.ts'
import { planLimits, retrySchema } from '../plan/schema.ts'

const nameShape = /^[A-Za-z][\w\-.:/]*$/

const need = z.strictObject({
  fact: z.string().min(1),
  is: z.union([z.boolean(), z.record(z.string(), z.unknown())]).optional(),
  each: z.boolean().optional(),
})
const pointer = z.string().refine(isPointer, 'must be a JSON Pointer: empty, or each part after a "/"')
const gift = z.strictObject({
  from: pointer,
  each: z.boolean().optional(),
  is: need.shape.is,
  predict: z
    .array(z.strictObject({ fact: z.string().min(1), is: need.shape.is.unwrap(), value: z.unknown() }))
    .optional(),
})

const declarationSchema = z.looseObject({
  name: z
    .string()
    .max(planLimits.idLength)
    .regex(nameShape, 'must begin with a letter and hold only letters, digits and _ - . : /'),
  description: z.string().min(1).max(planLimits.textLength),
  needs: z.record(z.string(), z.union([z.string().min(1), need])).optional(),
  requires: z.array(need).optional(),
  gives: z.record(z.string().min(1), z.union([pointer, gift])).optional(),
  cost: z.number().min(0).optional(),
  likelihood: z.number().gt(0).max(1).optional(),
  effects: z.enum(['none', 'read', 'write', 'external']).optional(),
  idempotent: z.boolean().optional(),
  version: z.string().min(1).optional(),
  concurrency: z.int().min(1).optional(),
  ratePerSecond: z.number().positive().optional(),
  timeoutMs: z.number().positive().optional(),
  heartbeatMs: z.number().positive().optional(),
  retry: retrySchema.optional(),
  executor: z.string().min(1).optional(),
  run: z.custom<unknown>((value) => typeof value === 'function', 'must be a function'),
  check: z.custom<unknown>((value) => typeof value === 'function', 'must be a function').optional(),
})

/** Checks a declaration.
 *
 * @throws `TOOL_INVALID`, one error with everything that is wrong.
 */
export function checkDeclaration(
  declaration: { readonly name: string; readonly needs?: object },
  input: JsonObject,
): void {
  const parsed = declarationSchema.safeParse(declaration)
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  const properties = propertiesOf(input)
  if (properties === 'none') problems.push('input: must be an object, since the input of a step is one')
  if (properties instanceof Set) {
    for (const property of Object.keys(declaration.needs ?? {})) {
      if (!properties.has(property)) problems.push(`needs.${property}: the input has no property "${property}"`)
    }
  }
  if (problems.length === 0) return
  throw new PlanloomError('TOOL_INVALID', `Tool "${declaration.name}" is not well declared: ${problems.join('; ')}.`, {
    hint: 'The description of each field stands at ToolDeclaration.',
  })
}

/** Names of the properties that an object schema knows; `any` where it takes others too, `none` where it takes no object. */
function propertiesOf(schema: Json | undefined): ReadonlySet<string> | 'any' | 'none' {
  if (!isJsonObject(schema)) return schema === false ? 'none' : 'any'
  const parts = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((list) =>
    Array.isArray(list) ? (list as Json[]) : [],
  )
  if (parts.length === 0) return ownPropertiesOf(schema)
  const known = new Set<string>()
  let hasObject = false
  for (const part of parts) {
    const properties = propertiesOf(part)
    if (properties === 'any') return 'any'
    if (properties === 'none') continue
    hasObject = true
    for (const name of properties) known.add(name)
  }
  return hasObject ? known : 'none'
}

function ownPropertiesOf(schema: JsonObject): ReadonlySet<string> | 'any' | 'none' {
  const { type, properties } = schema
  if (type !== undefined && type !== 'object') return 'none'
  // A loose or record schema says so; a plain z.object() only drops what it does not know.
  if (isJsonObject(properties)) return isOpen(schema) ? 'any' : new Set(Object.keys(properties))
  return 'any'
}

function isOpen({ additionalProperties }: JsonObject): boolean {
  return additionalProperties !== undefined && additionalProperties !== false
}
