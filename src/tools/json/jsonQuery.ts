// json_query: what stands at a place in a JSON value, or all that a JSONPath query (RFC 9535) finds in it.
import { JSONPathEnvironment, JSONPathError, JSONPointer, type JSONPathQuery } from 'json-p3'
import { z } from 'zod'
import type { Json } from '../../plan/json.ts'
import { getPointer, isPointer } from '../../plan/pointer.ts'
import { defineTool } from '../defineTool.ts'
import { ToolError } from '../toolError.ts'
import { queryCost } from './queryCost.ts'

export interface JsonQueryOptions {
  /** Most values that a query may find. @default 100,000 */
  readonly maxMatches?: number
}

/** Most steps that a query may take: at two microseconds each, some ten seconds. */
const maxCost = 5_000_000

const environment = new JSONPathEnvironment({ maxRecursionDepth: 1000 })
// Patterns are tried by backtracking: one such as `(a+)+$` would hold the whole process up.
environment.functionRegister.delete('match')
environment.functionRegister.delete('search')

/** Makes `json_query`. A pointer finds one value, or it fails; a query finds any number, in the order in which they stand.
 *
 * The functions `match` and `search` are left out, because a pattern can take for ever; `length`, `count` and `value` are there.
 * @example
 * const { run } = jsonQueryTool()
 * typeof run // 'function'
 */
export function jsonQueryTool({ maxMatches = 100_000 }: JsonQueryOptions = {}) {
  return defineTool({
    name: 'json_query',
    description:
      'Finds values in a JSON value, by JSON Pointer ("/rows/0/id": exactly one) or by JSONPath ("$.rows[?@.age > 30].name": all).',
    input: z.union([
      z.strictObject({ value: z.unknown(), pointer: z.string() }),
      z.strictObject({ value: z.unknown(), query: z.string().min(1).max(2000) }),
    ]),
    output: z.strictObject({
      /** The first that was found; `null` if none was. */
      value: z.unknown(),
      values: z.array(z.unknown()),
      /** Where each stands, as JSON Pointers. */
      pointers: z.array(z.string()),
    }),
    effects: 'none',
    run: (input) => {
      const value = input.value as Json
      return 'pointer' in input ? byPointer(value, input.pointer) : byQuery(value, input.query, maxMatches)
    },
  })
}

function byPointer(value: Json, pointer: string) {
  if (!isPointer(pointer))
    throw invalid('/pointer', `"${pointer}" is not a JSON Pointer`, 'It is empty, or begins with "/".')
  const found = getPointer(value, pointer)
  if (found !== undefined) return { value: found, values: [found], pointers: [pointer] }
  const parent = nearestParent(value, pointer)
  throw new ToolError('VALUE_MISSING', `There is nothing at "${pointer}".`, {
    hint: `What is there at "${parent.pointer}": ${wordsFor(parent.value)}. With a query in place of the pointer, finding nothing is no failure.`,
    retryable: false,
    where: { path: pointer },
  })
}

function byQuery(value: Json, query: string, maxMatches: number) {
  const compiled = compile(query)
  const cost = queryCost(query, sizeOf(value))
  if (cost > maxCost) {
    throw new ToolError(
      'QUERY_TOO_COSTLY',
      `The query "${query}" could take ${cost.toExponential(0)} steps on this value.`,
      {
        hint: 'Use fewer "..", and no "$" inside a filter; or query a part of the value first.',
        retryable: false,
        where: { path: '/query' },
      },
    )
  }
  const values: Json[] = []
  const pointers: string[] = []
  for (const node of compiled.lazyQuery(value as Parameters<JSONPathQuery['lazyQuery']>[0])) {
    if (values.length >= maxMatches) {
      throw new ToolError('TOO_MANY_MATCHES', `The query "${query}" finds more than ${String(maxMatches)} values.`, {
        hint: 'Narrow it, or query a part of the value.',
        retryable: false,
        where: { path: '/query' },
      })
    }
    values.push(node.value as Json)
    pointers.push(JSONPointer.encode(node.location.map(String)))
  }
  return { value: values[0] ?? null, values, pointers }
}

function compile(query: string): JSONPathQuery {
  try {
    return environment.compile(query)
  } catch (cause) {
    if (!(cause instanceof JSONPathError)) throw cause
    throw invalid(
      '/query',
      `"${query}" is not a JSONPath query: ${cause.message}`,
      'It begins with "$": "$.rows[*].name".',
      cause,
    )
  }
}

function invalid(path: string, message: string, hint: string, cause?: unknown): ToolError {
  return new ToolError('QUERY_INVALID', `${message}.`, { hint, retryable: false, where: { path }, cause })
}

/** Values in a value, itself included; counted without recursion, since inputs may be deep. */
function sizeOf(value: Json): number {
  let size = 0
  const open: Json[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    size++
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner)
  }
  return size
}

function nearestParent(value: Json, pointer: string): { readonly pointer: string; readonly value: Json } {
  let parent = pointer
  for (;;) {
    parent = parent.slice(0, parent.lastIndexOf('/'))
    const found = getPointer(value, parent)
    if (found !== undefined) return { pointer: parent, value: found }
  }
}

function wordsFor(value: Json): string {
  if (Array.isArray(value)) return `an array of ${String(value.length)}`
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : `a ${typeof value}`
  const keys = Object.keys(value)
  const named = keys.slice(0, 8).map((key) => JSON.stringify(key.slice(0, 50)))
  return keys.length === 0 ? 'an empty object' : `an object with ${named.join(', ')}${keys.length > 8 ? ', …' : ''}`
}
