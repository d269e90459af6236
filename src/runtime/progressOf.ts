// How far a run has come, for lists of runs.
import type { RunProgress } from '../journal/journal.ts'
import { usedIn, type CoordinatorContext } from '../machines/coordinator.context.ts'
import type { RunState } from './run.ts'

export function progressOf(state: RunState, context: CoordinatorContext): RunProgress {
  const { counts, plan, outcome, lostEnd } = context
  return {
    state,
    ...(outcome && { reason: outcome.reason }),
    counts: outcome?.counts ?? counts,
    used: usedIn(context),
    revision: plan?.revision ?? 0,
    ...(lostEnd?.after !== undefined && { lostAfter: lostEnd.after }),
  }
}
