// A relation between two columns, with the evidence for it.
import { z } from 'zod'

const sideSchema = z.strictObject({
  table: z.string(),
  column: z.string(),
  /** Different values. */
  distinct: z.int(),
  /** Share of them that is found on the other side, 0 to 1. */
  found: z.number(),
  /** Every value once. */
  unique: z.boolean(),
  /** Some values that the other side lacks. */
  missing: z.array(z.string()),
})

export const joinSchema = z.strictObject({
  /** The side whose values are found in the other: of a key, the one that refers to it. */
  left: sideSchema,
  right: sideSchema,
  kind: z.enum(['text', 'integer', 'date']),
  shared: z.int(),
  examples: z.array(z.string()),
  cardinality: z.enum(['1:1', 'n:1', '1:n', 'n:m']),
  /** How alike the names of columns and tables are, 0 to 1. */
  names: z.number(),
  /** log10 of the probability that as many values agree by accident; 0 where the agreement says nothing. */
  chance: z.number(),
  strength: z.enum(['strong', 'likely', 'weak']),
  because: z.string(),
})
export type Join = z.infer<typeof joinSchema>
