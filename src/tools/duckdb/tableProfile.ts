// What is known of a table's columns after a look at every row. Numbers only: no row leaves the database.
import { z } from 'zod'

const scalar = z.union([z.string(), z.number()])

export const columnKinds = [
  'boolean',
  'integer',
  'number',
  'text',
  'date',
  'timestamp',
  'time',
  'mixed',
  'nested',
  'other',
] as const
export type ColumnKind = (typeof columnKinds)[number]

export const columnProfileSchema = z.strictObject({
  name: z.string(),
  /** DuckDB's name of the type. */
  type: z.string(),
  /** `mixed`: JSON values of several types. `nested`: lists and structs. */
  kind: z.enum(columnKinds),
  /** Values that are there; the others are `nulls`. */
  values: z.int().min(0),
  nulls: z.int().min(0),
  /** Different values, nulls not counted. */
  distinct: z.int().min(0),
  min: scalar.optional(),
  max: scalar.optional(),
  mean: z.number().optional(),
  /** Standard deviation of the sample. */
  deviation: z.number().optional(),
  /** At 5, 25, 50, 75 and 95 %. */
  quantiles: z.array(scalar).optional(),
  negatives: z.int().optional(),
  zeros: z.int().optional(),
  text: z
    .strictObject({
      shortest: z.int(),
      longest: z.int(),
      meanLength: z.number(),
      empty: z.int(),
      /** With blanks before or after. */
      padded: z.int(),
      /** Values that read as a number. */
      numbers: z.int(),
      /** Values that read as a date, and the format (strptime) that reads most of them. */
      dates: z.int(),
      dateFormat: z.string().optional(),
      earliest: z.string().optional(),
      latest: z.string().optional(),
      /** Shapes of the values, commonest first: `A` capitals, `a` small letters, `9` digits. */
      patterns: z.array(z.strictObject({ pattern: z.string(), count: z.int(), example: z.string() })),
    })
    .optional(),
  /** For `mixed`: how many values of each JSON type. */
  jsonTypes: z.array(z.strictObject({ type: z.string(), count: z.int() })).optional(),
  /** Commonest values first. */
  top: z.array(z.strictObject({ value: z.string(), count: z.int() })),
})

export const tableProfileSchema = z.strictObject({
  table: z.string(),
  rows: z.int().min(0),
  /** Set where the numbers come from a sample: rows of the whole table. */
  sampledFrom: z.int().optional(),
  columns: z.array(columnProfileSchema),
})

export type ColumnProfile = z.infer<typeof columnProfileSchema>
export type TableProfile = z.infer<typeof tableProfileSchema>

/** @example kindOf('DECIMAL(18,3)') // 'number' */
export function kindOf(type: string): ColumnKind {
  if (/[[{(]/.test(type.replace(/^DECIMAL\(\d+,\d+\)$/, ''))) return type.startsWith('ENUM') ? 'text' : 'nested'
  if (type === 'BOOLEAN') return 'boolean'
  if (type.endsWith('INT') || type === 'INTEGER' || type === 'UINTEGER') return 'integer'
  if (type === 'DOUBLE' || type === 'FLOAT' || type.startsWith('DECIMAL')) return 'number'
  if (type === 'VARCHAR' || type === 'UUID') return 'text'
  if (type === 'DATE') return 'date'
  if (type.startsWith('TIMESTAMP')) return 'timestamp'
  if (type.startsWith('TIME')) return 'time'
  if (type === 'JSON') return 'mixed'
  return 'other'
}
