// Text that goes into SQL: names, strings and paths, quoted so that none of them can become SQL.
//
// Q1. Whatever a file, a column or a user is called, it stays a name: quotes are doubled, NUL is refused.
// Q2. A path is that path: DuckDB would take `*`, `?` and `[` in it as a pattern and read other files.
import { ToolError } from '../toolError.ts'

/** @example quoteName('a "b"') // '"a ""b"""' */
export function quoteName(name: string): string {
  return `"${withoutNul(name).replaceAll('"', '""')}"` // Q1
}

/** @example quoteText("it's") // "'it''s'" */
export function quoteText(text: string): string {
  return `'${withoutNul(text).replaceAll("'", "''")}'` // Q1
}

/** A path for `read_csv` and its like. @example quotePath('/data/a[1].csv') // "'/data/a[[]1].csv'" */
export function quotePath(path: string): string {
  return quoteText(path.replaceAll(/[*?[]/g, '[$&]')) // Q2
}

function withoutNul(text: string): string {
  if (!text.includes('\0')) return text
  throw new ToolError('SQL_TEXT_INVALID', 'A name or text for a query holds a NUL character.', {
    retryable: false,
    hint: 'Rename the file or column; DuckDB cannot address it.',
  })
}
