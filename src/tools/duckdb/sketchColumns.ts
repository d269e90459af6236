// Sketches: what a column holds, small enough to compare each column of a hundred tables with each other.
//
// K1. A sketch keeps the smallest hashes of the different values: the same value has the same hash everywhere, so two
//     sketches show how many values two columns share without reading either again (bottom-k; Cohen & Kaplan 2007).
// K2. Values are compared as people would: blanks and case aside, "01001" like 1001, dates by the day however written.
import { z } from 'zod'
import type { DuckDB } from './openDuckDB.ts'
import { quoteName, quoteText } from './sql.ts'
import type { TableHandle } from './tableHandle.ts'
import { textOf } from './columnMeasures.ts'
import type { ColumnProfile, TableProfile } from './tableProfile.ts'

export const columnSketchSchema = z.strictObject({
  table: z.string(),
  column: z.string(),
  /** What is compared: texts, whole numbers, or days. */
  kind: z.enum(['text', 'integer', 'date']),
  rows: z.int(),
  distinct: z.int(),
  /** For numbers and days (since 1970): where they begin and end. */
  range: z.tuple([z.number(), z.number()]).optional(),
  /** The smallest hashes of the different values, ascending; all of them when there are no more than fit. */
  hashes: z.array(z.number()),
  /** For texts that can be read as dates: the format. */
  dateFormat: z.string().optional(),
})
export type ColumnSketch = z.infer<typeof columnSketchSchema>

/** Hashes kept: all of a small column, an eighth of a large one, so that a few dozen values can still be found in it. */
const fewestHashes = 512
const mostHashes = 8192

/** Fewer different values than this tell nothing about a relation. */
const fewestValues = 3

/** Sketches the columns of a table that can relate it to others: texts, whole numbers and dates, not measurements. */
export async function sketchColumns(
  db: DuckDB,
  handle: TableHandle,
  profile: TableProfile,
  signal?: AbortSignal,
): Promise<ColumnSketch[]> {
  return db.withTable(
    handle,
    async (session, table) => {
      const sketches: ColumnSketch[] = []
      for (const column of profile.columns) {
        const kind = comparedAs(column)
        if (kind === undefined) continue
        const draft = { table: handle.name, column: column.name, kind, rows: profile.rows - column.nulls }
        const dateFormat = kind === 'date' && column.kind === 'text' ? column.text?.dateFormat : undefined
        const value = comparable({ ...draft, type: column.type, ...(dateFormat !== undefined && { dateFormat }) })
        const size = Math.min(mostHashes, Math.max(fewestHashes, Math.ceil(column.distinct / 8)))
        const { rows } = await session.query(
          `SELECT count(*), min(hash(v) >> 12, ${String(size)}), CAST(min(${positionOf(kind)}) AS DOUBLE), CAST(max(${positionOf(kind)}) AS DOUBLE) FROM (SELECT DISTINCT ${value} AS v FROM ${table}) WHERE v IS NOT NULL`,
        )
        const [distinct, hashes, low, high] = rows[0] ?? []
        if (Number(distinct) < fewestValues || !Array.isArray(hashes)) continue
        sketches.push({
          ...draft,
          distinct: Number(distinct),
          ...(kind !== 'text' &&
            typeof low === 'number' &&
            typeof high === 'number' && { range: [low, high] as [number, number] }),
          hashes: hashes.map(Number).sort((a, b) => a - b),
          ...(dateFormat !== undefined && { dateFormat }),
        })
      }
      return sketches
    },
    signal,
  )
}

/** The SQL for a column's values in the form in which they are compared (K2); null where there is nothing to compare. */
export function comparable(sketch: {
  readonly column: string
  readonly kind: ColumnSketch['kind']
  readonly type: string
  readonly dateFormat?: string | undefined
}): string {
  const text = textOf({ name: sketch.column, type: sketch.type })
  switch (sketch.kind) {
    case 'integer':
      return `CAST(CAST(${quoteName(sketch.column)} AS HUGEINT) AS VARCHAR)`
    case 'date':
      return sketch.dateFormat === undefined
        ? `CAST(CAST(${quoteName(sketch.column)} AS DATE) AS VARCHAR)`
        : `CAST(CAST(try_strptime(${text}, ${quoteText(sketch.dateFormat)}) AS DATE) AS VARCHAR)`
    case 'text':
      return `nullif(regexp_replace(lower(trim(${text})), '^0+([0-9]+)$', '\\1'), '')`
  }
}

/** The SQL for where a comparable value `v` stands on a line of whole numbers or days; null for words. */
export function positionOf(kind: ColumnSketch['kind']): string {
  return kind === 'date' ? `(CAST(v AS DATE) - DATE '1970-01-01')` : 'TRY_CAST(v AS HUGEINT)'
}

function comparedAs(column: ColumnProfile): ColumnSketch['kind'] | undefined {
  switch (column.kind) {
    case 'integer':
      return 'integer'
    case 'date':
    case 'timestamp':
      return 'date'
    case 'text':
    case 'mixed':
      if (column.text === undefined || column.text.longest > 200) return undefined
      if (column.text.dates >= 0.98 * column.values) return 'date'
      return isMeasurement(column.text, column.values) ? undefined : 'text'
    case 'number':
    case 'boolean':
    case 'time':
    case 'nested':
    case 'other':
      return undefined
  }
}

/** Numbers written as text, other than codes of digits. */
function isMeasurement(text: NonNullable<ColumnProfile['text']>, values: number): boolean {
  return text.numbers >= 0.9 * values && text.patterns.some(({ pattern }) => !pattern.startsWith('9{'))
}
