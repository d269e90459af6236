// What somebody asks of a run that they do not have: kept in its journal, and answered by the process that has the run.
//
// I1. A request comes to one end: it becomes one event of the run, which names it, or it is refused with a reason.
// I2. Requests of a run are taken in the order of their numbers. Of a run that nobody has they wait, and come before all else
//     when it is gone on with.
// I3. Of a run that is over none is kept, and with the end of a run all that are open are refused (`RUN_OVER`).
import { PlanloomError } from '../errors.ts'
import type { Outcome } from '../machines/reports.messages.ts'
import type { RunLimits } from '../machines/settings.messages.ts'
import type { Json } from '../plan/json.ts'
import type { Operation } from '../plan/schema.ts'

/** The commands of a run, named as the coordinator hears them. */
export type RunCommand =
  | { readonly type: 'run.approve'; readonly stepId?: string }
  | { readonly type: 'run.reject'; readonly because: string; readonly stepId?: string }
  | { readonly type: 'run.edit'; readonly operations: readonly Operation[]; readonly because?: string }
  | { readonly type: 'run.pause' }
  | { readonly type: 'run.resume' }
  | { readonly type: 'run.cancel'; readonly because?: string }
  | { readonly type: 'step.retry'; readonly stepId: string }
  | { readonly type: 'step.skip'; readonly stepId: string; readonly because?: string }
  | { readonly type: 'step.answered'; readonly stepId: string; readonly value: Json; readonly question?: number }
  | { readonly type: 'fact.reported'; readonly key: string; readonly value: Json }
  | { readonly type: 'budget.extend'; readonly limits: Partial<RunLimits> }

/** Why a request was refused: what the method of the run would have thrown. */
export interface RequestRefusal {
  readonly code: string
  readonly message: string
  readonly hint?: string
  /** For programs, with `COMMAND_REFUSED`; with what would be possible instead. */
  readonly reason?: string
  readonly possible?: readonly string[]
  /** What is wrong with a plan as it would be edited. */
  readonly findings?: readonly Json[]
}

export interface RunRequest {
  /** Only grows, within a journal. */
  readonly number: number
  readonly runId: string
  /** When it was asked for; the event that it becomes has its own time. */
  readonly at: number
  readonly by?: string
  readonly command: RunCommand
  /** Number of the event that it became. */
  readonly seq?: number
  readonly refused?: RequestRefusal
}

/** Whether a request has come to no end yet (I1). */
export function isOpen({ seq, refused }: Pick<RunRequest, 'seq' | 'refused'>): boolean {
  return seq === undefined && refused === undefined
}

/** What a run that is over says to a command.
 *
 * @param end how it ended, where that is known
 */
export function runOver(
  runId: string,
  { type }: { readonly type: string },
  end?: Pick<Outcome, 'status' | 'reason'>,
): PlanloomError {
  const how = end === undefined ? '' : ` (${end.status}, ${end.reason})`
  const message = `Run "${runId}" is over${how}: "${type}" came too late.`
  return new PlanloomError('RUN_OVER', message, { hint: startAnew, where: { runId } })
}

/** What the end of a run says to requests that are still open. */
export function overRefusal(runId: string): RequestRefusal {
  return { code: 'RUN_OVER', message: `Run "${runId}" is over: the request came too late.`, hint: startAnew }
}

const startAnew = 'Start a new run with what it left (its plan, facts and outputs can still be read).'
