// Tables that the audit makes itself: JSON lines in the work folder, read back with the types that DuckDB finds in them.
import { writeFile } from 'node:fs/promises'
import { ToolError, readTable, workPath, type DuckDB, type TableHandle } from 'planloom/tools'
import type { FlatTable } from '../content/flatten.ts'

/** Writes flat tables and gives the handles to them; tables without rows are left out. */
export async function writeTables(
  db: DuckDB,
  origin: string,
  tables: readonly FlatTable[],
  signal: AbortSignal,
): Promise<TableHandle[]> {
  const handles: TableHandle[] = []
  for (const { name, rows } of tables) {
    if (rows.length === 0) continue
    const lines = rows.map((row) => JSON.stringify(Object.fromEntries(row)))
    handles.push(await writeLines(db, { name, origin, lines, signal }))
  }
  return handles
}

export async function writeLines(
  db: DuckDB,
  { name, origin, lines, signal }: { name: string; origin: string; lines: readonly string[]; signal: AbortSignal },
): Promise<TableHandle> {
  const path = await workPath(db, name, origin, '.ndjson')
  try {
    // A line break between tokens is legal JSON, but would end the line.
    await writeFile(
      path,
      lines.map((line) => (line.includes('\n') ? JSON.stringify(JSON.parse(line)) : line)).join('\n') + '\n',
      { signal },
    )
  } catch (error) {
    signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    throw new ToolError('TABLE_UNWRITABLE', `The table "${name}" could not be written: ${message}`, {
      hint: 'Check the space and the rights in the folder of the report.',
      where: { path },
      cause: error,
    })
  }
  return readTable(db, { path, reader: 'json', name, signal })
}
