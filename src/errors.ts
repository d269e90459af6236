// The base of every error that Planloom throws on purpose: made for a person to read and a program to compare.

/** Where it happened; only what is known. */
export interface ErrorPlace {
  readonly runId?: string
  readonly stepId?: string
  /** JSON Pointer (RFC 6901) into the value at fault, or a file path. */
  readonly path?: string
}

export interface PlanloomErrorDetails {
  /** The next thing to do. */
  readonly hint?: string | undefined
  readonly where?: ErrorPlace | undefined
  readonly cause?: unknown
}

/** An error with a stable `code`. Compare codes, not classes: two copies of the package have two classes.
 *
 * @example
 * import { PlanloomError } from 'planloom'
 * const error = new PlanloomError('TOOL_UNKNOWN', 'Step "a" asks for the tool "fly".', { hint: 'Register it first.' })
 * error.code // 'TOOL_UNKNOWN'
 */
export class PlanloomError extends Error {
  override readonly name: string = 'PlanloomError'
  readonly code: string
  readonly hint: string | undefined
  readonly where: ErrorPlace

  constructor(code: string, message: string, details: PlanloomErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.hint = details.hint
    this.where = details.where ?? {}
  }
}
