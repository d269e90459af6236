// Going on with every run of a journal that is not over and that nobody has: what a service does when it starts.
//
// A1. A run that cannot be gone on with keeps no other from it: each is told of with its reason.
// A2. Sub-runs are left to the runs that began them.
import type { Journal, RunSummary } from '../journal/journal.ts'
import type { Run } from './run.ts'
import type { ResumeAllOptions, ResumedRuns, ResumeOptions, RunLeft } from './runtime.ts'

export interface ResumeAllMeans {
  readonly journal: Journal
  readonly isLive: (runId: string) => boolean
  readonly resume: (runId: string, options: ResumeOptions) => Promise<Run>
}

export async function resumeAll(options: ResumeAllOptions, means: ResumeAllMeans): Promise<ResumedRuns> {
  const { labels, goal, since, planner, ...rest } = options
  const filter = {
    ...(labels && { labels }),
    ...(goal !== undefined && { goal }),
    ...(since !== undefined && { since }),
  }
  const open: RunSummary[] = []
  for await (const run of means.journal.runs(filter)) {
    if (run.events > 0 && run.reason === undefined && run.parentRunId === undefined && !means.isLive(run.runId))
      open.push(run)
  }
  const resumed: Run[] = []
  const owned: RunLeft[] = []
  const failed: RunLeft[] = []
  for (const summary of open.reverse()) {
    const { runId } = summary
    const own = typeof planner === 'function' ? planner(summary) : planner
    try {
      resumed.push(await means.resume(runId, { ...rest, ...(own && { planner: own }) }))
    } catch (error) {
      const left = { runId, goal: summary.goal, error }
      const isOwned = (error as { readonly code?: unknown } | null)?.code === 'RUN_OWNED'
      if (isOwned) owned.push(left)
      else failed.push(left)
    }
  }
  return { resumed, owned, failed }
}
