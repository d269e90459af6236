// What the command's exit code says to a script.
import { PlanloomError } from '../errors.ts'
import type { Outcome } from '../runtime/index.ts'

/** `left`: the run is not over, and can be gone on with (EX_TEMPFAIL of sysexits: try again). */
export const exitCodes = { done: 0, failed: 1, usage: 2, invalidPlan: 3, left: 75, cancelled: 130 } as const

/** Errors that lie in how the command was called: what was asked for cannot even be begun. */
const usageCodes: ReadonlySet<string> = new Set([
  'USAGE',
  'FILE_UNREADABLE',
  'FILE_UNWRITABLE',
  'FILE_EXISTS',
  'MODULE_UNUSABLE',
  'TOOL_DUPLICATE',
  'JOURNAL_FORMAT',
  'JOURNAL_BROKEN',
  'JOURNAL_UNKNOWN',
  'JOURNAL_EXISTS',
  'JOURNAL_NEWER',
  'JOURNAL_UNOPENED',
  'EVENT_UNKNOWN',
  'FORK_REFUSED',
  'RUN_UNKNOWN',
  'RUN_AMBIGUOUS',
  'RUN_EXISTS',
  'RUN_OWNED',
  'RUN_CHANGED',
  'MODEL_MISSING',
  'MODEL_OPTIONS_INVALID',
  'CASSETTE_MISSING',
  'CASSETTE_DAMAGED',
  'CASSETTE_NEWER',
])
const invalidCodes: ReadonlySet<string> = new Set(['PLAN_INVALID', 'GOAL_INVALID', 'PLAN_SYNTAX', 'DOCUMENT_INVALID'])

export function exitCodeOfError(error: unknown): number {
  if (!(error instanceof PlanloomError)) return exitCodes.failed
  if (error.code === 'RUN_TAKEN_OVER') return exitCodes.left // the run goes on elsewhere
  if (usageCodes.has(error.code)) return exitCodes.usage
  return invalidCodes.has(error.code) ? exitCodes.invalidPlan : exitCodes.failed
}

export function exitCodeOfOutcome({ status, reason }: Outcome): number {
  switch (status) {
    case 'completed':
      return exitCodes.done
    case 'cancelled':
      return exitCodes.cancelled
    case 'failed':
      return reason === 'invalid_plan' ? exitCodes.invalidPlan : exitCodes.failed
  }
}
