// The actor that runs a behaviour: one long-lived callback actor, never a new one for each piece of work.
import type { Behaviour, HostRef } from './behaviour.messages.ts'
import { fromCallback, type CallbackActorLogic } from './xstate.ts'

export interface BehaviourInput<Received, Replied> {
  /** Id of the actor that the behaviour works for. */
  readonly id: string
  readonly behaviour: Behaviour<Received, Replied>
  readonly host: HostRef
}

/** Makes the logic of an actor that runs the behaviour in its input; what it replies goes to the actor's parent. */
export function behaviourLogic<
  Received extends { readonly type: string },
  Replied extends { readonly type: string },
>(): CallbackActorLogic<Received, BehaviourInput<Received, Replied>> {
  return fromCallback<Received, BehaviourInput<Received, Replied>>(({ input, receive, sendBack }) => {
    const { id, behaviour, host } = input
    return behaviour({
      id,
      receive,
      reply: sendBack,
      report: (message) => {
        host.send(message)
      },
    })
  })
}
