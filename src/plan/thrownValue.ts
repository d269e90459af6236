// What was thrown, as data: anything can be thrown, and nothing that is thrown may take with it whoever caught it.

/** Longest text of a failure: what tools and models throw can be a whole page. */
const mostCharacters = 2_000
const mostCauses = 5

/** A failure in the form in which messages carry it. */
export interface ThrownFailure {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly path?: string
  readonly retryable: boolean
  /** Whoever threw cannot tell whether it had its effect. */
  readonly uncertain?: true
  readonly cause?: string
}

export interface FailureFrame {
  /** Code of a failure that brings none of its own. */
  readonly code: string
  /** Who threw, for the beginning of the message: `Executor "tool"`. */
  readonly who: string
  /** @default true; what was thrown may say `retryable: false` */
  readonly retryable?: boolean
}

/** Makes a failure of whatever was thrown: an error, a string, or something that cannot even be looked at. An error with
 * `code`, `hint` and `where`, as ours have, keeps them; any may say `retryable: false`.
 *
 * @example
 * failureFrom('boom', { code: 'TOOL_FAILED', who: 'Tool "fetch"' }).message // 'Tool "fetch" threw "boom".'
 */
export function failureFrom(thrown: unknown, frame: FailureFrame): ThrownFailure {
  try {
    if (!(thrown instanceof Error)) return fromText(`${wordsFor(thrown)}.`, frame)
    return saysItself(thrown)
      ? ownFailure(thrown, frame)
      : { ...fromText(titleOf(thrown), frame), ...restOf(thrown, frame) }
  } catch {
    return fromText('something that cannot be read.', frame) // a getter or a proxy threw in its turn
  }
}

/** Cuts a text to a length that a journal can bear. */
export function clip(text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}… (${String(text.length)} characters)`
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

function ownFailure(error: Telling, frame: FailureFrame): ThrownFailure {
  const { code, hint, where } = error
  return {
    code,
    message: clip(error.message),
    ...(typeof hint === 'string' && { hint: clip(hint) }),
    ...('path' in where && typeof where.path === 'string' && { path: where.path }),
    ...restOf(error, frame),
  }
}

function fromText(text: string, { code, who, retryable = true }: FailureFrame): ThrownFailure {
  return { code, message: clip(`${who} threw ${text}`), retryable }
}

function restOf(
  error: Error,
  { retryable = true }: FailureFrame,
): Pick<ThrownFailure, 'retryable' | 'uncertain' | 'cause'> {
  const cause = causesOf(error)
  return {
    retryable: retryable && !('retryable' in error && error.retryable === false),
    ...('uncertain' in error && error.uncertain === true && { uncertain: true }),
    ...(cause !== '' && { cause }),
  }
}

function causesOf(error: Error): string {
  const texts: string[] = []
  for (let { cause } = error; cause !== undefined && cause !== null && texts.length < mostCauses;) {
    texts.push(cause instanceof Error ? titleOf(cause) : wordsFor(cause))
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return clip(texts.join(' ← '))
}

function titleOf({ name, message }: Error): string {
  return message === '' ? `${name} without a message` : `${name}: ${message}`
}

function wordsFor(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(clip(value))
  if (value === undefined || value === null) return String(value)
  const kind = typeof value === 'object' ? 'an object' : `a ${typeof value}`
  return `${kind} that is no Error: ${clip(textOf(value))}`
}

function textOf(value: unknown): string {
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- no object: those are written as JSON
  if (typeof value !== 'object') return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    // eslint-disable-next-line @typescript-eslint/no-base-to-string -- "[object Object]" still says more than nothing
    return String(value)
  }
}
