// What went wrong with an attempt, for people and for whoever decides about another: nothing of it holds a key.
import { ModelError, type ModelErrorCode } from './modelError.ts'
import type { ModelUsage } from './model.ts'
import { redactedError, type Redact } from './redact.ts'
import { troubleOf, type AttemptTrouble, type HeaderSource } from './server/attempt.ts'
import { TooManyBytes } from './wire/answerBytes.ts'
import { AnswerFault, recordOf, textIn } from './wire/gathered.ts'

export interface Circumstances {
  readonly place: string
  readonly model: string
  readonly redact: Redact
  /** An answer with status 200 had begun. */
  readonly hasBegun: boolean
  /** The silence that ended it. */
  readonly silentMs: number | undefined
  readonly usage: ModelUsage
}

export interface FailedAttempt {
  readonly status: AttemptTrouble
  readonly error: ModelError
  readonly headers?: HeaderSource
}

export function explainFailure(thrown: unknown, circumstances: Circumstances): FailedAttempt {
  const { place, redact, hasBegun, silentMs, usage } = circumstances
  const cause = redactedError(thrown, redact)
  const make = (code: ModelErrorCode, message: string, hint?: string, httpStatus?: number): ModelError =>
    new ModelError(code, redact(message), { hint, cause, usage, httpStatus })
  if (silentMs !== undefined) {
    const when = hasBegun ? 'in the middle of its answer' : 'before any answer'
    const error = make(
      hasBegun ? 'MODEL_ANSWER_BROKEN' : 'MODEL_UNAVAILABLE',
      `${place} was silent for ${silentMs} ms ${when}.`,
      'Raise timeoutMs where the model needs longer.',
    )
    return { status: hasBegun ? 'broken' : 'unavailable', error }
  }
  if (thrown instanceof TooManyBytes)
    return {
      status: 'broken',
      error: make(
        'MODEL_ANSWER_BROKEN',
        `The answer of ${place} is ${thrown.message}.`,
        'Ask for less, or raise maxBytes.',
      ),
    }
  if (thrown instanceof AnswerFault) {
    const hint = 'See that the address is that of an OpenAI-compatible API: it often ends in /v1.'
    return {
      status: 'broken',
      error: make('MODEL_ANSWER_BROKEN', `The answer of ${place} cannot be read: ${thrown.message}.`, hint),
    }
  }
  const { status, headers, code, type } = recordOf(thrown)
  if (typeof status === 'number')
    return refusedBy(thrown as Error, status, circumstances, make, signsOf(headers, code, type))
  if (hasBegun)
    return {
      status: 'broken',
      error: make('MODEL_ANSWER_BROKEN', `The connection to ${place} broke in the middle of the answer.`),
    }
  const { code: deepest, message } = deepestOf(thrown)
  if (isHeaderFault(message)) {
    const error = make(
      'MODEL_KEY_REFUSED',
      'The key, or another header, holds what no header may hold.',
      'Set the key anew: it is one line without blanks.',
    )
    return { status: 'refused', error }
  }
  const why = deepest === '' ? message : deepest
  return {
    status: 'unavailable',
    error: make(
      'MODEL_UNAVAILABLE',
      `${place} cannot be reached: ${why}.`,
      'See that the server runs, and that the address is the right one.',
    ),
  }
}

interface Signs {
  readonly headers: HeaderSource | undefined
  readonly code: string | undefined
}

function signsOf(headers: unknown, code: unknown, type: unknown): Signs {
  return {
    headers: headers instanceof Headers ? headers : undefined,
    code: typeof code === 'string' ? code : typeof type === 'string' ? type : undefined,
  }
}

function refusedBy(
  thrown: Error,
  status: number,
  { place, model }: Circumstances,
  make: (code: ModelErrorCode, message: string, hint?: string, httpStatus?: number) => ModelError,
  { headers, code }: Signs,
): FailedAttempt {
  const trouble = troubleOf({ httpStatus: status, headers, code })
  const said = clip(thrown.message)
  const rest = headers === undefined ? {} : { headers }
  if (status === 401 || status === 403) {
    const hint = 'Set OPENAI_API_KEY, or apiKey, to a key of this server.'
    return {
      status: trouble,
      error: make('MODEL_KEY_REFUSED', `${place} refuses the key: ${said}`, hint, status),
      ...rest,
    }
  }
  if (status === 429) {
    const hint = trouble === 'refused' ? 'No waiting helps here: see what the account may use.' : undefined
    return {
      status: trouble,
      error: make('MODEL_RATE_LIMITED', `${place} takes no more calls now: ${said}`, hint, status),
      ...rest,
    }
  }
  if (trouble === 'unavailable')
    return { status: trouble, error: make('MODEL_UNAVAILABLE', `${place} failed: ${said}`, undefined, status), ...rest }
  if (status >= 300 && status < 400) {
    const message = `${place} sends the request on to ${originOf(headers?.get('location'))}; no request is sent on.`
    const hint = 'Name the address that it leads to, if you trust it.'
    return { status: trouble, error: make('MODEL_REQUEST_REFUSED', message, hint, status), ...rest }
  }
  const message = `${place} refuses the request: ${said}`
  if (isTooLong(code, said)) {
    const hint = 'Give it less: fewer tools, shorter inputs, or a model with a larger context.'
    return { status: trouble, error: make('MODEL_CONTEXT_TOO_LONG', message, hint, status), ...rest }
  }
  const hint =
    status === 404 ? `See that the server has the model "${model}", and that the address is the right one.` : undefined
  return { status: trouble, error: make('MODEL_REQUEST_REFUSED', message, hint, status), ...rest }
}

/** In the words of OpenAI, llama.cpp, vLLM and others. */
function isTooLong(code: string | undefined, why: string): boolean {
  return (
    code === 'context_length_exceeded' ||
    /maximum context length|context (?:length|size|window)|exceeds? the (?:available )?context|prompt is too long/i.test(
      why,
    )
  )
}

/** Where an address leads to, without what may be secret in it. */
function originOf(location: string | null | undefined): string {
  return location != null && URL.canParse(location) ? new URL(location).origin : 'another address'
}

function clip(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}…`
}

function isHeaderFault(message: string): boolean {
  return /invalid (?:header|value)|header value|ByteString/i.test(message)
}

/** What lay beneath, which says most: "fetch failed" says nothing. */
function deepestOf(thrown: unknown): { readonly code: string; readonly message: string } {
  let found = { code: '', message: String(thrown) }
  let at = thrown
  for (let depth = 0; depth < 10 && at instanceof Error; depth++) {
    const code = 'code' in at ? textIn(at.code) : ''
    found = { code: code === '' ? found.code : code, message: at.message === '' ? found.message : at.message }
    at = at.cause ?? (at instanceof AggregateError ? (at.errors as readonly unknown[])[0] : undefined)
  }
  return found
}
