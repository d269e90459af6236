// The coordinator's chart, stepped without an actor: events in, the next state out.
//
// C1. What it comes to is what `transition()` gives; that makes an actor for each event, this one for all of them.
import type { CoordinatorContext } from './coordinator.context.ts'
import { coordinator } from './coordinator.machine.ts'
import type { CoordinatorMessage, RunStarted } from './coordinator.messages.ts'
import { createActor, type Actor, type ActorLogic, type AnyActorRef, type Snapshot } from './xstate.ts'

type CoordinatorSnapshot = ReturnType<typeof coordinator.transition>
type CoordinatorScope = Parameters<typeof coordinator.transition>[2]

export type CoordinatorState = CoordinatorSnapshot['value']

/** Where a coordinator stands: all that it takes to go on from there. */
export interface CoordinatorStanding {
  readonly state: CoordinatorState
  readonly context: CoordinatorContext
}

export class CoordinatorFold implements CoordinatorStanding {
  readonly #scope: CoordinatorScope
  #snapshot: CoordinatorSnapshot

  /** @param from the run's start, or where its coordinator stood at some event */
  constructor(from: RunStarted | CoordinatorStanding) {
    this.#scope = idleScope()
    this.#snapshot = 'context' in from ? snapshotOf(from) : coordinator.getInitialSnapshot(this.#scope, from)
  }

  get state(): CoordinatorState {
    return this.#snapshot.value
  }

  get context(): CoordinatorContext {
    return this.#snapshot.context.held
  }

  take(event: CoordinatorMessage): void {
    this.#snapshot = coordinator.transition(this.#snapshot, event, this.#scope)
  }

  /** An actor of the chart, not started yet, that goes on from here. */
  actor(parent: AnyActorRef): Actor<typeof coordinator> {
    const snapshot = this.#snapshot
    // XState would walk through all that the context holds, to revive actors in it; there are none.
    const logic = Object.create(coordinator, { getInitialSnapshot: { value: () => snapshot } }) as typeof coordinator
    return createActor(logic, { id: 'coordinator', parent, input: snapshot.context.held.run })
  }
}

let scopeOfPreviews: CoordinatorScope | undefined

/** Whether the run would be over with this event. Nothing changes by asking. */
export function wouldEnd(snapshot: CoordinatorSnapshot, event: CoordinatorMessage): boolean {
  scopeOfPreviews ??= idleScope()
  return coordinator.transition(snapshot, event, scopeOfPreviews).context.held.outcome !== undefined
}

function snapshotOf({ state, context }: CoordinatorStanding): CoordinatorSnapshot {
  const { outcome } = context
  return coordinator.resolveState({
    value: state,
    context: { held: context },
    ...(outcome !== undefined && { status: 'done' as const, output: outcome }),
  })
}

/** The scope of an actor that is never started: nothing that a chart does in it reaches anybody. */
function idleScope(): CoordinatorScope {
  const idle: Snapshot<undefined> = { status: 'active', output: undefined, error: undefined }
  let scope: CoordinatorScope | undefined
  const logic: ActorLogic<Snapshot<undefined>, CoordinatorMessage, undefined> = {
    getInitialSnapshot: (own) => {
      scope = own as unknown as CoordinatorScope
      return idle
    },
    transition: (snapshot) => snapshot,
    getPersistedSnapshot: (snapshot) => snapshot,
  }
  createActor(logic)
  if (scope === undefined) throw new Error('XState has made an actor without its first snapshot.')
  return scope
}
