// The plan format as JSON Schema, for editors and for models: made from the zod schemas, and never written by hand.
import { z } from 'zod'
import type { JsonObject } from './json.ts'
import * as format from './schema.ts'

/** The JSON Schema (draft 2020-12) of a plan as people and planners write it: what has a default may be left out.
 *
 * @example
 * import { planJsonSchema } from 'planloom/plan'
 * planJsonSchema().required // ['id', 'goal', 'steps']
 */
export function planJsonSchema(): JsonObject {
  return toJsonSchema(format.planSchema, 'Planloom plan')
}

/** The same for a patch, whose `operations` a planner answers trouble with. */
export function patchJsonSchema(): JsonObject {
  return toJsonSchema(format.patchSchema, 'Planloom patch')
}

/** The names under which parts are listed once, in `$defs`. */
const partNames = new Map<z.ZodType, string>([
  [format.stepIdSchema, 'stepId'],
  [format.referenceSchema, 'reference'],
  [format.conditionSchema, 'condition'],
  [format.retrySchema, 'retry'],
  [format.goalSchema, 'goal'],
  [format.stepSchema, 'step'],
  [format.assumptionSchema, 'assumption'],
  [format.becauseSchema, 'because'],
])

/** Adds the names to what the schemas say of themselves, without telling the registry that all packages share. */
class NamedParts extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get<S extends z.core.$ZodType>(schema: S): z.core.$replace<z.core.GlobalMeta, S> | undefined {
    const meta = z.globalRegistry.get(schema)
    const id = partNames.get(schema as unknown as z.ZodType)
    return id === undefined ? meta : { ...meta, id }
  }
  override has(schema: z.core.$ZodType): boolean {
    return this.get(schema) !== undefined
  }
}

function toJsonSchema(schema: z.ZodType, title: string): JsonObject {
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', metadata: new NamedParts() })
  const { $schema, ...rest } = JSON.parse(JSON.stringify(made)) as JsonObject
  return { $schema: $schema ?? '', title, ...rest }
}
