// An answer to a step is checked before it becomes an event, so that whoever gives it is told at once.
import { PlanloomError } from '../errors.ts'
import type { ReadAnswer } from '../actors/executors/personExecutor.ts'
import type { FactGiven } from '../machines/reports.messages.ts'
import type { Json } from '../plan/json.ts'
import { checkSchema } from '../plan/jsonSchemaCheck.ts'
import type { Step } from '../plan/schema.ts'
import { readAnswer } from '../tools/readAnswer.ts'
import type { ToolRegistry } from '../tools/registry.ts'

/** Reads answers as the tools of a registry would have given them. */
export function answerReader(registry: ToolRegistry): ReadAnswer {
  return ({ tool, item }, value) =>
    readAnswer(tool === undefined || !registry.has(tool) ? undefined : registry.get(tool), value, item)
}

/** @returns the answer as JSON, and the facts that it gives.
 * @throws `ANSWER_INVALID` when it is not what the step's tool gives, or not what the step expects; the step goes on waiting. */
export function checkAnswer(
  runId: string,
  step: Pick<Step, 'id' | 'tool' | 'item' | 'expect'>,
  given: unknown,
  read: ReadAnswer,
): { readonly value: Json; readonly facts: readonly FactGiven[] } {
  const answer = read(step, given)
  const invalid = (message: string, path: string | undefined, hint: string | undefined): PlanloomError =>
    new PlanloomError('ANSWER_INVALID', `The answer to step "${step.id}" cannot be taken. ${message}`, {
      hint,
      where: { runId, stepId: step.id, ...(path !== undefined && { path }) },
    })
  if ('failure' in answer) throw invalid(answer.failure.message, answer.failure.path, answer.failure.hint)
  const [problem] = step.expect === undefined ? [] : checkSchema(step.expect, answer.output)
  if (problem) {
    const message = `It is not what the step expects at "${problem.path}": ${problem.message}.`
    throw invalid(message, problem.path, 'Give an answer that fits the "expect" of the step.')
  }
  return { value: answer.output, facts: answer.facts }
}
