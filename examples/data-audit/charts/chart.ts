// Charts as data: what the report draws. Small, whatever the size of the table.
import { z } from 'zod'

export const chartSchema = z.discriminatedUnion('kind', [
  /** How many values lie in each of equally wide bins between two ends. */
  z.strictObject({
    kind: z.literal('histogram'),
    table: z.string(),
    column: z.string(),
    from: z.union([z.number(), z.string()]),
    to: z.union([z.number(), z.string()]),
    bins: z.array(z.int()),
  }),
  /** The commonest values, and how many others there are. */
  z.strictObject({
    kind: z.literal('bars'),
    table: z.string(),
    column: z.string(),
    bars: z.array(z.strictObject({ label: z.string(), count: z.int() })),
    others: z.int(),
  }),
  /** The mean of a column over time. */
  z.strictObject({
    kind: z.literal('series'),
    table: z.string(),
    over: z.string(),
    column: z.string(),
    from: z.string(),
    to: z.string(),
    /** From 0 (`from`) to 1 (`to`), and the mean there. */
    points: z.array(z.tuple([z.number(), z.number()])),
  }),
  /** Where the rows lie on the earth: counts in the cells of a grid. */
  z.strictObject({
    kind: z.literal('places'),
    table: z.string(),
    west: z.number(),
    south: z.number(),
    east: z.number(),
    north: z.number(),
    columns: z.int(),
    rows: z.int(),
    /** Column, row (from the north-west) and count. */
    cells: z.array(z.tuple([z.int(), z.int(), z.int()])),
  }),
])
export type Chart = z.infer<typeof chartSchema>
