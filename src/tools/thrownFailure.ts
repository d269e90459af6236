// Whatever a tool threw, as a failure: anything can be thrown, and nothing that is thrown may take its executor with it.
import type { Failure } from '../machines/coordinator.messages.ts'

/** Longest text of a failure: some tools throw a whole page. */
const mostCharacters = 2_000
const mostCauses = 5

/** Makes a failure of what was thrown. An error with `code`, `hint` and `where` (as `ToolError` has) keeps them;
 * any other is `TOOL_FAILED`, and worth another attempt.
 *
 * @param signal fired: the failure is `ABORTED`, whatever was thrown because of that.
 * @example
 * thrownFailure('boom', 'fetch', new AbortController().signal).message // 'Tool "fetch" threw "boom".'
 */
export function thrownFailure(thrown: unknown, tool: string, signal: AbortSignal): Failure {
  const failure = withoutThrowing(thrown, tool)
  if (!signal.aborted) return failure
  const message = `Tool "${tool}" was stopped: ${reasonOf(signal)}`
  return {
    code: 'ABORTED',
    message: clip(message),
    retryable: false,
    cause: clip(`${failure.code}: ${failure.message}`),
  }
}

function withoutThrowing(thrown: unknown, tool: string): Failure {
  try {
    if (!(thrown instanceof Error)) return failed(`Tool "${tool}" threw ${wordsFor(thrown)}.`)
    return saysItself(thrown) ? ownFailure(thrown) : failed(`Tool "${tool}" threw ${titleOf(thrown)}`, thrown)
  } catch {
    return failed(`Tool "${tool}" threw something that cannot even be read.`) // a getter or a proxy threw in its turn
  }
}

type Telling = Error & { readonly code: string; readonly where: object; readonly hint: unknown }

/** By its shape: another copy of the package has another class. */
function saysItself(error: Error): error is Telling {
  return (
    'hint' in error &&
    'where' in error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.where instanceof Object
  )
}

function ownFailure(error: Telling): Failure {
  const { code, hint, where } = error
  return {
    code,
    message: clip(error.message),
    ...(typeof hint === 'string' && { hint: clip(hint) }),
    ...('path' in where && typeof where.path === 'string' && { path: where.path }),
    retryable: !('retryable' in error && error.retryable === false),
    ...causeOf(error),
  }
}

function failed(message: string, error?: Error): Failure {
  return { code: 'TOOL_FAILED', message: clip(message), retryable: true, ...(error && causeOf(error)) }
}

function causeOf(error: Error): { readonly cause?: string } {
  const texts: string[] = []
  for (let { cause } = error; cause !== undefined && cause !== null && texts.length < mostCauses;) {
    texts.push(cause instanceof Error ? titleOf(cause) : wordsFor(cause))
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return texts.length === 0 ? {} : { cause: clip(texts.join(' ← ')) }
}

function titleOf({ name, message }: Error): string {
  return message === '' ? `${name} without a message` : `${name}: ${message}`
}

function wordsFor(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(clip(value))
  if (value === undefined || value === null) return String(value)
  const kind = typeof value === 'object' ? 'an object' : `a ${typeof value}`
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- "[object Object]" still says more than nothing
  return `${kind} that is no Error: ${clip(String(value))}`
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : 'its signal fired.'
}

function clip(text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}… (${String(text.length)} characters)`
}
