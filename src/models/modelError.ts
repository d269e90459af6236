// Errors of a language model's server, with what the call has used all the same.
import { PlanloomError } from '../errors.ts'
import type { ModelUsage } from './model.ts'
import { noUsage } from '../machines/modelUsage.messages.ts'

export type ModelErrorCode =
  | 'MODEL_CALL_TIMEOUT'
  | 'MODEL_UNAVAILABLE'
  | 'MODEL_RATE_LIMITED'
  | 'MODEL_REQUEST_REFUSED'
  | 'MODEL_TOOLS_REFUSED'
  | 'MODEL_CONTEXT_TOO_LONG'
  | 'MODEL_KEY_REFUSED'
  | 'MODEL_ANSWER_BROKEN'

export interface ModelErrorDetails {
  readonly hint?: string | undefined
  readonly cause?: unknown
  readonly usage?: ModelUsage
  readonly httpStatus?: number | undefined
}

/** The same request would be answered the same way again. */
const final: ReadonlySet<ModelErrorCode> = new Set<ModelErrorCode>([
  'MODEL_REQUEST_REFUSED',
  'MODEL_TOOLS_REFUSED',
  'MODEL_CONTEXT_TOO_LONG',
  'MODEL_KEY_REFUSED',
])

/** A call that was not answered. Compare its `code`.
 *
 * @example
 * import { ModelError } from 'planloom'
 * const error = new ModelError('MODEL_UNAVAILABLE', 'The server at http://localhost:1234/v1 cannot be reached.')
 * error.usage.tokens // 0
 */
export class ModelError extends PlanloomError {
  override readonly name: string = 'ModelError'
  declare readonly code: ModelErrorCode
  /** What the call has used before it failed. */
  readonly usage: ModelUsage
  /** Of the server's answer, where one came. */
  readonly httpStatus: number | undefined
  /** The same request may be answered another time. */
  readonly retryable: boolean

  constructor(
    code: ModelErrorCode,
    message: string,
    { usage = noUsage, httpStatus, ...details }: ModelErrorDetails = {},
  ) {
    super(code, message, details)
    this.usage = usage
    this.httpStatus = httpStatus
    this.retryable = !final.has(code)
  }
}
