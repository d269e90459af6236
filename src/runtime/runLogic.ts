// A run as an actor in somebody else's XState machine: invoked or spawned like any other.
//
// A1. A run that fails is done, with an outcome that says so. The actor is in error only when the run cannot be started, or
//     when it was live in a machine that was persisted and is restored (`RUN_NOT_RESTORED`): to start it again by itself
//     would do over what it had done.
// A2. A command that the run refuses is told to the parent (`run.refused`) and stands in the snapshot; it harms neither.
// A3. Stopping the actor cancels the run.
// A4. Where the run is left unfinished, the actor is in error with that (`RUN_LEFT`).
import { PlanloomError } from '../errors.ts'
import type { Outcome } from '../machines/reports.messages.ts'
import type { ActorLogic, ActorScope, AnyActorSystem, Snapshot } from '../machines/xstate.ts'
import type { Goal, Plan } from '../plan/schema.ts'
import type { Run } from './run.ts'
import { command, type RunActorEvent, type RunRefused } from './runActorEvents.ts'
import type { Runtime, StartOptions } from './runtime.ts'

export interface RunActorInput extends StartOptions {
  readonly goal: string | Goal | Plan
}

/** What the actor of a run shows of itself. Persisted, it keeps the outcome, the error and the id of the run. */
export type RunActorSnapshot = Snapshot<Outcome> & {
  readonly context: {
    /** The run; undefined until the actor is started. */
    readonly run: Run | undefined
    readonly runId: string | undefined
    /** The command that was refused last; undefined again when the next one is taken. */
    readonly refused: RunRefused | undefined
    /** Undefined in an actor that was restored. */
    readonly input: RunActorInput | undefined
  }
}

type Heard =
  | RunActorEvent
  | { readonly type: 'run.begun'; readonly run: Run }
  | { readonly type: 'run.over'; readonly outcome: Outcome }
  | { readonly type: 'run.left'; readonly error: unknown }
  | { readonly type: 'xstate.stop' }
type Scope = ActorScope<RunActorSnapshot, Heard, AnyActorSystem, RunRefused>

/** Makes actor logic from a runtime: its input is a goal or plan (and the options of a start), its output the outcome of the run.
 *
 * A run that fails is done, with an outcome that says so; the actor is in error only when the run cannot be started (an
 * invalid plan). Stopping the actor cancels the run. It takes the commands of a run as events (`run.pause`, `step.retry`, …);
 * one that the run refuses is told to the parent as `run.refused`, and stands in `snapshot.context.refused`.
 *
 * A machine that is persisted while the run is live and restored gets the error `RUN_NOT_RESTORED` from this actor: the run is
 * not started again by itself.
 *
 * @example
 * import { createRuntime, runLogic } from 'planloom'
 * const runtime = createRuntime()
 * const logic = runLogic(runtime) // setup({ actors: { audit: logic } }) … invoke: { src: 'audit', input: { goal: '…' } }
 * await runtime.close()
 */
export function runLogic(
  runtime: Runtime,
): ActorLogic<RunActorSnapshot, RunActorEvent, RunActorInput, AnyActorSystem, RunRefused> {
  const logic: ActorLogic<RunActorSnapshot, Heard, RunActorInput, AnyActorSystem, RunRefused> = {
    getInitialSnapshot: (_scope, input) => active({ run: undefined, runId: undefined, refused: undefined, input }),
    getPersistedSnapshot: persisted,
    restoreSnapshot: restored,
    start: ({ context: { input, runId } }, { self }) => {
      if (input === undefined) throw notRestored(runId)
      const { goal, ...options } = input
      const run = runtime.start(goal, options)
      self.send({ type: 'run.begun', run }) // heard before the actor has started: its snapshot is never without
      const tell = (end: Extract<Heard, { type: 'run.over' | 'run.left' }>): void => {
        if (self.getSnapshot().status === 'active') self.send(end)
      }
      run.result.then(
        (outcome) => {
          tell({ type: 'run.over', outcome })
        },
        (error: unknown) => {
          tell({ type: 'run.left', error })
        },
      )
    },
    transition: (snapshot, event, scope) => {
      if (event.type === 'run.begun') return active({ ...snapshot.context, run: event.run, runId: event.run.id })
      if (event.type === 'run.over') return { ...snapshot, status: 'done', output: event.outcome, error: undefined }
      if (event.type === 'run.left') return { ...snapshot, status: 'error', output: undefined, error: event.error }
      if (event.type !== 'xstate.stop') return take(snapshot, event, scope)
      // XState stops an actor with an event of its own.
      snapshot.context.run?.cancel('its actor was stopped')
      return { ...snapshot, status: 'stopped', output: undefined, error: undefined }
    },
  }
  // What it tells itself is nobody else's to send.
  return logic as unknown as ReturnType<typeof runLogic>
}

function take(snapshot: RunActorSnapshot, event: RunActorEvent, scope: Scope): RunActorSnapshot {
  const { run, refused } = snapshot.context
  if (run === undefined) return snapshot
  try {
    command(run, event)
    return refused === undefined ? snapshot : active({ ...snapshot.context, refused: undefined })
  } catch (error) {
    const { self, emit } = scope
    const said: RunRefused = { type: 'run.refused', actorId: self.id, runId: run.id, command: event, error }
    emit(said)
    self._parent?.send(said)
    return active({ ...snapshot.context, refused: said })
  }
}

function active(context: RunActorSnapshot['context']): RunActorSnapshot {
  return { status: 'active', output: undefined, error: undefined, context }
}

/** Only what can be written down: a run, its planner and its signal cannot. */
function persisted({ status, output, error, context: { runId } }: RunActorSnapshot): Snapshot<unknown> {
  return { status, output, error, context: { runId } } as Snapshot<unknown>
}

function restored(snapshot: Snapshot<unknown>): RunActorSnapshot {
  const { context } = snapshot as { readonly context?: { readonly runId?: string } }
  return {
    ...(snapshot as Snapshot<Outcome>),
    context: { run: undefined, runId: context?.runId, refused: undefined, input: undefined },
  }
}

function notRestored(runId: string | undefined): PlanloomError {
  return new PlanloomError(
    'RUN_NOT_RESTORED',
    `Run "${runId ?? '?'}" was live when its machine was persisted, and does not go on in the machine that was restored.`,
    {
      hint: 'Handle the error of this actor (onError): look at what the journal of the run says was done, and start a new run of what is left.',
      ...(runId !== undefined && { where: { runId } }),
    },
  )
}
