// The DuckDB tools that any plan may use: read, profile, query, sample and relate tables in files.
import { z } from 'zod'
import type { Json } from '../../plan/json.ts'
import { defineTool } from '../defineTool.ts'
import { findJoins } from './findJoins.ts'
import { joinSchema } from './join.ts'
import { openDuckDB, type DuckDB, type DuckDBOptions } from './openDuckDB.ts'
import { profileTable } from './profileTable.ts'
import { queryTables } from './queryTables.ts'
import { readTable } from './readTable.ts'
import { sampleTable } from './sampleTable.ts'
import { sketchColumns } from './sketchColumns.ts'
import { tableHandleSchema } from './tableHandle.ts'
import { tableProfileSchema } from './tableProfile.ts'

const jsonValue = z.custom<Json>((value) => value !== undefined, 'must be a JSON value')

/** The data tools: `table_read`, `table_profile`, `table_query`, `table_sample`, `table_joins`.
 *
 * They share one DuckDB, which starts with the first query. Nothing outside `roots` is read, nothing comes from the network.
 * Tables are passed on as handles; rows leave the database only through `table_query`.
 *
 * @param options folders and limits, or a database from `openDuckDB` that you close yourself.
 * @throws from each tool: `DUCKDB_MISSING` when "@duckdb/node-api" is not installed.
 * @example
 * import { duckdbTools } from 'planloom/tools'
 * const tools = duckdbTools({ roots: ['data'] })
 */
export function duckdbTools(options: DuckDBOptions | DuckDB) {
  const db = 'withTable' in options ? options : openDuckDB(options)

  const tableRead = defineTool({
    name: 'table_read',
    description:
      'Reads a CSV, TSV, JSON or Parquet file as a table and gives a handle with its columns, types and number of rows.',
    input: z.strictObject({
      path: z.string(),
      name: z.string().optional(),
      reader: z.enum(['csv', 'json', 'parquet']).optional(),
      delimiter: z.string().length(1).optional(),
      lenient: z.boolean().optional(),
      maxRows: z.int().positive().optional(),
    }),
    output: z.strictObject({ table: tableHandleSchema }),
    needs: { path: 'path' },
    gives: { table: '/table' },
    effects: 'read',
    run: async (input, { signal }) => ({ table: await readTable(db, { ...given(input), signal }) }),
  })

  const tableProfile = defineTool({
    name: 'table_profile',
    description:
      'Describes each column of a table: type, nulls, different values, range, quantiles, common values and shapes.',
    input: z.strictObject({ table: tableHandleSchema }),
    output: z.strictObject({ profile: tableProfileSchema }),
    needs: { table: 'table' },
    gives: { profile: '/profile' },
    cost: 2,
    effects: 'read',
    run: async ({ table }, { signal }) => ({ profile: await profileTable(db, table, signal) }),
  })

  const tableQuery = defineTool({
    name: 'table_query',
    description:
      'Runs one SELECT (DuckDB SQL) on tables that were read; in the SQL they go by the names they are given here.',
    input: z.strictObject({
      sql: z.string(),
      tables: z.record(z.string(), tableHandleSchema),
      maxRows: z.int().min(1).max(100_000).optional(),
    }),
    output: z.strictObject({
      columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
      rows: z.array(z.array(jsonValue)),
      truncated: z.boolean(),
    }),
    effects: 'read',
    run: async (input, { signal }) => {
      const { columns, rows, truncated } = await queryTables(db, { ...given(input), signal })
      return { columns: columns.map((column) => ({ ...column })), rows: rows.map((row) => [...row]), truncated }
    },
  })

  const tableSample = defineTool({
    name: 'table_sample',
    description: 'Draws the same random sample of a table each time, and gives a handle to it.',
    input: z.strictObject({ table: tableHandleSchema, rows: z.int().positive(), seed: z.int().optional() }),
    output: z.strictObject({ table: tableHandleSchema }),
    effects: 'write',
    idempotent: true,
    run: async ({ table, ...options }, { signal }) => ({
      table: await sampleTable(db, table, { ...given(options), signal }),
    }),
  })

  const tableJoins = defineTool({
    name: 'table_joins',
    description:
      'Finds which columns of different tables hold the same values, with counts, examples and how likely an accident is.',
    input: z.strictObject({ tables: z.array(tableHandleSchema), contained: z.number().min(0).max(1).optional() }),
    output: z.strictObject({ joins: z.array(joinSchema) }),
    effects: 'read',
    cost: 5,
    run: async (input, { signal, progress }) => {
      const sketches = []
      for (const table of input.tables) {
        sketches.push(...(await sketchColumns(db, table, await profileTable(db, table, signal), signal)))
      }
      const report = (done: number, total: number) => {
        progress({ done, total, text: 'comparing columns' })
      }
      return { joins: await findJoins(db, { ...given(input), sketches, signal, progress: report }) }
    },
  })

  return [tableRead, tableProfile, tableQuery, tableSample, tableJoins] as const
}

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Without the properties that are undefined: absent and undefined differ for what follows. */
function given<T extends object>(value: T): Given<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Given<T>
}
