// How a run stands after some entry, to be sent: what its view is made of.
import { z } from 'zod'
import {
  factChangeSchema,
  outcomeSchema,
  revisionSchema,
  runOriginSchema,
  runStateSchema,
  stepChangeSchema,
  stepOutlineSchema,
  usedSchema,
} from './runEntry.ts'

const number = z.int().min(0)

export const planOutlineSchema = z.strictObject({
  /** 0 while there is no plan. */
  revision: number,
  /** In priority order. */
  steps: z.array(stepOutlineSchema),
  assumptions: z.array(z.strictObject({ id: z.string(), statement: z.string() })),
  /** Where a patch has changed it: in place of that which the run was begun with. */
  goal: z.string().optional(),
})

export const revisionViewSchema = revisionSchema.omit({ operations: true }).extend({
  /** The entry that brought it. */
  n: number,
  at: number,
  /** How many operations of each kind. */
  counts: z.record(z.string(), number),
})

export const factViewSchema = factChangeSchema.required().extend({ n: number, at: number })

export const runSnapshotSchema = z.strictObject({
  face: z.strictObject({
    next: number,
    origin: runOriginSchema.optional(),
    startedAt: number,
    at: number,
    state: runStateSchema,
    outcome: outcomeSchema.optional(),
    used: usedSchema,
    plan: planOutlineSchema,
    revisions: z.array(revisionViewSchema),
  }),
  steps: z.array(stepChangeSchema),
  facts: z.array(factViewSchema),
})

export type PlanOutline = z.infer<typeof planOutlineSchema>
export type RevisionView = z.infer<typeof revisionViewSchema>
export type FactView = z.infer<typeof factViewSchema>
export type RunSnapshot = z.infer<typeof runSnapshotSchema>
