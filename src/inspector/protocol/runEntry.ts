// What one event of a run changed: one entry of the run's record as clients get it.
//
// E1. An entry has the number of its event in the journal, so that it means the same to every client and after every restart.
// E2. It holds what changed and nothing else: its size grows with the change, never with the plan.
// E3. Values (inputs, outputs, facts) are not in it. They are asked for when somebody looks at them.
import { z } from 'zod'

const number = z.int().min(0)
const name = z.string()

export const stepStatusSchema = z.enum([
  'waiting',
  'ready',
  'held',
  'running',
  'backing_off',
  'succeeded',
  'failed',
  'skipped',
  'abandoned',
  'cancelled',
  'uncertain',
])

export const runStateSchema = z.enum([
  'planning',
  'approving',
  'dispatching',
  'awaiting',
  'replanning',
  'paused',
  'stopping',
  'completed',
  'failed',
  'cancelled',
])

/** A step as a drawing of the plan needs it. */
export const stepOutlineSchema = z.strictObject({
  id: name,
  title: z.string().optional(),
  /** The tool that carries it out; absent for a sub-goal and for an instruction. */
  tool: name.optional(),
  /** A sub-goal or an instruction, in words. */
  words: z.string().optional(),
  /** The role of its executor. */
  role: name,
  /** Steps that it waits for, each once. */
  needs: z.array(name).optional(),
  /** It is carried out once for each item of a list. */
  forEach: z.literal(true).optional(),
  /** The list has got its items: it waits for so many children, `id[0]` and on. */
  expanded: number.optional(),
  /** A person or program has to approve it. */
  approval: z.literal(true).optional(),
  why: z.string().optional(),
})

/** How far a step has come; it takes the place of what was said of it before. */
export const stepChangeSchema = z.strictObject({
  id: name,
  status: stepStatusSchema,
  attempt: number.optional(),
  startedAt: number.optional(),
  endedAt: number.optional(),
  /** Why it failed. */
  code: name.optional(),
  message: z.string().optional(),
  /** The step that this comes from. */
  causedBy: name.optional(),
  subRunId: name.optional(),
  /** Nothing ran: the output is that of another run's step. */
  reused: z.literal(true).optional(),
})

export const outlineOperationSchema = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('insert'), step: stepOutlineSchema, before: name.optional() }),
  z.strictObject({ op: z.literal('remove'), id: name }),
  z.strictObject({ op: z.literal('replace'), step: stepOutlineSchema }),
  z.strictObject({ op: z.literal('reorder'), ids: z.array(name), before: name.optional() }),
  z.strictObject({ op: z.literal('rewire'), id: name, from: name, to: name.nullable() }),
  z.strictObject({ op: z.literal('abandon'), id: name, because: z.string() }),
  z.strictObject({ op: z.literal('assume'), id: name, statement: z.string() }),
  z.strictObject({ op: z.literal('unassume'), id: name }),
  z.strictObject({ op: z.literal('regoal'), goal: z.string() }),
])

const becauseSchema = z.strictObject({ type: name, text: z.string(), steps: z.array(name).optional() })

/** A revision of the plan, as what made it. */
export const revisionSchema = z.strictObject({
  revision: z.int().min(1),
  /** `whole`: a plan that has none before it; its operations insert every step. `streamed`: one more step of a plan that is being
   * written. `patch`: what turned the revision before into this one. */
  kind: z.enum(['whole', 'streamed', 'patch']),
  by: z.string(),
  because: becauseSchema,
  operations: z.array(outlineOperationSchema),
})

export const factChangeSchema = z.strictObject({
  key: name,
  /** Absent where it is not known any more. */
  by: name.optional(),
  /** Its value in a few characters. */
  preview: z.string().optional(),
})

export const usedSchema = z.strictObject({
  tokens: z.number(),
  cost: z.number(),
  plannerCalls: number,
  replans: number,
})

export const outcomeSchema = z.strictObject({
  status: z.enum(['completed', 'failed', 'cancelled']),
  reason: name,
  message: z.string(),
})

/** What a run was begun with. */
export const runOriginSchema = z.strictObject({
  goal: z.string(),
  planner: name,
  labels: z.record(z.string(), z.string()).optional(),
  parent: z.strictObject({ runId: name, stepId: name }).optional(),
  forkedFrom: z.strictObject({ runId: name, n: number }).optional(),
})

export const runEntrySchema = z.strictObject({
  n: number,
  /** ms since the epoch. */
  at: number,
  /** Type of the event, as in the journal. */
  type: name,
  /** With the first entry. */
  origin: runOriginSchema.optional(),
  /** The person who said it. */
  by: z.string().optional(),
  /** The step that it is about, and which attempt. */
  step: name.optional(),
  attempt: number.optional(),
  /** What it says, in one line. */
  text: z.string().optional(),
  /** The coordinator's state, where it is another one than before. */
  state: runStateSchema.optional(),
  steps: z.array(stepChangeSchema).optional(),
  revisions: z.array(revisionSchema).optional(),
  facts: z.array(factChangeSchema).optional(),
  /** Where it is other than before. */
  used: usedSchema.optional(),
  outcome: outcomeSchema.optional(),
  /** It was refused, or came too late: why. */
  refused: z.string().optional(),
})

export type StepStatusName = z.infer<typeof stepStatusSchema>
export type StepOutline = z.infer<typeof stepOutlineSchema>
export type StepChange = z.infer<typeof stepChangeSchema>
export type OutlineOperation = z.infer<typeof outlineOperationSchema>
export type RevisionMade = z.infer<typeof revisionSchema>
export type UsedSoFar = z.infer<typeof usedSchema>
export type RunEntry = z.infer<typeof runEntrySchema>
