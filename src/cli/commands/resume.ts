// `planloom resume`: goes on with a run whose process has ended.
import { PlanloomError, type ResumeOptions } from '../../runtime/index.ts'
import { runMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'
import { carryOut, type RunOptions } from './run.ts'

export interface ResumeCommandOptions extends Omit<RunOptions, 'overwrite'> {
  readonly journal: string
  /** Go on although tools or planner are not those that the run had. */
  readonly acceptChanges?: boolean
}

/** @param run its id or the beginning of it; the latest one that is not over where none is named */
export async function resume(
  file: string,
  run: string | undefined,
  options: ResumeCommandOptions,
  output: Output,
): Promise<number> {
  const { acceptChanges, ...running } = options
  const runId = await withJournal(options.journal, (journal) => {
    if (run !== undefined) return runMeant(journal, run).runId
    // Sub-runs are gone on with by the runs that began them.
    const open = journal.runs().find(({ reason, parentRunId }) => reason === undefined && parentRunId === undefined)
    if (open !== undefined) return open.runId
    throw new PlanloomError('RUN_UNKNOWN', `"${options.journal}" holds no run that is not over.`, {
      hint: 'planloom runs lists those that there are.',
      where: { path: options.journal },
    })
  })
  const { uncertain } = options
  const resuming: ResumeOptions = { ...(acceptChanges && { changes: 'accept' }), ...(uncertain && { uncertain }) }
  return carryOut(file, running, output, (runtime) => runtime.resume(runId, resuming))
}
