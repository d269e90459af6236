// Profiling: one query over all columns for counts and ranges, and one per column for its common values and shapes.
import type { Json } from '../../plan/json.ts'
import type { DuckDB, Session } from './openDuckDB.ts'
import { quoteName, quoteText } from './sql.ts'
import type { TableHandle } from './tableHandle.ts'
import { kindOf, type ColumnProfile, type TableProfile } from './tableProfile.ts'

/** Formats of dates that people write, tried on text columns. */
// prettier-ignore
export const dateFormats = [
  '%Y-%m-%d', '%Y/%m/%d', '%Y-%m-%d %H:%M:%S', '%Y/%m/%d %H:%M:%S', '%Y-%m-%dT%H:%M:%S', '%Y/%m/%d %H:%M',
  '%m/%d/%Y', '%d/%m/%Y', '%d.%m.%Y', '%b %d %Y', '%d-%b-%y', '%B %d, %Y',
]

/** Looks at every row of a table and describes each of its columns.
 *
 * Time grows with rows times columns; a million cells take well under a second.
 */
export async function profileTable(db: DuckDB, handle: TableHandle, signal?: AbortSignal): Promise<TableProfile> {
  return db.withTable(
    handle,
    async (session, table) => {
      const columns: ColumnProfile[] = []
      const counted = await session.query(`SELECT count(*) FROM ${table}`)
      const rows = Number(counted.rows[0]?.[0])
      for (const column of handle.columns) columns.push(await profileColumn(session, table, column, rows))
      const sampled = handle.sampledFrom === undefined ? {} : { sampledFrom: handle.sampledFrom }
      return { table: handle.name, rows, ...sampled, columns }
    },
    signal,
  )
}

/** The column's values as plain text: JSON strings without their quotes, JSON null as null. */
export function textOf(column: { readonly name: string; readonly type: string }): string {
  const name = quoteName(column.name)
  return column.type === 'JSON' ? `(${name}->>'$')` : `CAST(${name} AS VARCHAR)`
}

async function profileColumn(
  session: Session,
  table: string,
  column: { readonly name: string; readonly type: string },
  rows: number,
): Promise<ColumnProfile> {
  const name = quoteName(column.name)
  const kind = kindOf(column.type)
  const text = textOf(column)
  const wanted: Record<string, string> = { count: `count(${text})`, distinct: `count(DISTINCT ${text})` }
  if (kind === 'integer' || kind === 'number') {
    const finite = kind === 'number' ? `CASE WHEN isfinite(${name}) THEN ${name} END` : name
    const double = `CAST(${finite} AS DOUBLE)`
    Object.assign(wanted, {
      min: `min(${double})`,
      max: `max(${double})`,
      mean: `avg(${double})`,
      deviation: `stddev_samp(${double})`,
      quantiles: `quantile_cont(${double}, [0.05, 0.25, 0.5, 0.75, 0.95])`,
      negatives: `count(*) FILTER (${name} < 0)`,
      zeros: `count(*) FILTER (${name} = 0)`,
    })
  } else if (kind === 'date' || kind === 'timestamp' || kind === 'time') {
    Object.assign(wanted, {
      min: `CAST(min(${name}) AS VARCHAR)`,
      max: `CAST(max(${name}) AS VARCHAR)`,
      quantiles: `CAST(quantile_disc(${name}, [0.05, 0.25, 0.5, 0.75, 0.95]) AS VARCHAR[])`,
    })
  } else if (kind === 'text' || kind === 'mixed') {
    Object.assign(wanted, {
      shortest: `min(length(${text}))`,
      longest: `max(length(${text}))`,
      meanLength: `avg(length(${text}))`,
      empty: `count(*) FILTER (trim(${text}) = '')`,
      padded: `count(*) FILTER (${text} <> trim(${text}))`,
      numbers: `count(TRY_CAST(replace(trim(${text}), ',', '') AS DOUBLE))`,
    })
  }
  const answer = await one(session, `SELECT ${selection(wanted)} FROM ${table}`)
  const at = (key: string) => answer.get(key) ?? null
  const profile: ColumnProfile = {
    name: column.name,
    type: column.type,
    kind,
    values: Number(at('count')),
    nulls: rows - Number(at('count')),
    distinct: Number(at('distinct')),
    ...present('min', scalarOf(at('min'))),
    ...present('max', scalarOf(at('max'))),
    ...present('mean', numberOf(at('mean'))),
    ...present('deviation', numberOf(at('deviation'))),
    ...present('quantiles', listOf(at('quantiles'))),
    ...present('negatives', numberOf(at('negatives'))),
    ...present('zeros', numberOf(at('zeros'))),
    top: kind === 'nested' ? [] : await topValues(session, table, text),
  }
  if (kind === 'mixed') profile.jsonTypes = await jsonTypes(session, table, name)
  if ((kind === 'text' || kind === 'mixed') && Number(at('count')) > 0) {
    profile.text = {
      shortest: Number(at('shortest')),
      longest: Number(at('longest')),
      meanLength: Number(at('meanLength')),
      empty: Number(at('empty')),
      padded: Number(at('padded')),
      numbers: Number(at('numbers')),
      ...(await datesIn(session, table, text)),
      patterns: await patterns(session, table, text),
    }
  }
  return profile
}

