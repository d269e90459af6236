// What a run that nobody has would say to a request: found out by whoever asks, so that they hear of it at once.
//
// Q1. A request is refused only where it could not be taken whatever comes before it: such a run takes its requests before all
//     else, in their order, so that only requests that wait already can still change what it says.
import { isOpen, type RunCommand, type RunRequest } from '../journal/requests.ts'
import type { Journal } from '../journal/journal.ts'
import { findRefusal, type Command, type Refusal } from '../machines/decisions/refusal.ts'
import { CommandRefusedError } from './commandRefused.ts'
import { standingOf } from './readRun.ts'

/** Asks the record of a run, which no process has, whether a command can be taken when the run is gone on with.
 *
 * What cannot be read is left for whoever goes on with the run to say.
 *
 * @throws `COMMAND_REFUSED`, as the method of the run would throw
 */
export async function checkRequest(journal: Journal, runId: string, command: RunCommand): Promise<void> {
  const waiting: RunRequest[] = []
  for await (const request of journal.requests?.(runId) ?? []) if (isOpen(request)) waiting.push(request)
  const refusal = await refusalIn(journal, runId, command)
  if (refusal === undefined || mayChange(refusal, waiting)) return
  throw new CommandRefusedError(runId, refusal, 'stepId' in command ? command.stepId : undefined)
}

async function refusalIn(journal: Journal, runId: string, command: RunCommand): Promise<Refusal | undefined> {
  try {
    const { context } = await standingOf(journal, runId)
    return findRefusal(context, { ...command, unattended: true } as unknown as Command)
  } catch {
    return undefined
  }
}

/** Q1 */
function mayChange({ reason }: Refusal, waiting: readonly RunRequest[]): boolean {
  return reason === 'step_unknown' ? waiting.some(({ command }) => bringingSteps.has(command.type)) : waiting.length > 0
}

/** An edit or an amendment brings steps, and so does a list that is answered, or goes on after a pause. */
const bringingSteps: ReadonlySet<RunCommand['type']> = new Set([
  'run.edit',
  'run.approve',
  'run.resume',
  'step.answered',
])
