// XState, through one file of ours: its next version is one file's work.
export {
  assertEvent,
  assign,
  createActor,
  enqueueActions,
  fromCallback,
  initialTransition,
  sendTo,
  setup,
  transition,
} from 'xstate'
export type {
  Actor,
  ActorLogic,
  ActorRef,
  ActorRefFrom,
  ActorScope,
  AnyActorLogic,
  AnyActorRef,
  AnyEventObject,
  CallbackActorLogic,
  InspectionEvent,
  NonReducibleUnknown,
  Snapshot,
  SnapshotFrom,
} from 'xstate'
