// Means for what is no table as it stands: nested JSON, grids and maps.
import { readFile, stat } from 'node:fs/promises'
import { ToolError, confine, defineTool, unreadable } from 'planloom/tools'
import { z } from 'zod'
import { fileSchema, fileTablesSchema, type Audit, type AuditFile } from '../audit.ts'
import { flatten, unrollGrid, type FlatTable } from '../content/flatten.ts'
import { tableOfFeatures, tablesOfTopology } from '../content/geometry.ts'
import type { Format } from '../formats.ts'
import { writeTables } from './writeRows.ts'

/** JSON that has to be reshaped is read whole; more than this would not fit. */
const mostBytes = 64 * 1024 * 1024

const input = z.strictObject({ file: fileSchema })
const output = fileTablesSchema

export function reshapeTools(audit: Audit) {
  const reshape = (
    name: string,
    description: string,
    format: Format,
    cost: number,
    reshaped: (value: never, table: string) => FlatTable[],
  ) =>
    defineTool({
      name,
      description,
      input,
      output,
      needs: { file: 'file' },
      requires: [
        { fact: 'format', is: { const: format } },
        { fact: 'encoding', is: { const: 'utf-8' } },
      ],
      gives: { tables: '' },
      cost,
      likelihood: 0.95,
      effects: 'write',
      idempotent: true,
      run: async ({ file }, { signal }) => {
        const value = await readJson(audit, file, signal)
        const tables = tryReshape(file, () => reshaped(value as never, file.table))
        return { file: file.name, tables: await writeTables(audit.db, file.path, tables, signal) }
      },
    })

  return [
    reshape(
      'flatten_json',
      'Makes tables of nested JSON: objects become dotted columns, arrays of objects tables of their own.',
      'json-nested',
      3,
      flatten,
    ),
    reshape(
      'unroll_grid',
      'Makes a table of a grid of numbers: one row for each cell.',
      'json-grid',
      3,
      (grid, table) => [unrollGrid(grid, table)],
    ),
    reshape(
      'read_topology',
      'Makes a table of each object of a TopoJSON map: one row for each shape, with its properties and its place.',
      'topojson',
      4,
      tablesOfTopology,
    ),
    reshape(
      'read_features',
      'Makes a table of a GeoJSON file: one row for each feature, with its properties and its place.',
      'geojson',
      3,
      (features, table) => [tableOfFeatures(features, table)],
    ),
  ]
}

async function readJson({ db }: Audit, file: AuditFile, signal: AbortSignal): Promise<unknown> {
  const path = await confine(db.roots, file.path)
  let text: string
  try {
    const { size } = await stat(path)
    if (size > mostBytes) {
      throw new ToolError(
        'FILE_TOO_LARGE',
        `"${file.name}" has ${String(Math.round(size / 1024 / 1024))} MiB; at most ${String(mostBytes / 1024 / 1024)} can be reshaped.`,
        { retryable: false },
      )
    }
    text = await readFile(path, { encoding: 'utf8', signal })
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ToolError ? error : unreadable(file.name, error)
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw jsonUnreadable(file, `does not read as JSON: ${wordsOf(error)}`, error)
  }
}

function tryReshape<T>(file: AuditFile, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw jsonUnreadable(file, `is not what it seemed: ${wordsOf(error)}`, error)
  }
}

function jsonUnreadable(file: AuditFile, what: string, cause: unknown): ToolError {
  return new ToolError('JSON_UNREADABLE', `"${file.name}" ${what}.`, {
    retryable: false,
    where: { path: file.name },
    cause,
  })
}

function wordsOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300)
}