async function topValues(session: Session, table: string, text: string): Promise<ColumnProfile['top']> {
  const { rows } = await session.query(
    `SELECT left(${text}, 120) AS v, count(*) AS n FROM ${table} WHERE ${text} IS NOT NULL GROUP BY 1
     HAVING n > 1 OR (SELECT count(*) FROM ${table}) <= 20 ORDER BY n DESC, v LIMIT 6`,
  )
  return rows.map(([value, count]) => ({ value: String(value), count: Number(count) }))
}

async function jsonTypes(
  session: Session,
  table: string,
  name: string,
): Promise<NonNullable<ColumnProfile['jsonTypes']>> {
  const { rows } = await session.query(
    `SELECT CASE WHEN json_type(${name}) IN ('UBIGINT', 'BIGINT', 'DOUBLE', 'HUGEINT') THEN 'number'
       WHEN json_type(${name}) = 'VARCHAR' THEN 'string' ELSE lower(json_type(${name})) END AS t, count(*) AS n
     FROM ${table} WHERE ${name} IS NOT NULL AND json_type(${name}) <> 'NULL' GROUP BY 1 ORDER BY n DESC, t`,
  )
  return rows.map(([type, count]) => ({ type: String(type), count: Number(count) }))
}

/** How many values are dates, by the one format that reads most of them. */
async function datesIn(session: Session, table: string, text: string) {
  const counts = dateFormats.map(
    (format, index) => `count(try_strptime(${text}, ${quoteText(format)})) AS "${String(index)}"`,
  )
  const { rows } = await session.query(
    `SELECT ${counts.join(', ')} FROM (SELECT * FROM ${table} WHERE length(${text}) BETWEEN 6 AND 24 AND ${text} SIMILAR TO '.*[0-9].*')`,
  )
  const read = (rows[0] ?? []).map(Number)
  const dates = Math.max(0, ...read)
  const dateFormat = dateFormats[read.indexOf(dates)]
  if (dates === 0 || dateFormat === undefined) return { dates }
  const moment = `try_strptime(${text}, ${quoteText(dateFormat)})`
  const range = await one(
    session,
    `SELECT CAST(min(${moment}) AS VARCHAR) AS a, CAST(max(${moment}) AS VARCHAR) AS b FROM ${table}`,
  )
  return { dates, dateFormat, earliest: String(range.get('a')), latest: String(range.get('b')) }
}

/** Shapes of the values: runs of capitals, small letters and digits become one sign, of one length where all agree. */
async function patterns(session: Session, table: string, text: string) {
  const shape = [
    ['\\p{Lu}+', 'A'],
    ['\\p{Ll}+', 'a'],
    ['[0-9]+', '9'],
    ['\\s+', ' '],
  ].reduce((sql, [from, to]) => `regexp_replace(${sql}, '${String(from)}', '${String(to)}', 'g')`, `left(${text}, 60)`)
  const { rows } = await session.query(
    `SELECT ${shape} AS p, count(*) AS n, min(left(${text}, 60)) AS example, min(length(${text})) AS a, max(length(${text})) AS b
     FROM ${table} WHERE ${text} IS NOT NULL GROUP BY 1 ORDER BY n DESC, p LIMIT 5`,
  )
  return rows.map(([pattern, count, example, a, b]) => ({
    pattern: /^[Aa9]$/.test(String(pattern))
      ? `${String(pattern)}{${a === b ? String(a) : `${String(a)},${String(b)}`}}`
      : String(pattern),
    count: Number(count),
    example: String(example),
  }))
}

function selection(wanted: Readonly<Record<string, string>>): string {
  return Object.entries(wanted)
    .map(([key, sql]) => `${sql} AS ${quoteName(key)}`)
    .join(', ')
}

async function one(session: Session, sql: string): Promise<ReadonlyMap<string, Json>> {
  const { columns, rows } = await session.query(sql)
  return new Map(columns.map(({ name }, index) => [name, rows[0]?.[index] ?? null]))
}

function present<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return (value === undefined ? {} : { [key]: value }) as Partial<Record<K, V>>
}
function scalarOf(value: Json): string | number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}
function numberOf(value: Json): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
function listOf(value: Json): (string | number)[] | undefined {
  return Array.isArray(value) ? value.map((item) => scalarOf(item as Json) ?? '') : undefined
}
