// The frames of the protocol, each a JSON text message. Clients say `hello` first, and then what they want to be told.
//
// F1. Numbers of a topic only grow. A frame of entries covers a range [from, to): whatever is not in it within that range was left
//     out by the client's own filter. `to` is all that a client has to remember.
// F2. After a reconnect a client subscribes from the number that it has come to, also where the server has been started anew: numbers
//     of a run are those of its journal. Where the server has not come so far, it begins with a snapshot.
import { z } from 'zod'
import { runEntrySchema } from './runEntry.ts'
import { runSnapshotSchema } from './runSnapshot.ts'

const number = z.int().min(0)
const id = z.int().min(0)
const runId = z.string().min(1).max(200)

/** What can be followed. */
const topicSchema = z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('run'), runId })])

// ---- From clients ----

const helloSchema = z.strictObject({
  type: z.literal('hello'),
  version: z.int(),
  /** For the server's own lists: a name and version of the client. */
  client: z.string().max(100).optional(),
})

const subscribeSchema = z.strictObject({
  type: z.literal('subscribe'),
  /** Chosen by the client; answers carry it. */
  id,
  topic: topicSchema,
  /** The first number that is wanted. Absent: a snapshot of how things stand, and what follows it. */
  from: number.optional(),
  /** Types of events that are wanted; all where absent. */
  types: z.array(z.string().max(100)).max(100).optional(),
})

const unsubscribeSchema = z.strictObject({ type: z.literal('unsubscribe'), id })

const getSchema = z.strictObject({
  type: z.literal('get'),
  id,
  runId,
  what: z.discriminatedUnion('kind', [
    /** Entries [from, to), as many as fit one answer. */
    z.strictObject({ kind: z.literal('entries'), from: number, to: number }),
    /** The event itself, with all its values. */
    z.strictObject({ kind: z.literal('event'), n: number }),
    /** A step of the current revision, with its input and output. */
    z.strictObject({ kind: z.literal('step'), stepId: z.string().max(1_000) }),
    /** What the run waits for people for. */
    z.strictObject({ kind: z.literal('questions') }),
  ]),
})

export const clientFrameSchema = z.discriminatedUnion('type', [
  helloSchema,
  subscribeSchema,
  unsubscribeSchema,
  getSchema,
])

// ---- From the server ----

const welcomeSchema = z.strictObject({
  type: z.literal('welcome'),
  version: z.int(),
  /** Another one after each start of the server. */
  epoch: z.string(),
  /** No controls are taken. */
  readOnly: z.boolean(),
})

const snapshotSchema = z.strictObject({
  type: z.literal('snapshot'),
  id,
  /** What follows begins with this number. */
  next: number,
  data: z.strictObject({ run: runSnapshotSchema }),
})

const entriesSchema = z.strictObject({
  type: z.literal('entries'),
  id,
  from: number,
  to: number,
  entries: z.array(runEntrySchema),
})

export const problemSchema = z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() })

const answerSchema = z.strictObject({
  type: z.literal('answer'),
  id,
  /** JSON, by what was asked for. */
  value: z.unknown().optional(),
  error: problemSchema.optional(),
})

/** Nothing more comes for a subscription. */
const endedSchema = z.strictObject({
  type: z.literal('ended'),
  id,
  error: problemSchema.optional(),
})

export const serverFrameSchema = z.discriminatedUnion('type', [
  welcomeSchema,
  snapshotSchema,
  entriesSchema,
  answerSchema,
  endedSchema,
])

/** Reasons for which the server closes a connection (WebSocket close codes of its own, beside those of the standard). */
export const closeCodes = {
  /** The first frame was no `hello`, or none came in time. */
  noHello: 4400,
  unauthorized: 4401,
  /** Another version of the protocol. */
  version: 4406,
  tooManyRequests: 4429,
  /** Frames that are no frames of the protocol. */
  malformed: 4422,
} as const

export type ClientFrame = z.infer<typeof clientFrameSchema>
export type ServerFrame = z.infer<typeof serverFrameSchema>
export type Problem = z.infer<typeof problemSchema>
