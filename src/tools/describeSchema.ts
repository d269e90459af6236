// A zod schema as the JSON Schema that plans are checked with.
import { z } from 'zod'
import { PlanloomError } from '../errors.ts'
import type { JsonObject } from '../plan/json.ts'
import { toJsonValue } from '../plan/jsonValue.ts'

/** What no JSON value can satisfy: declared by mistake, it would fail each attempt. */
const notJson = new Set<string>(['bigint', 'date', 'file', 'function', 'map', 'nan', 'promise', 'set', 'symbol'])

/** Describes what a tool takes (before its schema has changed anything) or gives (afterwards).
 *
 * @throws `TOOL_INVALID` when the schema is none, or asks for what JSON cannot hold.
 */
export function describeSchema(tool: string, side: 'input' | 'output', schema: z.ZodType): JsonObject {
  if (!isZod(schema)) {
    throw new PlanloomError('TOOL_INVALID', `The ${side} of tool "${tool}" is not a zod schema.`, {
      hint: `Give one, for instance ${side}: z.object({}), made with zod 4.`,
    })
  }
  const found: string[] = []
  const described = z.toJSONSchema(schema, {
    io: side,
    unrepresentable: 'any',
    override: ({ zodSchema, path }) => {
      const { type } = zodSchema._zod.def
      if (notJson.has(type)) found.push(`${type} at "/${path.join('/')}"`)
    },
  })
  if (found.length > 0) {
    throw new PlanloomError(
      'TOOL_INVALID',
      `The ${side} of tool "${tool}" asks for what JSON cannot hold: ${found.join(', ')}.`,
      {
        hint: 'Pass dates as ISO strings (z.iso.datetime()), maps as objects (z.record()), sets as arrays, big integers as strings.',
      },
    )
  }
  delete described.$schema // the same for all tools, and read again by every planner
  return toJsonValue(JSON.parse(JSON.stringify(described))) as JsonObject
}

function isZod(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && '_zod' in schema
}
