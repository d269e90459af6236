// Lists of runs for journals that have no database to ask.
import type { RunFilter, RunSummary } from './journal.ts'

/** The runs that fit all that the filter says, newest first. */
export function filterRuns(runs: readonly RunSummary[], filter: RunFilter = {}): readonly RunSummary[] {
  const fitting = runs.filter((run) => fits(run, filter))
  return fitting.sort((a, b) => b.startedAt - a.startedAt).slice(0, filter.limit)
}

function fits(run: RunSummary, { idPrefix, state, goal, since, until, labels }: RunFilter): boolean {
  if (idPrefix !== undefined && !run.runId.startsWith(idPrefix)) return false
  if (state !== undefined && !(run.state !== undefined && [state].flat().includes(run.state))) return false
  if (goal !== undefined && !run.goal.toLowerCase().includes(goal.toLowerCase())) return false
  if (since !== undefined && run.startedAt < since) return false
  if (until !== undefined && run.startedAt >= until) return false
  return Object.entries(labels ?? {}).every(([name, value]) => run.labels?.[name] === value)
}
