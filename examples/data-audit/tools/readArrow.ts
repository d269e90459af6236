// Arrow files: DuckDB does not read them by itself. Where the package `apache-arrow` is installed, it does the reading;
// where it is not, the step fails and says so, and the planner goes on without the file.
import { readFile } from 'node:fs/promises'
import { ToolError, confine, defineTool, unreadable } from 'planloom/tools'
import { z } from 'zod'
import { fileSchema, fileTablesSchema, type Audit } from '../audit.ts'
import { mostRows } from './readTables.ts'
import { writeLines } from './writeRows.ts'

/** What is used of `apache-arrow`. */
export interface ArrowReader {
  tableFromIPC(bytes: Uint8Array): {
    readonly numRows: number
    readonly schema: { readonly fields: readonly { readonly name: string }[] }
    getChild(name: string): { get(index: number): unknown } | null
  }
}

/** The package is not a dependency of ours: its name stands in a variable, so that nothing looks for it before it is needed. */
const packageName: string = 'apache-arrow'
const loadPackage = () => import(packageName) as Promise<ArrowReader>

export function readArrowTool({ db }: Audit, load: () => Promise<ArrowReader> = loadPackage) {
  return defineTool({
    name: 'read_arrow',
    description: 'Reads an Arrow IPC file as a table, where the package "apache-arrow" is installed.',
    input: z.strictObject({ file: fileSchema }),
    output: fileTablesSchema,
    needs: { file: 'file' },
    requires: [{ fact: 'format', is: { const: 'arrow' } }],
    gives: { tables: '' },
    likelihood: 0.5,
    effects: 'write',
    idempotent: true,
    run: async ({ file }, { signal }) => {
      const arrow = await load().catch((cause: unknown) => {
        throw new ToolError(
          'ARROW_MISSING',
          `"${file.name}" is an Arrow file, and the package that reads those is not installed.`,
          {
            retryable: false,
            hint: 'Install it (npm install apache-arrow), or save the file as Parquet or CSV; then run the audit again.',
            cause,
          },
        )
      })
      const path = await confine(db.roots, file.path)
      const bytes = await readFile(path, { signal }).catch((error: unknown) => {
        signal.throwIfAborted()
        throw unreadable(file.name, error)
      })
      const lines = linesOf(arrow, bytes, file.name)
      return { file: file.name, tables: [await writeLines(db, { name: file.table, origin: file.path, lines, signal })] }
    },
  })
}

function linesOf(arrow: ArrowReader, bytes: Uint8Array, name: string): string[] {
  try {
    const table = arrow.tableFromIPC(bytes)
    if (table.numRows > mostRows)
      throw new RangeError(`it has ${String(table.numRows)} rows; at most ${String(mostRows)} are read`)
    const columns = table.schema.fields.map((field) => [field.name, table.getChild(field.name)] as const)
    return Array.from({ length: table.numRows }, (_, row) =>
      JSON.stringify(Object.fromEntries(columns.map(([column, values]) => [column, cellOf(values?.get(row))]))),
    )
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ToolError('ARROW_UNREADABLE', `"${name}" does not read as an Arrow file: ${message}.`, {
      retryable: false,
      where: { path: name },
      cause: error,
    })
  }
}

function cellOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  return value ?? null
}
