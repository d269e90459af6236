// One attempt of a tool: its input checked, its function called, its output checked, its facts collected.
//
// T1. It never throws and never rejects: whatever goes wrong is a failure that says what and where.
// T2. What it gives is a deep-frozen JSON value within the limits: nobody need look through it again.
// T3. A check that failed would fail again: only what the tool itself threw may be worth another attempt.
import { z } from 'zod'
import type { FactGiven, Failure } from '../machines/reports.messages.ts'
import type { Json } from '../plan/json.ts'
import { readJsonValue } from '../plan/jsonValue.ts'
import { findNoList, givenFacts } from './givenFacts.ts'
import { schemaFailure } from './schemaFailure.ts'
import { thrownFailure } from './thrownFailure.ts'
import type { Tool, ToolContext } from './tool.ts'

export interface CarryOutOptions {
  /** The item of a step that a `forEach` made, as `3` or `3.1`. */
  readonly item?: string
  /** @default 10,000,000 */
  readonly maxOutputBytes?: number
}

export type CarriedOut = { readonly output: Json; readonly facts: readonly FactGiven[] } | { readonly failure: Failure }

/** Runs a tool once.
 *
 * Failures: `INPUT_INVALID`, `OUTPUT_NOT_JSON`, `OUTPUT_TOO_DEEP`, `OUTPUT_TOO_LARGE`, `OUTPUT_INVALID` with the place; the
 * tool's own codes where it throws a `ToolError`; `TOOL_FAILED` for all else that it throws; `ABORTED` once its signal fired.
 * @param input references in it are filled in already.
 */
export async function carryOut(
  tool: Tool,
  input: Json,
  context: ToolContext,
  options: CarryOutOptions = {},
): Promise<CarriedOut> {
  const { name } = tool.description
  try {
    const reading = readInput(tool, input)
    const taken = reading instanceof Promise ? await reading : reading
    if ('failure' in taken) return taken

    if (reading instanceof Promise) context.signal.throwIfAborted() // not asked for without need: it is made then
    const read = readResult(tool, await tool.run(taken.value, context), options)
    return read instanceof Promise ? await read : read
  } catch (thrown) {
    return { failure: thrownFailure(thrown, name, context.signal) }
  }
}

type Taken = { readonly value: unknown } | { readonly failure: Failure }

/** Checks and completes an input as the tool's schema says. May throw what that throws. */
export function readInput(tool: Tool, input: Json): Taken | Promise<Taken> {
  return andThen(parse(tool.input, input), (taken) => {
    if (taken.success) return { value: taken.data }
    const what = `The input of tool "${tool.description.name}"`
    return { failure: schemaFailure('INPUT_INVALID', what, taken.error.issues, input, inputHint) }
  })
}

/** Reads what a tool gave: its output checked, its facts collected. May throw what the output's own schema throws. */
export function readResult(
  tool: Tool,
  result: unknown,
  options: CarryOutOptions = {},
): CarriedOut | Promise<CarriedOut> {
  const raw = readOutput(tool.description.name, result, options)
  if ('failure' in raw) return raw
  return andThen(parse(tool.output, raw.value), (given) => judgeOutput(tool, raw, given, options))
}

function judgeOutput(
  tool: Tool,
  raw: { readonly value: Json },
  given: z.ZodSafeParseResult<unknown>,
  options: CarryOutOptions,
): CarriedOut {
  const { name, gives } = tool.description
  if (!given.success) {
    return {
      failure: schemaFailure('OUTPUT_INVALID', `What tool "${name}" gave`, given.error.issues, raw.value, outputHint),
    }
  }

  // The schema may have added, dropped or changed something: what comes out of it is what counts.
  const read = given.data === raw.value ? raw : readOutput(name, given.data, options)
  if ('failure' in read) return read
  const noList = findNoList(gives, read.value)
  if (noList !== undefined) return { failure: noListFailure(name, noList) }
  return { output: read.value, facts: givenFacts(gives, read.value, options.item) }
}

const inputHint = 'Change what the step passes: a literal in its input, or the place that a reference points to.'
const outputHint = 'The tool broke its own promise: correct its function, or its output schema.'

/** Schemas that were seen to check a good value without waiting for anything. */
const checksAtOnce = new WeakSet<z.ZodType>()

type Parsed = z.ZodSafeParseResult<unknown>

/** Checks at once where it can, which is several times as fast. Not by trial alone: a check that waits, tried at once, leaves
 * its promise behind, and if that is rejected, nobody hears it and the process ends. */
function parse(schema: z.ZodType, value: unknown): Parsed | Promise<Parsed> {
  if (!checksAtOnce.has(schema)) {
    const checked = schema._zod.run({ value, issues: [] }, { async: true })
    if (checked instanceof Promise) checked.catch(() => undefined)
    else if (checked.issues.length === 0) checksAtOnce.add(schema)
    return schema.safeParseAsync(value)
  }
  try {
    return schema.safeParse(value)
  } catch (error) {
    if (!(error instanceof z.core.$ZodAsyncError)) throw error
    checksAtOnce.delete(schema)
    return schema.safeParseAsync(value)
  }
}

/** What need not be waited for goes on at once: each wait is a turn for everybody else, and costs more than most checks. */
function andThen<T, U>(value: T | Promise<T>, next: (value: T) => U): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

function readOutput(
  tool: string,
  value: unknown,
  { maxOutputBytes }: CarryOutOptions,
): { readonly value: Json } | { readonly failure: Failure } {
  const reading = readJsonValue(value, maxOutputBytes === undefined ? {} : { maxBytes: maxOutputBytes })
  if ('value' in reading) return reading
  const { code, message, hint, path } = reading.failure
  return {
    failure: {
      code,
      message: `What tool "${tool}" gave cannot be passed on. ${message}`,
      hint,
      path,
      retryable: false,
    },
  }
}

function noListFailure(tool: string, { fact, from }: { readonly fact: string; readonly from: string }): Failure {
  return {
    code: 'OUTPUT_INVALID',
    message: `Tool "${tool}" gives "${fact}" as a list of facts, but what stands at "${from}" is no array.`,
    hint: 'Point `from` to an array, or leave out `each`.',
    path: from,
    retryable: false,
  }
}
