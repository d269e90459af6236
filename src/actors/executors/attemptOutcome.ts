// How an attempt ended, judged from what its executor gave back: the door through which results come in.
//
// R1. What goes on from here is a JSON value of limited size; anything else is a failed attempt that says what came.
// R2. An output that breaks the step's `expect` is a surprise, whoever carried the step out.
// R3. What fails after the signal has fired counts as stopped, and is not tried again because of that.
import { checkSchema } from '../../plan/jsonSchemaCheck.ts'
import { toJsonValue } from '../../plan/jsonValue.ts'
import { getPointer } from '../../plan/pointer.ts'
import type { Json } from '../../plan/json.ts'
import type { StepExecute } from '../../machines/command.messages.ts'
import type { FactGiven, Failure, SubRunUse, Usage } from '../../machines/reports.messages.ts'
import type { AttemptOutcome } from '../../machines/executor.messages.ts'
import { usageFrom } from '../../models/usage.ts'
import { clip, failureFrom } from '../../plan/thrownValue.ts'
import type { Stop } from '../liveAttempt.ts'
import type { Executor } from './executor.ts'

type Judged = Pick<Executor, 'role' | 'outputs'>
type Attempt = Pick<StepExecute, 'stepId' | 'attempt' | 'expect'>

/** Judges what an executor resolved with. */
export function outcomeOf(work: Attempt, result: unknown, executor: Judged, stop: Stop): AttemptOutcome {
  if (!isRecord(result)) return failedOutcome(work, shapeFailure(executor, result))
  const usage = usageOf(result.usage)
  if (result.failure !== undefined) {
    const failure = toFailure(result.failure) ?? shapeFailure(executor, result)
    return failedOutcome(
      work,
      stop.aborted ? abortedFailure(stop, `${failure.code}: ${failure.message}`) : failure,
      usage,
    )
  }
  if (result.output === undefined) return failedOutcome(work, shapeFailure(executor, result), usage)
  try {
    return takenOutcome(work, result, executor, usage)
  } catch (error) {
    // Not JSON, or more than may come: what looks through it says so by throwing.
    const frame = {
      code: 'OUTPUT_INVALID',
      who: `The check of what executor "${executor.role}" gave`,
      retryable: false,
    }
    return failedOutcome(work, failureFrom(error, frame), usage)
  }
}

/** Judges what an executor threw. */
export function thrownOutcome(work: Attempt, thrown: unknown, { role }: Judged, stop: Stop): AttemptOutcome {
  const failure = failureFrom(thrown, { code: 'EXECUTOR_THREW', who: `Executor "${role}"` })
  return failedOutcome(work, stop.aborted ? abortedFailure(stop, failure.message) : failure)
}

/** The outcome of an attempt that was stopped before anything came of it. */
export function abortedOutcome(work: Attempt, stop: Stop): AttemptOutcome {
  return failedOutcome(work, abortedFailure(stop))
}

/** What an output breaks of what the step expects of it. */
export function brokenExpectation({ stepId, expect }: Attempt, output: Json): Failure | undefined {
  const problems = expect === undefined ? [] : checkSchema(expect, output)
  // The deepest place says most: what it lies in is broken because of it.
  const first = problems.reduce<(typeof problems)[number] | undefined>(
    (deepest, problem) => (deepest === undefined || problem.path.length > deepest.path.length ? problem : deepest),
    undefined,
  )
  if (first === undefined) return undefined
  const more = problems.length > 1 ? ` (and ${String(problems.length - 1)} more)` : ''
  return {
    code: 'EXPECTATION_BROKEN',
    message: clip(
      `The output of "${stepId}" is not as expected at "${first.path}": ${first.message}${more}. What came there: ${nameOf(getPointer(output, first.path))}.`,
    ),
    hint: 'The tool itself succeeded: amend the plan, or the expectation.',
    path: first.path,
    retryable: false,
  }
}

