// A table as steps pass it on: where it stands and how it is read, never its rows.
import { z } from 'zod'
import { quotePath, quoteText } from './sql.ts'

const columnSchema = z.strictObject({
  name: z.string(),
  /** DuckDB's name of the type. */
  type: z.string(),
})

/** How a delimited text is cut into cells; found once, when the table is first read. */
const dialectSchema = z.strictObject({
  delimiter: z.string(),
  quote: z.string(),
  escape: z.string(),
  header: z.boolean(),
  /** Lines before the header. */
  skip: z.int().min(0),
  dateFormat: z.string().optional(),
  timestampFormat: z.string().optional(),
  /** Lines that do not fit are left out, short ones filled up with nulls. */
  lenient: z.boolean().optional(),
})

export const tableHandleSchema = z.strictObject({
  /** For people: `airports`, or `miserables/nodes` for one of several tables in a file. */
  name: z.string(),
  /** The file that is read: absolute. */
  path: z.string(),
  reader: z.enum(['csv', 'json', 'parquet']),
  dialect: dialectSchema.optional(),
  columns: z.array(columnSchema),
  rows: z.int().min(0),
  /** Set where the table is a sample: how many rows the whole has. */
  sampledFrom: z.int().min(0).optional(),
})

export type TableHandle = z.infer<typeof tableHandleSchema>
export type TableColumn = z.infer<typeof columnSchema>
export type Dialect = z.infer<typeof dialectSchema>

/** The table in SQL, to stand after FROM. Column types are those of the handle: no reading guesses anew. */
export function relationOf(handle: Pick<TableHandle, 'path' | 'reader' | 'dialect' | 'columns'>): string {
  const path = quotePath(handle.path)
  const columns = `{${handle.columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(type)}`).join(', ')}}`
  switch (handle.reader) {
    case 'parquet':
      return `read_parquet(${path}, hive_partitioning = false)`
    case 'json':
      return `read_json(${path}, columns = ${columns}, hive_partitioning = false)`
    case 'csv':
      return `read_csv(${path}, columns = ${columns}, ${dialectOptions(handle.dialect)}, hive_partitioning = false)`
  }
}

function dialectOptions(dialect: Dialect | undefined): string {
  if (dialect === undefined) return 'auto_detect = true'
  const options = [
    'auto_detect = false',
    `delim = ${quoteText(dialect.delimiter)}`,
    `quote = ${quoteText(dialect.quote)}`,
    `escape = ${quoteText(dialect.escape)}`,
    `header = ${String(dialect.header)}`,
    `skip = ${String(dialect.skip)}`,
  ]
  if (dialect.dateFormat !== undefined) options.push(`dateformat = ${quoteText(dialect.dateFormat)}`)
  if (dialect.timestampFormat !== undefined) options.push(`timestampformat = ${quoteText(dialect.timestampFormat)}`)
  if (dialect.lenient === true) options.push('ignore_errors = true', 'null_padding = true', 'strict_mode = false')
  return options.join(', ')
}
