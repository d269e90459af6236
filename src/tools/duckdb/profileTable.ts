// Profiling: one query measures all columns, and a few more find common values and shapes where there are any.
import { cellText } from './cellText.ts'
import type { Json } from '../../plan/json.ts'
import { measuresOf, textOf } from './columnMeasures.ts'
import type { DuckDB } from './openDuckDB.ts'
import type { Session } from './session.ts'
import { quoteName, quoteText } from './sql.ts'
import type { TableHandle } from './tableHandle.ts'
import { kindOf, type ColumnProfile, type TableProfile } from './tableProfile.ts'

export { textOf }

/** Formats of dates that people write, tried on text columns. */
// prettier-ignore
const dateFormats = [
  '%Y-%m-%d', '%Y/%m/%d', '%Y-%m-%d %H:%M:%S', '%Y/%m/%d %H:%M:%S', '%Y-%m-%dT%H:%M:%S', '%Y/%m/%d %H:%M',
  '%m/%d/%Y', '%d/%m/%Y', '%d.%m.%Y', '%b %d %Y', '%d-%b-%y', '%B %d, %Y',
]

/** Numbers with more different values than this are quantities: no value is common among them. */
const mostCommonNumbers = 500

/** Looks at every row of a table and describes each of its columns.
 *
 * Time grows with rows times columns; a million cells take well under a second.
 */
export async function profileTable(db: DuckDB, handle: TableHandle, signal?: AbortSignal): Promise<TableProfile> {
  return db.withTable(
    handle,
    async (session, table) => {
      const { rows, measures } = await measure(session, table, handle)
      const columns: ColumnProfile[] = []
      for (const [index, column] of handle.columns.entries()) {
        columns.push(await describe(session, table, column, rows, measures[index] ?? new Map()))
      }
      const sampled = handle.sampledFrom === undefined ? {} : { sampledFrom: handle.sampledFrom }
      return { table: handle.name, rows, ...sampled, columns }
    },
    signal,
  )
}

type Measures = ReadonlyMap<string, Json>

async function measure(session: Session, table: string, { columns }: TableHandle) {
  const wanted = columns.map((column) => Object.entries(measuresOf(column)))
  const expressions = wanted.flatMap((column) => column.map(([, expression]) => expression))
  const answer = await session.query(`SELECT ${['count(*)', ...expressions].join(', ')} FROM ${table}`)
  const [rows = 0, ...values] = answer.rows[0] ?? []
  let at = 0
  const measures = wanted.map((column): Measures => new Map(column.map(([key]) => [key, values[at++] ?? null])))
  return { rows: Number(rows), measures }
}

async function describe(
  session: Session,
  table: string,
  column: { readonly name: string; readonly type: string },
  rows: number,
  measures: Measures,
): Promise<ColumnProfile> {
  const kind = kindOf(column.type)
  const text = textOf(column)
  const at = (key: string) => measures.get(key) ?? null
  const values = Number(at('count'))
  const distinct = Number(at('distinct'))
  const isQuantity = (kind === 'integer' || kind === 'number') && distinct > mostCommonNumbers
  const hasCommon = kind !== 'nested' && !isQuantity && distinct > 0 && (distinct < values || rows <= fewRows)
  const profile: ColumnProfile = {
    name: column.name,
    type: column.type,
    kind,
    values,
    nulls: rows - values,
    distinct,
    ...present('min', scalarOf(at('min'))),
    ...present('max', scalarOf(at('max'))),
    ...present('mean', numberOf(at('mean'))),
    ...present('deviation', numberOf(at('deviation'))),
    ...present('quantiles', listOf(at('quantiles'))),
    ...present('negatives', numberOf(at('negatives'))),
    ...present('zeros', numberOf(at('zeros'))),
    top: hasCommon ? await topValues(session, table, text, rows) : [],
  }
  if (kind === 'mixed') profile.jsonTypes = await jsonTypes(session, table, quoteName(column.name))
  if ((kind === 'text' || kind === 'mixed') && values > 0) {
    const mayBeDates = Number(at('datelike')) >= 0.5 * values && Number(at('numbers')) < 0.5 * values
    profile.text = {
      shortest: Number(at('shortest')),
      longest: Number(at('longest')),
      meanLength: Number(at('meanLength')),
      empty: Number(at('empty')),
      padded: Number(at('padded')),
      numbers: Number(at('numbers')),
      ...(mayBeDates ? await datesIn(session, table, text) : { dates: 0 }),
      patterns: await patterns(session, table, text),
    }
  }
  return profile
}

