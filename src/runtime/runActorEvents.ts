// What an XState machine may send to a run, and what the run tells it: the commands of a run as events.
import type { RunCommand } from '../journal/requests.ts'
import type { Run } from './run.ts'

/** What may be sent to the actor of a run: the commands of a run, named as the coordinator hears them. */
export type RunActorEvent = RunCommand & { readonly by?: string }

/** What the actor of a run tells its parent, and whoever listens with `on('run.refused', …)`: it could not do as it was told,
 * and nothing has changed. */
export interface RunRefused {
  readonly type: 'run.refused'
  /** The actor's id in the parent. */
  readonly actorId: string
  readonly runId: string
  readonly command: RunActorEvent
  /** With `code` (`COMMAND_REFUSED`, `RUN_OVER`, `PLAN_INVALID`, `ANSWER_INVALID`, …), message and hint. */
  readonly error: unknown
}

/** Gives a run a command, which may be a request of the journal. @throws as the method of the run. */
export function command(run: Run, event: RunActorEvent & { readonly request?: number }): void {
  switch (event.type) {
    case 'run.approve':
      run.approve(event)
      break
    case 'run.reject':
      run.reject(event.because, event)
      break
    case 'run.edit':
      run.edit(event.operations, event)
      break
    case 'run.pause':
      run.pause(event)
      break
    case 'run.resume':
      run.resume(event)
      break
    case 'run.cancel':
      run.cancel(event.because, event)
      break
    case 'step.retry':
      run.retry(event.stepId, event)
      break
    case 'step.skip':
      run.skip(event.stepId, event)
      break
    case 'step.answered':
      run.answer(event.stepId, event.value, event)
      break
    case 'fact.reported':
      run.report(event.key, event.value, event)
      break
    case 'budget.extend':
      run.extend(event.limits, event)
      break
  }
}
