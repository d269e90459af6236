// The plan format as JSON Schema, for editors and for models: made from the zod schemas, and never written by hand.
import { z } from 'zod'
import type { JsonObject } from './json.ts'
import { operationSchema, patchSchema, planSchema } from './schema.ts'

/** The JSON Schema (draft 2020-12) of a plan as people and planners write it: what has a default may be left out.
 *
 * @example
 * import { planJsonSchema } from 'planloom/plan'
 * planJsonSchema().required // ['id', 'goal', 'steps']
 */
export function planJsonSchema(): JsonObject {
  return toJsonSchema(planSchema, 'Planloom plan')
}

/** The same for a patch. */
export function patchJsonSchema(): JsonObject {
  return toJsonSchema(patchSchema, 'Planloom patch')
}

/** The same for one operation of a patch. */
export function operationJsonSchema(): JsonObject {
  return toJsonSchema(operationSchema, 'Planloom patch operation')
}

function toJsonSchema(schema: z.ZodType, title: string): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' })
  return { $schema: $schema ?? '', title, ...rest } as unknown as JsonObject
}
