// What a failed attempt at a model's server means: in words for people, with a code, and whether another attempt may do.
import type { Circumstances, FailedAttempt, MakeError } from './failedAttempt.ts'
import { httpRefusal } from './httpRefusal.ts'
import { ModelError } from './modelError.ts'
import { redactedError } from './redact.ts'
import type { HeaderSource } from './server/attempt.ts'
import { TooManyBytes } from './wire/answerBytes.ts'
import { AnswerFault, ReportedFault, recordOf, textIn } from './wire/gathered.ts'

export function explainFailure(thrown: unknown, circumstances: Circumstances): FailedAttempt {
  const { settings, hasBegun, hasSaid, isRefusal, silentMs, usage } = circumstances
  const { place, redact } = settings
  const cause = redactedError(thrown, redact)
  const make: MakeError = (code, message, hint, httpStatus) =>
    new ModelError(code, redact(message), { hint, cause, usage, httpStatus })
  if (silentMs !== undefined) return silent(circumstances, silentMs, make)
  if (thrown instanceof TooManyBytes)
    return broken(make, `The answer of ${place} is ${thrown.message}.`, 'Ask for less, or raise maxBytes.')
  if (thrown instanceof ReportedFault && !hasSaid) {
    // As if it had said so at once: nothing has been told of an answer, and so nothing is told twice.
    const status = thrown.httpStatus ?? (isRefusal(thrown.said) ? 400 : undefined)
    if (status !== undefined)
      return httpRefusal({ status, said: thrown.said, code: undefined, headers: undefined }, circumstances, make)
  }
  if (thrown instanceof AnswerFault)
    return broken(
      make,
      `The answer of ${place} cannot be read: ${thrown.message}.`,
      thrown instanceof ReportedFault
        ? undefined
        : 'See that the address is that of an OpenAI-compatible API: it often ends in /v1.',
    )
  const { status, headers, code, type } = recordOf(thrown)
  if (typeof status === 'number') {
    const said = thrown instanceof Error ? thrown.message : ''
    return httpRefusal({ status, said, code: textOr(code, type), headers: headersIn(headers) }, circumstances, make)
  }
  if (hasBegun) return broken(make, `The connection to ${place} broke in the middle of the answer.`)
  return unreached(thrown, place, make)
}

function silent({ settings: { place }, hasBegun }: Circumstances, silentMs: number, make: MakeError): FailedAttempt {
  const when = hasBegun ? 'in the middle of its answer' : 'before any answer'
  const error = make(
    hasBegun ? 'MODEL_ANSWER_BROKEN' : 'MODEL_UNAVAILABLE',
    `${place} was silent for ${silentMs} ms ${when}.`,
    'Raise timeoutMs where the model needs longer.',
  )
  return { status: hasBegun ? 'broken' : 'unavailable', error }
}

function broken(make: MakeError, message: string, hint?: string): FailedAttempt {
  return { status: 'broken', error: make('MODEL_ANSWER_BROKEN', message, hint) }
}

function unreached(thrown: unknown, place: string, make: MakeError): FailedAttempt {
  const { code, message } = deepestCause(thrown)
  if (isHeaderFault(message)) {
    const error = make(
      'MODEL_KEY_REFUSED',
      'The key, or another header, holds what no header may hold.',
      'Set the key anew: it is one line without blanks.',
    )
    return { status: 'refused', error }
  }
  const error = make(
    'MODEL_UNAVAILABLE',
    `${place} cannot be reached: ${code === '' ? message : code}.`,
    'See that the server runs, and that the address is the right one.',
  )
  return { status: 'unavailable', error }
}

function headersIn(headers: unknown): HeaderSource | undefined {
  return headers instanceof Headers ? headers : undefined
}

function textOr(code: unknown, type: unknown): string | undefined {
  return typeof code === 'string' ? code : typeof type === 'string' ? type : undefined
}

function isHeaderFault(message: string): boolean {
  return /invalid (?:header|value)|header value|ByteString/i.test(message)
}

/** What lay beneath, which says most: "fetch failed" says nothing. */
function deepestCause(thrown: unknown): { readonly code: string; readonly message: string } {
  let found = { code: '', message: String(thrown) }
  let at = thrown
  for (let depth = 0; depth < 10 && at instanceof Error; depth++) {
    const code = 'code' in at ? textIn(at.code) : ''
    found = { code: code === '' ? found.code : code, message: at.message === '' ? found.message : at.message }
    at = at.cause ?? (at instanceof AggregateError ? (at.errors as readonly unknown[])[0] : undefined)
  }
  return found
}
