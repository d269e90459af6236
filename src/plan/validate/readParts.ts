// Reads a value as JSON, and where it is none or goes too deep, part by part: what is wrong with one step hides no other.
import type { Finding } from '../finding.ts'
import type { Json, JsonObject } from '../json.ts'
import { isPlainObject, readJsonValue, type JsonProblem } from '../jsonValue.ts'
import { formatPointer } from '../pointer.ts'
import { problem, type Place } from './report.ts'

export interface ReadParts {
  readonly value: Json
  readonly findings: readonly Finding[]
  /** Pointers to the parts that could not be read and were left out; `null` takes the place of a step. */
  readonly lost: ReadonlySet<string>
}

const largest = { maxBytes: 500_000_000, maxDepth: 200 } as const

export function readParts(value: unknown): ReadParts | { readonly refused: Finding } {
  const read = readJsonValue(value, largest)
  if ('value' in read) return { value: read.value, findings: [], lost: new Set() }
  const refused = findingFor(read.failure, [])
  if (read.failure.code === 'OUTPUT_TOO_LARGE' || !isPlain(value)) return { refused }
  try {
    const findings: Finding[] = []
    const lost = new Set<string>()
    return { value: readObject(value, [], { findings, lost }), findings, lost }
  } catch {
    return { refused } // a getter or a proxy threw
  }
}

interface Losses {
  readonly findings: Finding[]
  readonly lost: Set<string>
}

function readObject(value: Readonly<Record<string, unknown>>, place: Place, losses: Losses): JsonObject {
  const entries: [string, Json][] = []
  for (const key of Object.keys(value)) {
    const part = value[key]
    if (part === undefined) continue
    const inner = place.length === 0 && Array.isArray(part) ? readList(part, [key], losses) : undefined
    const read = inner ?? readPart(part, [...place, key], losses)
    if (read !== undefined) entries.push([key, read])
  }
  return Object.fromEntries(entries)
}

function readList(list: readonly unknown[], place: Place, losses: Losses): Json[] {
  return list.map((item, index) => {
    const read = readJsonValue(item, largest)
    if ('value' in read) return read.value
    return isPlain(item)
      ? readObject(item, [...place, index], losses)
      : (readPart(item, [...place, index], losses) ?? null)
  })
}

function readPart(value: unknown, place: Place, { findings, lost }: Losses): Json | undefined {
  const read = readJsonValue(value, largest)
  if ('value' in read) return read.value
  findings.push(findingFor(read.failure, place))
  lost.add(formatPointer(place))
  return undefined
}

function findingFor({ code, path, message, hint }: JsonProblem, place: Place): Finding {
  const finding = code === 'OUTPUT_NOT_JSON' ? 'PLAN_SHAPE' : 'PLAN_TOO_LARGE'
  const where = formatPointer(place)
  const text = where === '' ? message : message.replace(/^The value/, `In "${where}", the value`)
  return problem(finding, place, undefined, text, hint, path)
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && isPlainObject(value)
}
