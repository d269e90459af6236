// XState, through one file of ours: its next version is one file's work.
import type { AnyActorRef } from 'xstate'
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

/** XState has this type, and does not export it. */
export type AnyActorSystem = AnyActorRef['system']
