// The outcome of a run whose own machinery broke or was stopped: rare, and never silent.
import { PlanloomError } from '../errors.ts'
import { usedIn, type CoordinatorContext } from '../machines/coordinator.context.ts'
import type { RunStarted } from '../machines/coordinator.messages.ts'
import type { Outcome } from '../machines/reports.messages.ts'
import { countSteps } from '../machines/decisions/close.ts'

export function crashOutcome(
  run: RunStarted,
  context: CoordinatorContext | undefined,
  what: string,
  error?: unknown,
  hint?: string,
): Outcome {
  const why = error === undefined ? '' : `: ${error instanceof Error ? error.message : JSON.stringify(error)}`
  const message = `${what}${why}`
  return {
    status: error === undefined ? 'cancelled' : 'failed',
    reason: error === undefined ? 'cancelled' : 'internal_error',
    message,
    ...(error !== undefined && {
      failure: {
        code: 'RUN_CRASHED',
        message: `Run "${run.runId}": ${message}`,
        hint: hint ?? 'This is a defect of Planloom: please report it with the journal of the run.',
        retryable: false,
        ...(error instanceof Error && error.stack !== undefined && { cause: error.stack }),
      },
    }),
    counts: context === undefined ? {} : countSteps(context),
    usage: context ? usedIn(context) : { tokens: 0, cost: 0, plannerCalls: 0, replans: 0, timeMs: 0 },
    revision: context?.plan?.revision ?? 0,
  }
}

/** The outcome of a run whose journal could not be written. */
export function unrecordedOutcome(run: RunStarted, context: CoordinatorContext | undefined, error: unknown): Outcome {
  const hint =
    (error instanceof PlanloomError ? error.hint : undefined) ??
    'Look at what the journal writes to (a full disk, a missing permission); what it holds can be replayed.'
  return crashOutcome(run, context, 'The journal could not be written', error, hint)
}
