// Slips of models that have one meaning only, mended; everything else is left as it is, for the validator to find.
//
// N1. A null that a server's strict mode asked for, where the format or the tool's schema knows none, means "absent".
// N2. An input that is an object written as JSON in a text is that object: the step's `why` says that it was read so.
// N3. A value that may be meant as it stands is never touched.
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../../plan/json.ts'
import { readExpectation } from './expectation.ts'
import { readJsonText } from './jsonText.ts'
import { withoutAddedNulls } from '../../../models/json/withoutAddedNulls.ts'
import { planLimits } from '../../../plan/schema.ts'
import type { ToolCatalogue } from '../../../plan/toolDescription.ts'

/** A step as it was meant. What is no step at all comes back as it is. */
export function mendStep(written: Json, tools: ToolCatalogue): Json {
  if (!isJsonObject(written)) return written
  const step = withoutNulls(written)
  const tool = typeof step.tool === 'string' ? tools.get(step.tool) : undefined
  const { input, when, forEach, retry, goal, expect } = step
  return {
    ...step,
    ...(isJsonObject(forEach) && { forEach: withoutNulls(forEach) }),
    ...(expect !== undefined && { expect: mendExpectation(expect) }),
    ...(isJsonObject(retry) && { retry: withoutNulls(retry) }),
    ...(isJsonObject(goal) && { goal: withoutNulls(goal) }),
    ...(isJsonObject(when) && { when: mendCondition(when) }),
    ...mendInput(input, step.why, tool?.input),
  }
}

/** An operation as it was meant, with its step. `to` may be null, and means it. */
export function mendOperation(written: Json, tools: ToolCatalogue): Json {
  if (!isJsonObject(written)) return written
  const { to } = written
  const operation = { ...withoutNulls(written), ...(to === null && { to }) }
  const { step, assumption } = operation as JsonObject
  return {
    ...operation,
    ...(step !== undefined && { step: mendStep(step, tools) }),
    ...(assumption !== undefined && { assumption: mendAssumption(assumption) }),
  }
}

export function mendAssumption(written: Json): Json {
  if (!isJsonObject(written)) return written
  const { is, ...rest } = withoutNulls(written)
  return { ...rest, ...(is !== undefined && { is: mendSchema(is) }) }
}

function mendCondition(written: JsonObject): JsonObject {
  const { value, is, ...rest } = withoutNulls(written)
  return {
    ...rest,
    ...(value !== undefined && { value: isJsonObject(value) ? withoutNulls(value) : value }),
    ...(is !== undefined && { is: mendSchema(is) }),
  }
}

function mendExpectation(written: Json): Json {
  if (!Array.isArray(written)) return mendSchema(written)
  const places = (written as readonly Json[]).map((one) =>
    isJsonObject(one) && one.is !== undefined ? { ...one, is: mendSchema(one.is) } : one,
  )
  return readExpectation(places)
}

/** `{"const": null}` says something; beside other keywords, as strict mode writes them all, it does not. */
function mendSchema(is: Json): Json {
  return isJsonObject(is) && Object.keys(is).length > 1 ? withoutNulls(is) : is
}

function mendInput(input: Json | undefined, why: Json | undefined, schema: JsonSchema | undefined): JsonObject {
  if (input === undefined) return {}
  if (typeof input === 'string' && schema !== undefined) {
    const parsed = parseObject(input)
    if (parsed === undefined) return {}
    const said = typeof why === 'string' && why !== '' ? `${why} ` : ''
    return {
      input: withoutAddedNulls(schema, mendReferences(parsed)),
      why: `${said}(The input was written as JSON in a text, and read as an object.)`,
    }
  }
  return schema === undefined ? {} : { input: withoutAddedNulls(schema, mendReferences(input)) }
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined // the validator says that a text is no input
  }
}

/** References as they were meant: in strict mode they have a path, be it null. */
function mendReferences(value: Json, level = 0): Json {
  if (typeof value !== 'object' || value === null || level > planLimits.inputDepth) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mendReferences(item, level + 1))
  const object = value as JsonObject
  const meant = readJsonText(object)
  if (meant !== undefined) return mendReferences(meant.value, level + 1)
  if (typeof object.$from === 'string') return object.path === null ? withoutNulls(object) : object
  return Object.fromEntries(Object.entries(object).map(([name, inner]) => [name, mendReferences(inner, level + 1)]))
}

function withoutNulls(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
  return entries.some(([, value]) => value === null)
    ? Object.fromEntries(entries.filter(([, value]) => value !== null))
    : object
}
