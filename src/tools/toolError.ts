// The error that a tool throws to say exactly what went wrong.
import { PlanloomError, type PlanloomErrorDetails } from '../errors.ts'

export interface ToolErrorDetails extends PlanloomErrorDetails {
  /** False: trying the same again cannot help, so no retry is spent on it. @default true */
  readonly retryable?: boolean
  /** True: it may have had its effect, and the tool cannot tell. Of a tool that is not idempotent the step is `uncertain` then, and
   * not tried again by itself. @default false */
  readonly uncertain?: boolean
}

/** What a tool throws to give its failure a code that planners and people can tell apart. Anything else that is thrown
 * becomes `TOOL_FAILED`.
 *
 * @example
 * import { ToolError } from 'planloom/tools'
 * const error = new ToolError('FILE_MISSING', '"a.csv" is not there.', { retryable: false, hint: 'Check the path.' })
 * error.retryable // false
 */
export class ToolError extends PlanloomError {
  override readonly name = 'ToolError'
  readonly retryable: boolean
  readonly uncertain: boolean

  constructor(
    code: string,
    message: string,
    { retryable = true, uncertain = false, ...details }: ToolErrorDetails = {},
  ) {
    super(code, message, details)
    this.retryable = retryable
    this.uncertain = uncertain
  }
}
