// Free SQL on tables that were read: one SELECT, on nothing but the tables it was given.
//
// S1. The statement is parsed by DuckDB itself, and refused unless it is a single SELECT.
// S2. It names only the given tables and its own subqueries: no file, no schema, no function that opens something.
import { cellText } from './cellText.ts'
import type { Json, JsonObject } from '../../plan/json.ts'
import { isJsonObject } from '../../plan/json.ts'
import { ToolError } from '../toolError.ts'
import type { DuckDB } from './openDuckDB.ts'
import type { QueryResult, Session } from './session.ts'
import { quoteName, quoteText } from './sql.ts'
import type { TableHandle } from './tableHandle.ts'

export interface QueryTablesOptions {
  readonly sql: string
  /** The tables, by the name that the SQL uses. */
  readonly tables: Readonly<Record<string, TableHandle>>
  /** @default 1000 */
  readonly maxRows?: number
  readonly signal?: AbortSignal
}

const harmlessTableFunctions = new Set(['range', 'generate_series', 'unnest', 'repeat', 'repeat_row'])

/** Runs one SELECT on the given tables.
 *
 * @returns at most `maxRows` rows; `truncated` says whether there were more.
 * @throws `QUERY_REFUSED` when the SQL is anything but a SELECT on these tables, `QUERY_FAILED` with what DuckDB says.
 */
export async function queryTables(
  db: DuckDB,
  { sql, tables, maxRows = 1000, signal }: QueryTablesOptions,
): Promise<QueryResult & { readonly truncated: boolean }> {
  const text = sql.trim().replace(/;\s*$/, '')
  const names = Object.keys(tables)
  return db.withTables(
    Object.values(tables),
    async (session, relations) => {
      const refusal = whyRefused(await parse(session, text), new Set(names.map((name) => name.toLowerCase())))
      if (refusal !== undefined) throw refused(refusal)
      const given = names.map((name, index) => `${quoteName(name)} AS (SELECT * FROM ${String(relations[index])})`)
      const withGiven = given.length === 0 ? '' : `WITH ${given.join(', ')} `
      try {
        const result = await session.query(`${withGiven}SELECT * FROM (\n${text}\n) LIMIT ${String(maxRows + 1)}`)
        return { columns: result.columns, rows: result.rows.slice(0, maxRows), truncated: result.rows.length > maxRows }
      } catch (cause) {
        throw failed(cause)
      }
    },
    signal,
  )
}

async function parse(session: Session, sql: string): Promise<Json> {
  const { rows } = await session.query(`SELECT json_serialize_sql(${quoteText(sql)})`)
  return JSON.parse(cellText(rows[0]?.[0])) as Json
}

/** The reason not to run a parsed statement, or nothing. */
function whyRefused(parsed: Json, tables: ReadonlySet<string>): string | undefined {
  if (!isJsonObject(parsed)) return 'it could not be parsed'
  if (parsed['error'] === true) return cellText(parsed['error_message'])
  const statements = parsed['statements']
  if (!Array.isArray(statements) || statements.length !== 1) return 'it is not one statement' // S1
  const nodes = [...objectsIn(statements as Json)]
  const known = new Set([...tables, ...nodes.flatMap(namesOfSubqueries)])
  for (const node of nodes) {
    if (node['type'] === 'BASE_TABLE') {
      const name = cellText(node['table_name'])
      const isPlain = node['schema_name'] === '' && node['catalog_name'] === ''
      if (!isPlain || !known.has(name.toLowerCase()))
        return `it reads "${name}", which is none of the given tables (${[...tables].join(', ')})`
    } else if (node['type'] === 'TABLE_FUNCTION') {
      const call = node['function']
      const name = isJsonObject(call) ? cellText(call['function_name']) : '?'
      if (!harmlessTableFunctions.has(name)) return `it calls "${name}", which is not allowed here` // S2
    } else if (node['type'] === 'SHOW_REF') return 'it asks about the database, not about the tables'
  }
  return undefined
}

function namesOfSubqueries(node: JsonObject): string[] {
  const map = node['cte_map']
  const entries = isJsonObject(map) ? map['map'] : undefined
  if (!Array.isArray(entries)) return []
  return entries.flatMap((entry: Json) => (isJsonObject(entry) ? [cellText(entry['key']).toLowerCase()] : []))
}

function* objectsIn(value: Json): Generator<JsonObject> {
  const open: Json[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...(next as Json[]))
    else if (isJsonObject(next)) {
      yield next
      open.push(...Object.values(next))
    }
  }
}

function refused(reason: string): ToolError {
  return new ToolError('QUERY_REFUSED', `The query was not run: ${reason}.`, {
    retryable: false,
    hint: 'Write one SELECT on the given tables.',
  })
}

function failed(cause: unknown): ToolError {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new ToolError('QUERY_FAILED', message.slice(0, 1000), { retryable: false, hint: 'Correct the query.', cause })
}
