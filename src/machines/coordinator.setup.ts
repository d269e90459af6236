// What the coordinator holds, hears and says.
//
// It says commands by emitting them: under `transition()` they come back as data beside the next state, and live its
// host listens and delivers them. The chart knows no other actor.
import { initialContext, type CoordinatorContext } from './coordinator.context.ts'
import type { CoordinatorCommand, CoordinatorMessage, Outcome, RunStarted } from './coordinator.messages.ts'
import { setup } from './xstate.ts'

export const coordinatorSetup = setup({
  types: {
    context: {} as CoordinatorContext,
    events: {} as CoordinatorMessage,
    emitted: {} as CoordinatorCommand,
    input: {} as RunStarted,
    output: {} as Outcome,
  },
})

export function contextOf({ input }: { readonly input: RunStarted }): CoordinatorContext {
  return initialContext(input)
}

export function outcomeOf({ context }: { readonly context: CoordinatorContext }): Outcome {
  if (context.outcome === undefined) throw new Error('The coordinator has no outcome before it is over.')
  return context.outcome
}
