// A copy of a JSON Schema in which nothing is tried on a value that is too large for it.
//
// G1. What is slow for large values (some patterns, formats, pairs of items) is asked only of those that are small enough;
//     a larger one is a problem. What is fast for any value stays as it is.
// G2. Values of properties that are no keywords, and data (`const`, `enum`), are never taken for schemas with guards in them.
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { longestText } from './patternSafety.ts'

/** Items are compared in pairs. */
const longestSet = 10_000
/** Formats are regular expressions of the validator's, and some of them take the square of the length. */
const longestFormatted = 10_000
/** Their expressions could take for ever, and they are no formats of the standard. */
const unsafeFormats: ReadonlySet<string> = new Set(['url'])

/** @param schema one without problems. */
export function guardedSchema(schema: Json): Json {
  if (!isJsonObject(schema)) return schema
  const guards = guardsFor(schema)
  const replaced = new Set(guards.map(({ keyword }) => keyword))
  const kept = Object.keys(schema).filter((key) => !replaced.has(key))
  const copy: Record<string, Json> = Object.fromEntries(kept.map((key) => [key, partOf(key, schema[key] as Json)]))
  const added = guards.flatMap(({ schema: guard }) => guard ?? [])
  if (added.length > 0) copy.allOf = [...(Array.isArray(copy.allOf) ? (copy.allOf as readonly Json[]) : []), ...added]
  return copy
}

const holdsSchemas: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])
const isData: ReadonlySet<string> = new Set([
  'const',
  'enum',
  'default',
  'examples',
  'required',
  'dependentRequired',
  'type',
])

function partOf(keyword: string, value: Json): Json {
  if (isData.has(keyword)) return structuredClone(value)
  if (Array.isArray(value)) return (value as readonly Json[]).map(guardedSchema)
  if (!holdsSchemas.has(keyword) || !isJsonObject(value)) return guardedSchema(value)
  return Object.fromEntries(Object.keys(value).map((name) => [name, guardedSchema(value[name] as Json)]))
}

interface Guard {
  /** The keyword that the guard takes the place of. */
  readonly keyword: string
  readonly schema?: Json
}

function guardsFor({ pattern, format, uniqueItems }: JsonObject): Guard[] {
  const guards: Guard[] = []
  if (typeof pattern === 'string' && longestText(pattern) !== Infinity) {
    guards.push(textGuard('pattern', pattern, longestText(pattern)))
  }
  if (typeof format === 'string') {
    guards.push(unsafeFormats.has(format) ? { keyword: 'format' } : textGuard('format', format, longestFormatted))
  }
  if (uniqueItems === true) {
    const schema = {
      if: { type: 'array', minItems: longestSet + 1 },
      then: { maxItems: longestSet },
      else: { uniqueItems },
    }
    guards.push({ keyword: 'uniqueItems', schema })
  }
  return guards
}

function textGuard(keyword: string, value: string, maxLength: number): Guard {
  const schema = { if: { type: 'string', minLength: maxLength + 1 }, then: { maxLength }, else: { [keyword]: value } }
  return { keyword, schema }
}
