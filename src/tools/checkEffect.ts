// Asking a tool whether an attempt of it had its effect.
//
// E1. It never throws and never rejects: a check that breaks, or gives what is no finding, cannot tell.
import type { EffectFinding } from '../machines/coordinator.messages.ts'
import type { Failure } from '../machines/reports.messages.ts'
import type { Json } from '../plan/json.ts'
import { failureFrom } from '../plan/thrownValue.ts'
import { readInput, readResult, type CarryOutOptions } from './carryOut.ts'
import type { CheckContext, Tool } from './tool.ts'

/** @param input of the attempt, references filled in. */
export async function checkEffect(
  tool: Tool,
  input: Json,
  context: CheckContext,
  options: CarryOutOptions = {},
): Promise<EffectFinding> {
  const { name } = tool.description
  try {
    if (tool.check === undefined) return { unknown: failure('CHECK_MISSING', `Tool "${name}" has no check.`) }
    const taken = await readInput(tool, input)
    if ('failure' in taken) return { unknown: taken.failure }
    context.signal.throwIfAborted() // reading the input may have waited for something
    const given: unknown = await tool.check(taken.value, context)
    return await readFinding(given, `The check of tool "${name}"`, (output) => readResult(tool, output, options))
  } catch (thrown) {
    return { unknown: failureFrom(thrown, { code: 'CHECK_FAILED', who: `The check of tool "${name}"` }) }
  }
}

/** Reads what a check, or whoever was asked, has said.
 *
 * @param readOutput reads the output that it gave.
 */
export async function readFinding(
  given: unknown,
  who: string,
  readOutput: (output: unknown) => Awaitable<Read>,
): Promise<EffectFinding> {
  if (typeof given === 'object' && given !== null) {
    const { happened, output, unknown } = given as Partial<Record<string, unknown>>
    if (happened === false) return { happened }
    if (happened === true) {
      const read = await readOutput(output)
      return 'failure' in read ? { unknown: read.failure } : { happened, output: read.output, facts: read.facts }
    }
    if (unknown !== undefined) return { unknown: failure('CHECK_UNKNOWN', `${who} cannot tell: ${wordsOf(unknown)}`) }
  }
  const message = `${who} gave neither "happened" nor "unknown".`
  return { unknown: { ...failure('CHECK_INVALID', message), hint: shape } }
}

type Awaitable<T> = T | Promise<T>
type Read = Awaited<ReturnType<typeof readResult>>

const shape = 'Give { happened: true, output }, { happened: false } or { unknown: why }.'

function failure(code: string, message: string): Failure {
  return { code, message, retryable: false }
}

function wordsOf(unknown: unknown): string {
  return typeof unknown === 'string' ? unknown : 'it did not say why'
}
