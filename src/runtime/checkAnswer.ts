// An answer to a step is checked before it becomes an event, so that whoever gives it is told at once.
import { PlanloomError } from '../errors.ts'
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import type { Json } from '../plan/json.ts'
import { checkSchema } from '../plan/jsonSchemaCheck.ts'

/** @throws `ANSWER_INVALID` when the answer is not what the step expects; the step goes on waiting. */
export function checkAnswer(runId: string, context: CoordinatorContext, stepId: string, value: Json): void {
  const expected = context.steps.get(stepId)?.expect
  const [problem] = expected === undefined ? [] : checkSchema(expected, value)
  if (problem === undefined) return
  throw new PlanloomError(
    'ANSWER_INVALID',
    `The answer to step "${stepId}" is not what it expects: ${problem.message}.`,
    {
      hint: 'Give an answer that fits the "expect" of the step.',
      where: { runId, stepId, path: problem.path },
    },
  )
}
