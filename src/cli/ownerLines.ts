// Who has a run that is not over: a process, or nobody since the one that had it has ended.
import type { RunSummary, SqliteJournal } from '../runtime/index.ts'
import type { Colours } from './colours.ts'
import { printable } from './escape.ts'
import { resumeCommand } from './left.ts'

export type RunOwner = NonNullable<ReturnType<SqliteJournal['ownerOf']>>

/** For programs: `owner` is null where nobody has the run. Of a run that is over there is nothing to say. */
export function ownership({ reason }: RunSummary, owner: RunOwner | undefined): { readonly owner?: object | null } {
  if (reason !== undefined) return {}
  return { owner: owner === undefined ? null : { pid: owner.pid, host: owner.host } }
}

/** How a run that is not over stands, and with whom. */
export function standingLines(
  { runId, state = '', parentRunId }: RunSummary,
  {
    owner,
    journal,
    colours,
  }: { readonly owner: RunOwner | undefined; readonly journal: string; readonly colours: Colours },
): string[] {
  if (owner !== undefined) return [`It is ${state}: process ${owner.pid} on ${printable(owner.host)} has it.`]
  const goOn = resumeCommand(undefined, { journal })(parentRunId ?? runId)
  const whose = parentRunId === undefined ? 'Go on with it:' : 'It is gone on with by the run that began it:'
  return [`${colours.yellow('‖')} It was left ${state}: no process has it. ${whose}`, `  ${printable(goOn)}`]
}

/** Of a run whose end was lost: what follows from it. */
export function lossLines({ lostAfter }: RunSummary, colours: Colours): string[] {
  if (lostAfter === undefined) return []
  return [
    `${colours.yellow('!')} Its end was lost after event ${lostAfter}: steps may have been carried out of which it says nothing.`,
    '  Those with effects that must not happen twice are uncertain when their turn comes.',
  ]
}
