// What the tools of the audit share: where the files are, where the report goes, and the facts that pass between them.
import { z } from 'zod'
import { columnSketchSchema, tableHandleSchema, tableProfileSchema, type DuckDB } from 'planloom/tools'
import { chartSchema } from './charts/chart.ts'
import { imageSchema } from './content/png.ts'
import { recognitionSchema } from './content/recogniseFile.ts'
import { problemSchema } from './problems/problem.ts'
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
  /** Place in the list of all files, from 0. */
  number: z.int().min(0),
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

// What is found out about a file says which file it is: a list of findings may lack those of some files.

/** The tables in a file. */
export const fileTablesSchema = z.strictObject({ file: z.string(), tables: z.array(tableHandleSchema) })
export type FileTables = z.infer<typeof fileTablesSchema>

/** What is known of a file once it has been looked through: its tables, or an image. */
export const fileProfileSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('tables'), file: z.string(), tables: z.array(tableProfileSchema) }),
  z.strictObject({ kind: z.literal('image'), file: z.string(), image: imageSchema, thumbnail: z.string().optional() }),
])
export type FileProfile = z.infer<typeof fileProfileSchema>

export const fileProblemsSchema = z.strictObject({ file: z.string(), problems: z.array(problemSchema) })
export type FileProblems = z.infer<typeof fileProblemsSchema>

export const fileChartsSchema = z.strictObject({ file: z.string(), charts: z.array(chartSchema) })
export type FileCharts = z.infer<typeof fileChartsSchema>

export const fileRecognitionSchema = recognitionSchema.extend({ file: z.string() })
export type FileRecognition = z.infer<typeof fileRecognitionSchema>

/** A table with the sketches of its columns: all that it takes to find what it joins. */
export const sketchedTableSchema = z.strictObject({ table: tableHandleSchema, columns: z.array(columnSketchSchema) })
