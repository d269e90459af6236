// Whatever a tool threw, as a failure of the attempt.
import type { Failure } from '../machines/reports.messages.ts'
import { clip, failureFrom } from '../plan/thrownValue.ts'

/** Makes a failure of what was thrown. An error with `code`, `hint` and `where` (as `ToolError` has) keeps them;
 * any other is `TOOL_FAILED`, and worth another attempt.
 *
 * @param signal fired: the failure is `ABORTED`, whatever was thrown because of that.
 * @example
 * thrownFailure('boom', 'fetch', new AbortController().signal).message // 'Tool "fetch" threw "boom".'
 */
export function thrownFailure(thrown: unknown, tool: string, signal: AbortSignal): Failure {
  const failure = failureFrom(thrown, { code: 'TOOL_FAILED', who: `Tool "${tool}"` })
  if (!signal.aborted) return failure
  return {
    code: 'ABORTED',
    message: clip(`Tool "${tool}" was stopped: ${reasonOf(signal)}`),
    retryable: false,
    cause: clip(`${failure.code}: ${failure.message}`),
  }
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : 'its signal fired.'
}
