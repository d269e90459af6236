// What a person answers: taken as if the step's tool had given it, with the same checks and the same facts.
import type { z } from 'zod'
import type { Json } from '../plan/json.ts'
import { readJsonValue } from '../plan/jsonValue.ts'
import { checkSchema } from '../plan/jsonSchemaCheck.ts'
import type { CarriedOut } from './carryOut.ts'
import { findNoList, givenFacts } from './givenFacts.ts'
import { schemaFailure } from './schemaFailure.ts'
import type { Tool } from './tool.ts'

const hint = 'Give what the step is for: what its tool would have given, as JSON.'

/** Reads an answer at once: the output of a tool, or, where the step has none, any JSON value.
 *
 * A schema that checks by waiting for something cannot be asked at once: then its JSON Schema is, which knows all but those
 * checks.
 * @param item of a step that a `forEach` made, as `3` or `3.1`.
 * @returns the output and the facts it gives, or a failure `ANSWER_INVALID` that says what is wrong and where.
 */
export function readAnswer(tool: Tool | undefined, value: unknown, item?: string): CarriedOut {
  const raw = readJson(value)
  if ('failure' in raw) return raw
  if (tool === undefined) return { output: raw.value, facts: [] }
  const { gives, output, name } = tool.description
  const data = parseAtOnce(tool.output, raw.value)
  if (data === 'waits') {
    const [problem] = checkSchema(output, raw.value)
    if (problem) return invalid(`The answer does not fit at "${problem.path}": ${problem.message}.`, problem.path)
  } else if (!data.success) {
    return { failure: schemaFailure('ANSWER_INVALID', 'The answer', data.error.issues, raw.value, hint) }
  }
  const read = data === 'waits' ? raw : readJson(data.data)
  if ('failure' in read) return read
  const noList = findNoList(gives, read.value)
  if (noList !== undefined) {
    const { fact, from } = noList
    return invalid(`Tool "${name}" gives "${fact}" as a list, but what stands at "${from}" is no array.`, from)
  }
  return { output: read.value, facts: givenFacts(gives, read.value, item) }
}

function parseAtOnce(schema: z.ZodType, value: Json): z.ZodSafeParseResult<unknown> | 'waits' {
  const checked = schema._zod.run({ value, issues: [] }, { async: true })
  if (!(checked instanceof Promise)) return schema.safeParse(value)
  checked.catch(() => undefined) // it is not waited for, and its end must not take the process down
  return 'waits'
}

function readJson(value: unknown): { readonly value: Json } | Extract<CarriedOut, { readonly failure: object }> {
  if (value === undefined) return invalid('The answer is undefined, which JSON cannot hold.', '')
  const reading = readJsonValue(value)
  if ('value' in reading) return reading
  return invalid(`The answer cannot be passed on. ${reading.failure.message}`, reading.failure.path)
}

function invalid(message: string, path: string): Extract<CarriedOut, { readonly failure: object }> {
  return { failure: { code: 'ANSWER_INVALID', message, hint, path, retryable: false } }
}
