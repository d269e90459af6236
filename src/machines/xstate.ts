// XState, through one file of ours: its next version is one file's work.
export { assertEvent, createActor, fromCallback, initialTransition, setup, transition } from 'xstate'
export type {
  Actor,
  ActorLogic,
  ActorRef,
  ActorRefFrom,
  ActorScope,
  AnyActorRef,
  CallbackActorLogic,
  Snapshot,
} from 'xstate'
