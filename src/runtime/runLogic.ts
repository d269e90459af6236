// A run as an actor in somebody else's XState machine: invoked or spawned like any other.
import type { Outcome } from '../machines/coordinator.messages.ts'
import type { ActorLogic, Snapshot } from '../machines/xstate.ts'
import type { Goal, Plan } from '../plan/schema.ts'
import { CommandRefusedError } from './commandRefused.ts'
import type { Run } from './run.ts'
import type { Runtime, StartOptions } from './runtime.ts'

export interface RunActorInput extends StartOptions {
  readonly goal: string | Goal | Plan
}

/** What may be sent to the actor while it runs. */
export type RunActorEvent =
  | { readonly type: 'run.cancel'; readonly because?: string }
  | { readonly type: 'run.pause' }
  | { readonly type: 'run.resume' }
  | { readonly type: 'run.approve'; readonly stepId?: string }
  | { readonly type: 'run.reject'; readonly because: string }

type RunSnapshot = Snapshot<Outcome> & {
  readonly context: { readonly run: Run | undefined; readonly input: RunActorInput }
}
type Settled = { readonly type: 'run.over'; readonly outcome: Outcome }

/** Makes actor logic from a runtime: its input is a goal or plan, its output the outcome of the run.
 *
 * A run that fails is done, with an outcome that says so; the actor is in error only when the run cannot be started (an
 * invalid plan). Stopping the actor cancels the run.
 *
 * @example
 * import { createRuntime, runLogic } from 'planloom'
 * const runtime = createRuntime()
 * const logic = runLogic(runtime) // setup({ actors: { audit: logic } }) … invoke: { src: 'audit', input: { goal: '…' } }
 * await runtime.close()
 */
export function runLogic(runtime: Runtime): ActorLogic<RunSnapshot, RunActorEvent | Settled, RunActorInput> {
  const runs = new WeakMap<object, Run>()
  return {
    getInitialSnapshot: (_scope, input) => ({
      status: 'active',
      output: undefined,
      error: undefined,
      context: { run: undefined, input },
    }),
    getPersistedSnapshot: ({ context: _context, ...rest }) => rest,
    start: ({ context: { input } }, { self }) => {
      const { goal, ...options } = input
      const run = runtime.start(goal, options)
      runs.set(self, run)
      void run.result.then((outcome) => {
        if (self.getSnapshot().status === 'active') self.send({ type: 'run.over', outcome })
      })
    },
    transition: (snapshot, event, { self }) => {
      const run = runs.get(self)
      // XState stops an actor with an event of its own.
      if ((event as { readonly type: string }).type === 'xstate.stop') {
        run?.cancel('its actor was stopped')
        return { ...snapshot, status: 'stopped', output: undefined, error: undefined }
      }
      if (event.type === 'run.over') return { ...snapshot, status: 'done', output: event.outcome, error: undefined }
      if (run?.outcome !== undefined) return snapshot // what comes between the end and its telling is too late
      if (run !== undefined) tell(run, event)
      return snapshot
    },
  }
}

/** An event that does not fit the state of the run changes nothing, as with any actor. */
function tell(run: Run, event: RunActorEvent): void {
  try {
    switch (event.type) {
      case 'run.cancel':
        run.cancel(event.because)
        break
      case 'run.pause':
        run.pause()
        break
      case 'run.resume':
        run.resume()
        break
      case 'run.approve':
        run.approve(event)
        break
      case 'run.reject':
        run.reject(event.because)
        break
    }
  } catch (error) {
    if (!(error instanceof CommandRefusedError)) throw error
  }
}
