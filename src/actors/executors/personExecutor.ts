// The person executor's questions: what a step asks of a person, and what an answer comes to.
import type { Json, JsonObject } from '../../plan/json.ts'
import type { HostMessage } from '../../machines/behaviour.messages.ts'
import type { StepAsk, StepExecute } from '../../machines/command.messages.ts'
import type { FactGiven, Failure } from '../../machines/reports.messages.ts'
import { failureFrom } from '../../plan/thrownValue.ts'
import { abortedOutcome, brokenExpectation } from './attemptOutcome.ts'

/** A step, or an attempt of one, that waits for a person's answer, or of which nobody can tell whether it had its effect: then what a tool's `check` would
 * give is the answer. */
export interface PersonQuestion {
  readonly runId: string
  readonly stepId: string
  readonly kind: 'answer' | 'uncertain'
  readonly text: string
  readonly input: JsonObject
}

/** Puts a question to a person; what it resolves with is the answer. The signal fires when it is no longer wanted. */
export type Ask = (question: PersonQuestion, signal: AbortSignal) => Promise<unknown>

/** Reads an answer as the step's tool would have given it; a failure says what is wrong with it. */
export type ReadAnswer = (
  work: { readonly tool?: string | undefined; readonly item?: string | undefined },
  value: unknown,
) => { readonly output: Json; readonly facts: readonly FactGiven[] } | { readonly failure: Failure }

/** Who is asked, and how the answer is read. */
export interface Asking {
  readonly ask: Ask
  readonly read: ReadAnswer
  /** As the journal names whoever answers. */
  readonly by: string
}

function questionOf({ runId, stepId, instruction, tool, input }: StepExecute): PersonQuestion {
  const text =
    instruction ?? (tool === undefined ? `What is the answer to "${stepId}"?` : `Do by hand what "${tool}" would do.`)
  return { runId, stepId, kind: 'answer', text, input }
}

/** Asks, and gives what the host is to be told: the answer, that it surprises, or why there is none. Never rejects. */
export async function askPerson(
  work: StepExecute,
  { ask, read, by }: Asking,
  signal: AbortSignal,
): Promise<HostMessage> {
  const { stepId, attempt } = work
  let said: unknown
  try {
    said = await ask(questionOf(work), signal)
  } catch (error) {
    if (signal.aborted) return abortedOutcome(work, signal)
    return { type: 'step.failed', stepId, attempt, failure: noAnswer(error, stepId) }
  }
  const answer = read(work, said)
  if ('failure' in answer) return { type: 'step.failed', stepId, attempt, failure: answer.failure }
  const { output, facts } = answer
  const failure = brokenExpectation(work, output)
  if (failure !== undefined) return { type: 'step.surprised', stepId, attempt, output, facts, failure }
  return { type: 'step.answered', stepId, value: output, ...(facts.length > 0 && { facts }), by }
}

/** Asks what an attempt wants to know, and gives what the host is to be told: the answer, or why there is none. Never rejects. */
export async function askForAttempt(
  { runId, stepId, attempt, question, text, input }: StepAsk,
  { ask, read, by }: Asking,
  signal: AbortSignal,
): Promise<HostMessage> {
  try {
    const said = read({}, await ask({ runId, stepId, kind: 'answer', text, input }, signal))
    if ('output' in said) return { type: 'step.answered', stepId, question, value: said.output, by }
    return { type: 'step.unanswered', stepId, attempt, question, failure: said.failure }
  } catch (error) {
    return { type: 'step.unanswered', stepId, attempt, question, failure: noAnswer(error, stepId) }
  }
}

function noAnswer(error: unknown, stepId: string): Failure {
  const failure = failureFrom(error, { code: 'ANSWER_FAILED', who: `Whoever was asked about "${stepId}"` })
  return { ...failure, code: 'ANSWER_FAILED' }
}
