// `planloom resume`: goes on with a run whose process has ended.
import { PlanloomError, type ResumeOptions, type SqliteJournal } from '../../runtime/index.ts'
import { refuseFixed } from '../fixedOptions.ts'
import { openRunMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'
import { endedRequests, tellRequests } from '../requestsTold.ts'
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
  refuseFixed('resume', options)
  const { acceptChanges: _accept, ...running } = options
  const { journal: path } = options
  const { runId, plannerBefore, before } = await withJournal(path, (journal) => {
    const { runId } = openRunMeant(journal, run)
    return { runId, plannerBefore: plannerOf(journal, runId), before: endedRequests(journal, runId) }
  })
  const going = { ...running, ...peopleFor(options, output), ...(plannerBefore !== undefined && { plannerBefore }) }
  return carryOut(file, going, output, async (runtime) => {
    const resumed = await runtime.resume(runId, resuming(options)).catch(inWordsOfTheCommand)
    return { run: resumed, requests: await tellRequests(resumed, { journal: path, before }, output) }
  })
}

/** How runs are gone on with, as the command line says. */
export function resuming({ acceptChanges, uncertain }: ResumeCommandOptions): ResumeOptions {
  return { ...(acceptChanges && { changes: 'accept' }), ...(uncertain && { uncertain }) }
}

/** Who calls the command gives options to it, and not to `resume()`. */
function inWordsOfTheCommand(error: unknown): never {
  if (!(error instanceof PlanloomError) || error.code !== 'RUN_CHANGED') throw error
  const { code, message, where } = error
  const hint = 'Bring back what it began with, or go on all the same: --accept-changes.'
  throw new PlanloomError(code, message, { hint, where, cause: error })
}

/** What a run waits for is not thrown away because nobody is at this terminal: it goes on waiting in its journal. */
export function peopleFor(
  { people }: Pick<RunOptions, 'people'>,
  { streams: { stdin, stderr } }: Output,
): Pick<RunOptions, 'people'> {
  if (people !== undefined) return { people }
  return stdin.isTTY && stderr.isTTY === true ? {} : { people: 'journal' }
}

function plannerOf(journal: SqliteJournal, runId: string): string | undefined {
  for (const event of journal.read(runId)) return event.type === 'run.started' ? event.planner : undefined
  return undefined
}
