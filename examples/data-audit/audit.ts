// What the tools of the audit share: where the files are, where the report goes, and the facts that pass between them.
import { z } from 'zod'
import { columnSketchSchema, tableHandleSchema, tableProfileSchema, type DuckDB } from 'planloom/tools'
import { imageSchema } from './content/png.ts'
import type { History } from './report/history.ts'

/** What one audit works with. */
export interface Audit {
  /** The folder whose files are looked at. */
  readonly folder: string
  /** The folder that report and tables made on the way are written to. */
  readonly out: string
  readonly db: DuckDB
  /** How the run came to where it is, for the report; without it, that section is left out. */
  readonly history?: (runId: string) => History | undefined
}

export const fileSchema = z.strictObject({
  /** Absolute. */
  path: z.string(),
  /** Below the folder, for people. */
  name: z.string(),
  /** What its table is called: the name without extension, where that is not ambiguous. */
  table: z.string(),
  /** In small letters, with the dot. */
  extension: z.string(),
  sizeBytes: z.int().min(0),
})
export type AuditFile = z.infer<typeof fileSchema>

/** What is known of a file once it has been looked through: its tables, or an image. */
export const fileProfileSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('tables'), tables: z.array(tableProfileSchema) }),
  z.strictObject({ kind: z.literal('image'), image: imageSchema, thumbnail: z.string().optional() }),
])
export type FileProfile = z.infer<typeof fileProfileSchema>

/** A table with the sketches of its columns: all that it takes to find what it joins. */
export const sketchedTableSchema = z.strictObject({ table: tableHandleSchema, columns: z.array(columnSketchSchema) })
export type SketchedTable = z.infer<typeof sketchedTableSchema>
