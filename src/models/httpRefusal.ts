// What a server's answer with a status of 300 and more means.
import type { Circumstances, FailedAttempt, MakeError } from './failedAttempt.ts'
import { isLimitTooLarge, isTooLong } from './refusals.ts'
import { troubleOf, type HeaderSource } from './server/attempt.ts'

export interface Refusal {
  readonly status: number
  readonly said: string
  /** `code` or `type` in its body, as providers name it. */
  readonly code: string | undefined
  readonly headers: HeaderSource | undefined
}

export function httpRefusal(refusal: Refusal, circumstances: Circumstances, make: MakeError): FailedAttempt {
  const { place } = circumstances.settings
  const { status, code, headers, said: whole } = refusal
  const said = clip(whole)
  const failed = (...details: Parameters<MakeError>): FailedAttempt => ({
    status: trouble,
    error: make(details[0], details[1], details[2], status),
    ...(headers !== undefined && { headers }),
  })
  // A server that stumbles over the way in which it was asked would stumble again: it is not down.
  const isRefused = status >= 500 && circumstances.isRefusal(whole)
  const trouble = isRefused ? 'refused' : troubleOf({ httpStatus: status, headers, code })
  if (status === 401 || status === 403)
    return failed(
      'MODEL_KEY_REFUSED',
      `${place} refuses the key: ${said}`,
      'Set OPENAI_API_KEY, or apiKey, to a key of this server.',
    )
  if (status === 429)
    return failed(
      'MODEL_RATE_LIMITED',
      `${place} takes no more calls now: ${said}`,
      trouble === 'refused' ? 'No waiting helps here: see what the account may use.' : undefined,
    )
  if (trouble === 'unavailable') return failed('MODEL_UNAVAILABLE', `${place} failed: ${said}`)
  if (status >= 300 && status < 400)
    return failed(
      'MODEL_REQUEST_REFUSED',
      `${place} sends the request on to ${originOf(headers?.get('location'))}; no request is sent on.`,
      'Name the address that it leads to, if you trust it.',
    )
  if (code === 'tool_use_failed') {
    // What the model wrote as a call could not be read as one: another answer may do.
    const error = make('MODEL_ANSWER_BROKEN', `${place} could not read a call of the model: ${said}`, undefined, status)
    return { status: 'broken', error }
  }
  const message = `${place} refuses the request: ${said}`
  if (isTooLong(code, whole))
    return failed(
      'MODEL_CONTEXT_TOO_LONG',
      message,
      'Give it less: fewer tools, shorter inputs, or a model with a larger context.',
    )
  return failed('MODEL_REQUEST_REFUSED', message, hintFor(refusal, circumstances))
}

function hintFor({ status, said }: Refusal, { settings: { api, model } }: Circumstances): string | undefined {
  if (isLimitTooLarge(said)) return 'Set maxTokens to what the model can answer at most.'
  if (status !== 404) return undefined
  const hint = `See that the server has the model "${model}", and that the address is the right one.`
  return api === 'responses' ? `${hint} Many servers have no Responses API: set api to 'chat'.` : hint
}

/** Where an address leads to, without what may be secret in it. */
function originOf(location: string | null | undefined): string {
  return location != null && URL.canParse(location) ? new URL(location).origin : 'another address'
}

function clip(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}…`
}
