// An answer as a model gave it: one of the user's own may give anything, and its ids are what we number by.
import { PlanloomError } from '../../../errors.ts'
import type { AnswerEnd, ModelAnswer, ModelUsage, ToolCall } from '../../../models/model.ts'
import { noUsage } from '../../../machines/modelUsage.messages.ts'
import { readArguments } from './readArguments.ts'

/** @throws `MODEL_ANSWER_BROKEN` for what is no answer. */
export function readModelAnswer(given: ModelAnswer, model: string): Omit<ModelAnswer, 'model'> {
  const value: unknown = given
  if (!isRecord(value)) throw broken(model, 'nothing')
  const { end, text, calls, refusal, usage } = value
  if (!isEnd(end)) throw broken(model, 'an answer whose end is none')
  if (typeof text !== 'string') throw broken(model, 'an answer without text')
  if (!Array.isArray(calls) || !calls.every(isCall)) throw broken(model, 'an answer whose calls are none')
  return {
    end,
    text,
    calls,
    ...(typeof refusal === 'string' && { refusal }),
    usage: isRecord(usage) ? (usage as unknown as ModelUsage) : noUsage,
  }
}

/** The same calls, each with an id that no other call of the attempt has: results are matched by id, never by place. */
export function withOwnIds(calls: readonly ToolCall[], taken: Set<string>): readonly ToolCall[] {
  return calls.map((call) => {
    let { id } = call
    for (let nth = taken.size + 1; id === '' || taken.has(id); nth++) id = `call_${String(nth)}`
    taken.add(id)
    return { ...call, id }
  })
}

/** Calls as they stand in what the model is shown of its own answers: servers refuse names and arguments that are none. */
export function echoOf(calls: readonly ToolCall[]): readonly ToolCall[] {
  return calls.map(({ id, name, arguments: written }) => ({
    id,
    name: name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed',
    arguments: 'input' in readArguments(written) ? written : JSON.stringify({ unreadable: written.slice(0, 1_000) }),
  }))
}

const ends: ReadonlySet<unknown> = new Set<AnswerEnd>(['stop', 'calls', 'length', 'filtered', 'refused'])

function isEnd(value: unknown): value is AnswerEnd {
  return ends.has(value)
}

function isCall(value: unknown): value is ToolCall {
  if (!isRecord(value)) return false
  return typeof value['id'] === 'string' && typeof value['name'] === 'string' && typeof value['arguments'] === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function broken(model: string, what: string): PlanloomError {
  return new PlanloomError('MODEL_ANSWER_BROKEN', `Model "${model}" gave ${what}.`, {
    hint: 'complete() gives { end, text, calls, model, usage }.',
  })
}
