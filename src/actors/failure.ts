// What was thrown, as data: anything can be thrown, and nothing that is thrown may take an actor with it.
import { PlanloomError } from '../errors.ts'
import type { Failure } from '../machines/coordinator.messages.ts'

/** Longest text of a failure: what tools and models throw can be a whole page. */
const mostCharacters = 2_000
const mostCauses = 5

export interface FailureFrame {
  /** Code of a failure that brings none of its own. */
  readonly code: string
  /** Who threw, for the beginning of the message: `Executor "tool"`. */
  readonly who: string
  readonly hint?: string
  /** @default true; what was thrown may say `retryable: false` */
  readonly retryable?: boolean
}

/** Makes a failure of whatever was thrown: an error, a string, or something that cannot even be looked at.
 *
 * @example
 * failureFrom('boom', { code: 'EXECUTOR_THREW', who: 'Executor "tool"' }).message // 'Executor "tool" threw "boom".'
 */
export function failureFrom(thrown: unknown, frame: FailureFrame): Failure {
  try {
    if (isOurs(thrown)) return fromOurs(thrown, frame)
    return thrown instanceof Error ? fromError(thrown, frame) : fromValue(thrown, frame)
  } catch {
    // A getter or a proxy that throws in its turn.
    return fromText('something that cannot be read', frame)
  }
}

/** Cuts a text to a length that a journal can bear. */
export function clip(text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}… (${String(text.length)} characters)`
}

/** By its shape: another copy of the package has another class. */
function isOurs(thrown: unknown): thrown is PlanloomError {
  if (thrown instanceof PlanloomError) return true
  return (
    thrown instanceof Error &&
    'where' in thrown &&
    'hint' in thrown &&
    'code' in thrown &&
    typeof thrown.code === 'string'
  )
}

function fromOurs(error: PlanloomError, frame: FailureFrame): Failure {
  const hint = error.hint ?? frame.hint
  const { path } = error.where
  return {
    code: error.code,
    message: clip(error.message),
    ...(hint !== undefined && { hint }),
    ...(path !== undefined && { path }),
    ...restOf(error, frame),
  }
}

function fromError(error: Error, frame: FailureFrame): Failure {
  return {
    code: frame.code,
    message: clip(`${frame.who} threw ${error.name}: ${error.message}`),
    ...(frame.hint !== undefined && { hint: frame.hint }),
    ...restOf(error, frame),
  }
}

function fromValue(value: unknown, frame: FailureFrame): Failure {
  const text =
    typeof value === 'string' ? JSON.stringify(clip(value)) : `${article(value)} that is no Error: ${textOf(value)}`
  return fromText(text, frame)
}

function fromText(text: string, { code, who, hint, retryable = true }: FailureFrame): Failure {
  return { code, message: `${who} threw ${text}.`, ...(hint !== undefined && { hint }), retryable }
}

function restOf(error: Error, frame: FailureFrame): { readonly retryable: boolean; readonly cause?: string } {
  const cause = causesOf(error)
  const saysNo = 'retryable' in error && error.retryable === false
  return { retryable: !saysNo && (frame.retryable ?? true), ...(cause !== '' && { cause }) }
}

function causesOf(error: Error): string {
  const texts: string[] = []
  let { cause } = error
  while (cause !== undefined && cause !== null && texts.length < mostCauses) {
    texts.push(cause instanceof Error ? `${cause.name}: ${cause.message}` : textOf(cause))
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return clip(texts.join(' ← '))
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return clip(String(value))
  return clip(JSON.stringify(value))
}

function article(value: unknown): string {
  return value === null || value === undefined
    ? 'a value'
    : `${/^[aeiou]/.test(typeof value) ? 'an' : 'a'} ${typeof value}`
}