function takenOutcome(
  work: Attempt,
  result: Record<string, unknown>,
  executor: Judged,
  usage: Usage | undefined,
): AttemptOutcome {
  const { stepId, attempt } = work
  const isChecked = executor.outputs === 'checked'
  const output = isChecked ? (result.output as Json) : toJsonValue(result.output)
  const facts = isChecked ? ((result.facts ?? noFacts) as readonly FactGiven[]) : factsOf(result.facts)
  const own = toFailure(result.surprise)
  const failure = own ?? brokenExpectation(work, output) // what it says itself, says more
  const common = { stepId, attempt, output, facts, ...(usage && { usage }) }
  return failure === undefined ? { type: 'step.succeeded', ...common } : { type: 'step.surprised', ...common, failure }
}

const noFacts: readonly FactGiven[] = []

function factsOf(given: unknown): readonly FactGiven[] {
  if (given === undefined) return noFacts
  if (!Array.isArray(given)) throw new TypeError('the facts are not an array')
  return given.map((fact: unknown) => {
    if (!isRecord(fact) || typeof fact.key !== 'string') throw new TypeError('a fact has no key')
    return { key: fact.key, value: toJsonValue(fact.value) }
  })
}

function failedOutcome({ stepId, attempt }: Attempt, failure: Failure, usage?: Usage): AttemptOutcome {
  const type = failure.uncertain ? 'step.uncertain' : 'step.failed'
  return { type, stepId, attempt, failure, ...(usage && { usage }) }
}

function abortedFailure({ reason }: Stop, cause?: string): Failure {
  const because = reason instanceof Error ? reason.message : String(reason)
  return {
    code: 'ABORTED',
    message: `The attempt was stopped: ${because}`,
    retryable: false,
    ...(cause !== undefined && { cause: clip(cause) }),
  }
}

function shapeFailure({ role }: Judged, came: unknown): Failure {
  return {
    code: 'RESULT_SHAPE',
    message: `Executor "${role}" gave ${nameOf(came)}; a result has either "output" (a JSON value) or "failure".`,
    hint: 'Give { output } or { failure: { code, message, retryable } }.',
    retryable: false,
  }
}

/** What a value is, in a few words: however large it is, it is not printed whole. */
function nameOf(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${String(value.length)}`
  if (isRecord(value)) {
    const keys = Object.keys(value).slice(0, 5)
    return keys.length === 0 ? 'an empty object' : `an object with ${keys.map((key) => `"${key}"`).join(', ')}`
  }
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 200))
    : typeof value === 'function'
      ? 'a function'
      : String(value)
}

/** Takes over what belongs to a failure, and nothing else that an executor may have put there. */
function toFailure(value: unknown): Failure | undefined {
  if (!isRecord(value)) return undefined
  const { code, message, hint, path, retryable, uncertain, cause } = value
  if (typeof code !== 'string' || typeof message !== 'string' || typeof retryable !== 'boolean') return undefined
  return {
    code,
    message: clip(message),
    ...(typeof hint === 'string' && { hint: clip(hint) }),
    ...(typeof path === 'string' && { path }),
    retryable,
    ...(uncertain === true && { uncertain }),
    ...(typeof cause === 'string' && { cause: clip(cause) }),
  }
}

function usageOf(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined
  const { tokens, cost, plannerCalls, replans } = value
  const subRun = subRunUseOf(value.subRun)
  const usage = {
    ...(isAmount(tokens) && { tokens }),
    ...(isAmount(cost) && { cost }),
    ...(isAmount(plannerCalls) && { plannerCalls }),
    ...(isAmount(replans) && { replans }),
    ...(subRun && { subRun }),
  }
  return Object.keys(usage).length === 0 ? undefined : usage
}

function subRunUseOf(value: unknown): SubRunUse | undefined {
  if (!isRecord(value) || typeof value.runId !== 'string') return undefined
  const models = usageFrom(value.models)
  return models && { runId: value.runId, models }
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
