// Tables that the tools write: Parquet files in the work folder, named after what they were made from.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makeFolder } from '../../makeFolder.ts'
import { ToolError } from '../toolError.ts'
import type { DuckDB } from './openDuckDB.ts'
import { quoteText } from './sql.ts'
import type { TableHandle } from './tableHandle.ts'
import { readTable } from './readTable.ts'

export interface WriteTableOptions {
  /** Name of the table, for people. */
  readonly name: string
  /** What it was made from: equal names of different origin get different files. */
  readonly origin: string
  /** The rows: a SELECT. */
  readonly select: string
  readonly signal?: AbortSignal
}

/** Writes the rows of a SELECT to a Parquet file in the work folder and gives the handle to it.
 *
 * @throws `WORK_FOLDER_MISSING`, `TABLE_UNWRITABLE`
 */
export async function writeTable(
  db: DuckDB,
  { name, origin, select, signal }: WriteTableOptions,
): Promise<TableHandle> {
  const path = await workPath(db, name, origin, '.parquet')
  try {
    await db.query(`COPY (${select}) TO ${quoteText(path)} (FORMAT parquet)`, signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw unwritable(name, path, error)
  }
  return readTable(db, { path, reader: 'parquet', name, ...(signal && { signal }) })
}

/** A path in the work folder for something made from `origin`. */
export async function workPath(db: DuckDB, name: string, origin: string, extension: string): Promise<string> {
  if (db.workFolder === undefined) {
    throw new ToolError('WORK_FOLDER_MISSING', `There is no folder to write the table "${name}" to.`, {
      retryable: false,
      hint: 'Give the data tools a workFolder.',
    })
  }
  try {
    await makeFolder(db.workFolder)
  } catch (error) {
    throw unwritable(name, db.workFolder, error)
  }
  const readable = name.replaceAll(/[^\w.-]+/g, '-').slice(0, 80)
  const mark = createHash('sha256').update(`${origin}\0${name}`).digest('hex').slice(0, 8)
  return join(db.workFolder, `${readable}.${mark}${extension}`)
}

function unwritable(name: string, path: string, error: unknown): ToolError {
  const message = error instanceof Error ? error.message : String(error)
  return new ToolError('TABLE_UNWRITABLE', `The table "${name}" could not be written: ${message.slice(0, 400)}`, {
    hint: 'Check the space and the rights in the work folder.',
    where: { path },
    cause: error,
  })
}
