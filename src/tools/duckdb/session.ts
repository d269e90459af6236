// A leased connection, and what it answers with: rows as JSON.
import type { DuckDBConnection, DuckDBValueConverter } from '@duckdb/node-api'
import type { Json } from '../../plan/json.ts'
import type { DuckDBApi } from './loadDuckDB.ts'

export interface QueryResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** In column order. Whole numbers beyond 2^53 are strings. */
  readonly rows: readonly (readonly Json[])[]
}

/** A leased connection. */
export interface Session {
  /** @param limitRows stop reading once so many rows have come (a few more may be in the answer). */
  query(sql: string, limitRows?: number): Promise<QueryResult>
}

/** A session on a connection, for as long as the signal has not fired. */
export function createSession(api: DuckDBApi, connection: DuckDBConnection, signal: AbortSignal | undefined): Session {
  const toJson: DuckDBValueConverter<Json> = (value, type) => {
    if (typeof value !== 'bigint') return api.JsonDuckDBValueConverter(value, type, toJson as never)
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value.toString()
  }
  return {
    async query(sql, limitRows) {
      signal?.throwIfAborted()
      const reader =
        limitRows === undefined
          ? await connection.runAndReadAll(sql)
          : await connection.streamAndReadUntil(sql, limitRows)
      const types = reader.columnTypes()
      return {
        columns: reader.columnNames().map((name, index) => ({ name, type: String(types[index]) })),
        rows: reader.convertRows(toJson),
      }
    },
  }
}
