// `planloom resume`: goes on with a run whose process has ended.
import type { ResumeOptions, SqliteJournal } from '../../runtime/index.ts'
import { openRunMeant, withJournal } from '../journals.ts'
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
  const { acceptChanges: _accept, ...running } = options
  const { runId, plannerBefore } = await withJournal(options.journal, (journal) => {
    const meant = openRunMeant(journal, run)
    return { runId: meant.runId, plannerBefore: plannerOf(journal, meant.runId) }
  })
  const going = { ...running, ...(plannerBefore !== undefined && { plannerBefore }) }
  return carryOut(file, going, output, (runtime) => runtime.resume(runId, resuming(options)))
}

/** How runs are gone on with, as the command line says. */
export function resuming({ acceptChanges, uncertain }: ResumeCommandOptions): ResumeOptions {
  return { ...(acceptChanges && { changes: 'accept' }), ...(uncertain && { uncertain }) }
}

function plannerOf(journal: SqliteJournal, runId: string): string | undefined {
  for (const event of journal.read(runId)) return event.type === 'run.started' ? event.planner : undefined
  return undefined
}
