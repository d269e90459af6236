// Behaviours: what does the work behind a chart. Plain functions of a mailbox, so that they need nothing of XState.
//
// B1. A behaviour never throws: what the code that it runs throws, it says as a message. (XState runs no cleanup for an
//     actor whose listener has thrown.)
// B2. After its cleanup it says nothing any more.
import type { CoordinatorMessage, Draft } from './coordinator.messages.ts'
import type { ActorRef, Snapshot } from './xstate.ts'

/** What an executor says while it works. It goes straight to the host, costs no chart an event, and may be lost. */
export interface StepProgressed {
  readonly type: 'step.progressed'
  readonly stepId: string
  readonly attempt: number
  readonly done?: number
  readonly total?: number
  readonly text?: string
  /** A piece of what a model is writing, to be put behind the pieces before. */
  readonly delta?: string
  /** A line for the log of the step. */
  readonly log?: string
  /** Set when there is nothing to say but "still alive". */
  readonly heartbeat?: true
}

/** What the actors of a run tell their host: messages for the coordinator, to which it gives id and time, and progress. */
export type HostMessage = Draft<CoordinatorMessage> | StepProgressed

export type HostRef = ActorRef<Snapshot<unknown>, HostMessage>

/** A behaviour's way to hear and to speak. */
export interface Mailbox<Received, Replied> {
  /** Id of the actor that the behaviour works for. */
  readonly id: string
  /** Whoever listens gets each message once, in order. */
  readonly receive: (listener: (message: Received) => void) => void
  /** Says something to the chart in front. */
  readonly reply: (message: Replied) => void
  /** Says something to the host of the run, past the charts: what costs no chart an event. */
  readonly report: (message: HostMessage) => void
}

/** @returns what to do when the actor is stopped. */
export type Behaviour<Received, Replied> = (mailbox: Mailbox<Received, Replied>) => () => void
