// `planloom fork`: a new run goes on from a moment of another one, with something changed.
import { PlanloomError, readRun, type ForkOptions, type SqliteJournal } from '../../runtime/index.ts'
import type { Json } from '../../plan/index.ts'
import { refuseFixed } from '../fixedOptions.ts'
import { runMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'
import { editOf } from './edit.ts'
import { carryOut, limitsOf, type RunOptions } from './run.ts'

/** An event by its number, or the one with which the planner was first asked to amend the plan. */
export type Moment = number | 'first-replan'

export interface ForkCommandOptions extends Omit<RunOptions, 'overwrite'> {
  readonly journal: string
  readonly at: Moment
  /** Facts that hold from then on. */
  readonly report?: ReadonlyMap<string, Json>
  readonly withdraw?: readonly string[]
  /** What steps gave, by id. */
  readonly output?: ReadonlyMap<string, Json>
  /** How steps failed, by id. */
  readonly fail?: ReadonlyMap<string, string>
  /** File with a patch, or with the plan as it is to be. */
  readonly patch?: string
  readonly by?: string
}

/** @param file with the tools and planner that the fork goes on with */
export async function fork(
  file: string,
  run: string | undefined,
  options: ForkCommandOptions,
  output: Output,
): Promise<number> {
  refuseFixed('fork', options)
  const { at: moment, report, withdraw, output: outputs, fail, patch, by, ...running } = options
  const { runId, at, operations } = await withJournal(options.journal, async (journal) => {
    const { runId: found } = runMeant(journal, run)
    const event = moment === 'first-replan' ? await firstReplan(journal, found) : moment
    const edited = patch === undefined ? undefined : await editOf(patch, journal, found, event)
    return { runId: found, at: event, operations: edited?.operations }
  })
  const limits = limitsOf(options)
  const changes: ForkOptions = {
    ...(report && { facts: Object.fromEntries(report) }),
    ...(withdraw && { withdrawn: withdraw }),
    ...((outputs ?? fail) && { outcomes: outcomesOf(outputs, fail) }),
    ...(operations && { operations }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(options.uncertain && { uncertain: options.uncertain }),
    ...(by !== undefined && { by }),
  }
  return carryOut(file, running, output, async (runtime) => {
    const run = await runtime.fork(runId, at, changes)
    output.note([`${run.id} is forked from ${runId}, after event ${at}`])
    return { run }
  })
}

/** The event with which a run first came to be replanned. @throws `USAGE` where it never was */
async function firstReplan(journal: SqliteJournal, runId: string): Promise<number> {
  const { transitions } = await readRun(journal, runId)
  const found = transitions.find(({ state }) => state === 'replanning')
  if (found !== undefined) return found.n
  throw new PlanloomError('USAGE', `Run "${runId}" was never replanned.`, {
    hint: 'Give the number of an event; planloom events lists them.',
    where: { runId },
  })
}

function outcomesOf(
  outputs: ReadonlyMap<string, Json> = new Map(),
  fail: ReadonlyMap<string, string> = new Map(),
): NonNullable<ForkOptions['outcomes']> {
  const named: [string, NonNullable<ForkOptions['outcomes']>[string]][] = []
  for (const [id, value] of outputs) named.push([id, { output: value }])
  for (const [id, failure] of fail) named.push([id, { failure }])
  return Object.fromEntries(named)
}
