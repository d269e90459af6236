// Reading a file as a table: how it is cut into cells and typed is found out once and kept in the handle.
//
// R1. Reading is strict: every value fits the type found for its column, or the file is not readable this way.
// R2. Types are found from the whole file where it is small enough, not from its first lines.
import { cellText } from './cellText.ts'
import { stat } from 'node:fs/promises'
import { constants } from 'node:os'
import { basename, extname } from 'node:path'
import { ToolError } from '../toolError.ts'
import { confine } from '../confine.ts'
import { codeOf, fileFailure } from '../files/fileFailure.ts'
import type { DuckDB } from './openDuckDB.ts'
import type { QueryResult } from './session.ts'
import { quotePath } from './sql.ts'
import type { Dialect, TableColumn, TableHandle } from './tableHandle.ts'

export interface ReadTableOptions {
  readonly path: string
  /** @default by the extension of the path */
  readonly reader?: TableHandle['reader']
  /** @default the path's base name without extension */
  readonly name?: string
  /** For `csv`: known delimiter; it is found out otherwise. */
  readonly delimiter?: string
  /** For `csv`: lines above the table; they are found out otherwise. */
  readonly skip?: number
  /** For `csv`: leave out lines that do not fit instead of failing, and read every column as text where types clash. */
  readonly lenient?: boolean
  /** More rows than this are refused. */
  readonly maxRows?: number
  readonly signal?: AbortSignal
}

/** Files up to this size are looked at from end to end before types are chosen (R2). */
const wholeFileBytes = 64 * 1024 * 1024

/** Reads a file as a table and gives the handle to it.
 *
 * @throws `TABLE_UNREADABLE` when it does not read strictly, `TABLE_TOO_LARGE`, `READER_UNKNOWN`, and what `confine` throws.
 */
export async function readTable(db: DuckDB, options: ReadTableOptions): Promise<TableHandle> {
  const path = await confine(db.roots, options.path)
  const reader = options.reader ?? readerOf(path)
  const name = options.name ?? basename(path, extname(path))
  try {
    const draft = { name, path, reader, rows: 0, ...(await detect(db, path, reader, options)) }
    if (draft.rows > (options.maxRows ?? Infinity)) throw tooLarge(options.path, draft.rows, options.maxRows)
    if (reader === 'parquet') return draft
    const rows = await db.withTable(
      draft,
      (session, table) => session.query(`SELECT count(*) FROM ${table}`),
      options.signal,
    )
    const handle = { ...draft, rows: numberAt(rows) }
    if (handle.rows > (options.maxRows ?? Infinity)) throw tooLarge(options.path, handle.rows, options.maxRows)
    return handle
  } catch (error) {
    options.signal?.throwIfAborted()
    if (error instanceof ToolError) throw error
    if (codeOf(error) in constants.errno) throw fileFailure(options.path, error)
    throw tableUnreadable(options.path, reader, error)
  }
}

async function detect(
  db: DuckDB,
  path: string,
  reader: TableHandle['reader'],
  options: ReadTableOptions,
): Promise<{ columns: TableColumn[]; dialect?: Dialect; rows?: number }> {
  const whole = (await stat(path)).size <= wholeFileBytes ? ', sample_size = -1' : ''
  const ask = (sql: string) => db.query(sql, options.signal)
  switch (reader) {
    case 'parquet': {
      const columns = described(
        await ask(`DESCRIBE SELECT * FROM read_parquet(${quotePath(path)}, hive_partitioning = false)`),
      )
      const rows = numberAt(await ask(`SELECT sum(num_rows) FROM parquet_file_metadata(${quotePath(path)})`))
      return { columns, rows }
    }
    case 'json': {
      const from = `read_json_auto(${quotePath(path)}, hive_partitioning = false${whole})`
      return { columns: described(await ask(`DESCRIBE SELECT * FROM ${from}`)) }
    }
    case 'csv': {
      const known = options.delimiter === undefined ? '' : `, delim = '${options.delimiter.replaceAll("'", "''")}'`
      const skip = options.skip === undefined ? '' : `, skip = ${String(Math.trunc(options.skip))}`
      const lenient = options.lenient === true ? ', strict_mode = false, null_padding = true, ignore_errors = true' : ''
      const sniffed = await ask(
        `SELECT Delimiter, Quote, Escape, HasHeader, SkipRows, DateFormat, TimestampFormat, Columns
         FROM sniff_csv(${quotePath(path)}${known}${skip}${lenient}${whole})`,
      )
      return csvShape(sniffed, options.lenient === true)
    }
  }
}

function csvShape({ rows }: QueryResult, lenient: boolean): { columns: TableColumn[]; dialect: Dialect } {
  const [delimiter, quote, escape, header, skip, dateFormat, timestampFormat, columns] = rows[0] ?? []
  const text = (value: unknown) => (typeof value === 'string' && value !== '(empty)' ? value : '')
  const dialect: Dialect = {
    delimiter: text(delimiter),
    quote: text(quote),
    escape: text(escape),
    header: header === true,
    skip: Number(skip),
    ...(text(dateFormat) === '' ? {} : { dateFormat: text(dateFormat) }),
    ...(text(timestampFormat) === '' ? {} : { timestampFormat: text(timestampFormat) }),
    ...(lenient ? { lenient } : {}),
  }
  return { dialect, columns: columns as unknown as TableColumn[] }
}

function described({ rows }: QueryResult): TableColumn[] {
  return rows.map(([name, type]) => ({ name: cellText(name), type: cellText(type) }))
}

function numberAt({ rows }: QueryResult): number {
  return Number(rows[0]?.[0] ?? 0)
}

function readerOf(path: string): TableHandle['reader'] {
  switch (extname(path).toLowerCase()) {
    case '.csv':
    case '.tsv':
    case '.tab':
    case '.txt':
      return 'csv'
    case '.json':
    case '.ndjson':
    case '.jsonl':
      return 'json'
    case '.parquet':
      return 'parquet'
    default:
      throw new ToolError('READER_UNKNOWN', `The name "${basename(path)}" does not tell how to read the file.`, {
        retryable: false,
        hint: 'Say it: reader "csv" (any delimiter), "json" or "parquet".',
        where: { path },
      })
  }
}

function tooLarge(path: string, rows: number, maxRows: number | undefined): ToolError {
  const count = rows.toLocaleString('en')
  return new ToolError(
    'TABLE_TOO_LARGE',
    `"${basename(path)}" has ${count} rows; at most ${(maxRows ?? 0).toLocaleString('en')} are read.`,
    { retryable: false, hint: 'Take a sample of it, or raise the limit.', where: { path } },
  )
}

/** DuckDB's answer, cut down to the lines that say what is wrong and where. */
function tableUnreadable(path: string, reader: string, error: unknown): ToolError {
  const text = error instanceof Error ? error.message : String(error)
  const short = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^LINE \d+:|^\s*\^\s*$/.test(line)) // the query is ours, not the reader's
    .slice(0, 3)
    .join(' ')
    .slice(0, 400)
  return new ToolError('TABLE_UNREADABLE', `"${basename(path)}" does not read as ${reader}: ${short}`, {
    retryable: false,
    hint: 'Read it leniently, or with another reader.',
    where: { path },
    cause: error,
  })
}
