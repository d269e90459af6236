// Sampling: the same rows every time, spread over the whole table.
import { ToolError } from '../toolError.ts'
import type { DuckDB } from './openDuckDB.ts'
import { relationOf, type TableHandle } from './tableHandle.ts'
import { writeTable } from './writeTable.ts'

export interface SampleTableOptions {
  /** About how many rows. */
  readonly rows: number
  /** Another seed gives another sample. @default 0 */
  readonly seed?: number
  readonly signal?: AbortSignal
}

/** Draws a sample into a table of its own. Each row is in it with the same probability, decided by its number and the seed:
 * the sample is the same on every machine. A table that is small enough is given back as it is.
 */
export async function sampleTable(db: DuckDB, handle: TableHandle, options: SampleTableOptions): Promise<TableHandle> {
  const { rows, seed = 0, signal } = options
  if (!Number.isInteger(rows) || rows < 1) {
    throw new ToolError('SAMPLE_INVALID', `A sample of ${String(rows)} rows cannot be drawn.`, {
      retryable: false,
      hint: 'Ask for a whole number above 0.',
    })
  }
  if (handle.rows <= rows) return handle
  const chosen = `hash(row_number() OVER (), ${String(Math.trunc(seed))}) % ${String(handle.rows)} < ${String(rows)}`
  const select = `SELECT * FROM ${relationOf(handle)} QUALIFY ${chosen}`
  const name = handle.name
  const origin = `${handle.path} sample ${String(rows)} ${String(seed)}`
  const sample = await writeTable(db, { name, origin, select, ...(signal && { signal }) })
  return { ...sample, sampledFrom: handle.sampledFrom ?? handle.rows }
}
