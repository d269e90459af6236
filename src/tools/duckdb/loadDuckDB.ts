// DuckDB is an optional peer: it is imported when the first query needs it, never when this file is.
import { ToolError } from '../toolError.ts'

export type DuckDBApi = typeof import('@duckdb/node-api')

/** Imports DuckDB.
 *
 * @param load how it is imported; a test can pass one that fails.
 * @throws `DUCKDB_MISSING` when the package is not installed, or has no binary for this machine.
 */
export async function loadDuckDB(load: () => Promise<unknown> = () => import('@duckdb/node-api')): Promise<DuckDBApi> {
  try {
    return (await load()) as DuckDBApi
  } catch (cause) {
    throw new ToolError(
      'DUCKDB_MISSING',
      'The data tools need DuckDB, and the package "@duckdb/node-api" could not be loaded.',
      {
        retryable: false,
        hint: 'Install it beside planloom: npm install @duckdb/node-api@^1.5',
        cause,
      },
    )
  }
}
