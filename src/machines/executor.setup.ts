// What an executor holds and hears, and the actor that does its work.
import { behaviourLogic, type BehaviourInput } from './behaviour.ts'
import type { HostRef } from './behaviour.messages.ts'
import type { StepAbort, StepExecute } from './command.messages.ts'
import type { AttemptSettled, ExecutorBehaviour, ExecutorMessage } from './executor.messages.ts'
import { setup, type ActorRef, type Snapshot } from './xstate.ts'

export interface ExecutorInput {
  readonly id: string
  readonly behaviour: ExecutorBehaviour
  readonly host: HostRef
  /** Who is told that an attempt is over. */
  readonly pool: ActorRef<Snapshot<unknown>, AttemptSettled>
}

export interface ExecutorContext extends ExecutorInput {
  /** The attempt in hand; in `idle`, the last one. */
  readonly attempt: { readonly stepId: string; readonly attempt: number } | undefined
}

export const executorSetup = setup({
  types: {
    context: {} as ExecutorContext,
    events: {} as ExecutorMessage,
    input: {} as ExecutorInput,
  },
  actors: { behaviour: behaviourLogic<StepExecute | StepAbort, AttemptSettled>() },
})

export function contextOf({ input }: { readonly input: ExecutorInput }): ExecutorContext {
  return { ...input, attempt: undefined }
}

export function behaviourInputOf({
  context: { id, behaviour, host },
}: {
  readonly context: ExecutorContext
}): BehaviourInput<StepExecute | StepAbort, AttemptSettled> {
  return { id, behaviour, host }
}
