// What the coordinator holds and hears.
//
// What it says are commands, and they are part of what it holds (`held.commands`, the outbox of the last event): under
// `transition()` they come with the next state as data, and live its host delivers them. The chart knows no other actor.
// All it holds stands under one key, since XState copies the keys of its context at every action.
import { initialContext, type CoordinatorContext } from './coordinator.context.ts'
import type { CoordinatorMessage, RunStarted } from './coordinator.messages.ts'
import type { Outcome } from './reports.messages.ts'
import { setup } from './xstate.ts'

export interface Holding {
  readonly held: CoordinatorContext
}

export const coordinatorSetup = setup({
  types: {
    context: {} as Holding,
    events: {} as CoordinatorMessage,
    input: {} as RunStarted,
    output: {} as Outcome,
  },
})

export function contextOf({ input }: { readonly input: RunStarted }): Holding {
  return { held: initialContext(input) }
}

export function outcomeOf({ context }: { readonly context: Holding }): Outcome {
  if (context.held.outcome === undefined) throw new Error('The coordinator has no outcome before it is over.')
  return context.held.outcome
}