/** In a table this small every value is listed, also those that occur once. */
const fewRows = 20

async function topValues(
  session: Session,
  table: string,
  text: string,
  rowCount: number,
): Promise<ColumnProfile['top']> {
  const { rows } = await session.query(
    `SELECT left(${text}, 120) AS v, count(*) AS n FROM ${table} WHERE ${text} IS NOT NULL GROUP BY 1
     ${rowCount <= fewRows ? '' : 'HAVING n > 1'} ORDER BY n DESC, v LIMIT 6`,
  )
  return rows.map(([value, count]) => ({ value: cellText(value), count: Number(count) }))
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
  return rows.map(([type, count]) => ({ type: cellText(type), count: Number(count) }))
}

/** How many values are dates, by the format that reads most of the first few hundred, and from when to when. */
async function datesIn(session: Session, table: string, text: string) {
  const tries = dateFormats.map((format) => `count(try_strptime(v, ${quoteText(format)}))`)
  const some = `SELECT DISTINCT ${text} AS v FROM ${table} WHERE length(${text}) BETWEEN 6 AND 24 LIMIT 300`
  const tried = await session.query(`SELECT ${tries.join(', ')} FROM (${some})`)
  const counts = (tried.rows[0] ?? []).map(Number)
  const dateFormat = dateFormats[counts.indexOf(Math.max(...counts))]
  if (dateFormat === undefined || Math.max(...counts) === 0) return { dates: 0 }
  const moment = `try_strptime(${text}, ${quoteText(dateFormat)})`
  const { rows } = await session.query(
    `SELECT count(m), CAST(min(m) AS VARCHAR), CAST(max(m) AS VARCHAR) FROM (SELECT ${moment} AS m FROM ${table})`,
  )
  const [dates, earliest, latest] = rows[0] ?? []
  return { dates: Number(dates), dateFormat, earliest: cellText(earliest), latest: cellText(latest) }
}

/** Shapes of the values: runs of capitals, small letters and digits become one sign, with their length where that is all. */
async function patterns(session: Session, table: string, text: string) {
  const shape = [
    ['\\p{Lu}+', 'A'],
    ['\\p{Ll}+', 'a'],
    ['[0-9]+', '9'],
    ['\\s+', ' '],
  ].reduce((sql, [from, to]) => `regexp_replace(${sql}, '${String(from)}', '${String(to)}', 'g')`, 'left(v, 60)')
  const { rows } = await session.query(
    `SELECT ${shape} AS p, sum(n) AS n, min(left(v, 60)) AS example, min(length(v)) AS a, max(length(v)) AS b
     FROM (SELECT ${text} AS v, count(*) AS n FROM ${table} GROUP BY 1) WHERE v IS NOT NULL GROUP BY 1 ORDER BY n DESC, p LIMIT 5`,
  )
  return rows.map(([pattern, count, example, shortest, longest]) => {
    const lengths = shortest === longest ? cellText(shortest) : `${cellText(shortest)},${cellText(longest)}`
    const shown = cellText(pattern)
    return {
      pattern: /^[Aa9]$/.test(shown) ? `${shown}{${lengths}}` : shown,
      count: Number(count),
      example: cellText(example),
    }
  })
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
