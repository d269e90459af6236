// Counting what the charts of a table show. Each chart is one query; rows never leave the database.
import { cellText } from '../cellText.ts'
import {
  quoteName,
  quoteText,
  textOf,
  type ColumnProfile,
  type DuckDB,
  type Session,
  type TableHandle,
  type TableProfile,
} from 'planloom/tools'
import type { Chart } from './chart.ts'

const binCount = 24
const mostColumns = 80

/** Chooses and counts the charts of a table: one for each column that has a shape, one over time, one map. */
export async function chartTable(
  db: DuckDB,
  handle: TableHandle,
  profile: TableProfile,
  signal?: AbortSignal,
): Promise<Chart[]> {
  return db.withTable(
    handle,
    async (session, table) => {
      const charts: Chart[] = []
      const places = await placesOf(session, table, profile)
      const series = await seriesOf(session, table, profile)
      if (places !== undefined) charts.push(places)
      if (series !== undefined) charts.push(series)
      for (const column of profile.columns.slice(0, mostColumns)) {
        const chart = await chartOf(session, table, profile, column)
        if (chart !== undefined) charts.push(chart)
      }
      return charts
    },
    signal,
  )
}

async function chartOf(
  session: Session,
  table: string,
  profile: TableProfile,
  column: ColumnProfile,
): Promise<Chart | undefined> {
  const name = quoteName(column.name)
  switch (column.kind) {
    case 'integer':
    case 'number':
      if (column.distinct < 2 || typeof column.min !== 'number' || typeof column.max !== 'number') return undefined
      return histogram(session, table, profile, column, `CAST(${name} AS DOUBLE)`, column.min, column.max)
    case 'date':
    case 'timestamp':
      return column.distinct < 2 ? undefined : histogramOverTime(session, table, profile, column, name)
    case 'text':
    case 'mixed':
    case 'boolean': {
      const moment = momentOf(column)
      if (moment !== undefined && column.distinct > 12)
        return histogramOverTime(session, table, profile, column, moment)
      const shown = column.top.reduce((sum, { count }) => sum + count, 0)
      if (column.distinct > 0.5 * column.values && column.values > 20) return undefined
      if (column.top.length < 2 || shown < 0.1 * column.values) return undefined
      return {
        kind: 'bars',
        table: profile.table,
        column: column.name,
        bars: column.top.map(({ value, count }) => ({ label: value, count })),
        others: column.values - shown,
      }
    }
    case 'time':
    case 'nested':
    case 'other':
      return undefined
  }
}

async function histogramOverTime(
  session: Session,
  table: string,
  profile: TableProfile,
  column: ColumnProfile,
  moment: string,
) {
  const { rows } = await session.query(
    `SELECT epoch(min(${moment})), epoch(max(${moment})), CAST(CAST(min(${moment}) AS DATE) AS VARCHAR), CAST(CAST(max(${moment}) AS DATE) AS VARCHAR) FROM ${table}`,
  )
  const [from, to, first, last] = rows[0] ?? []
  const chart = await histogram(session, table, profile, column, `epoch(${moment})`, Number(from), Number(to))
  return chart && { ...chart, from: cellText(first), to: cellText(last) }
}

async function histogram(
  session: Session,
  table: string,
  profile: TableProfile,
  column: ColumnProfile,
  value: string,
  from: number,
  to: number,
): Promise<Extract<Chart, { kind: 'histogram' }> | undefined> {
  const span = to - from
  if (!(span > 0) || !Number.isFinite(span)) return undefined
  const isWhole = column.kind === 'integer' && span < binCount
  const count = isWhole ? Math.round(span) + 1 : binCount
  const place = isWhole
    ? `${value} - ${String(from)}`
    : `least(${String(count - 1)}, floor((${value} - ${String(from)}) / ${String(span)} * ${String(count)}))`
  const { rows } = await session.query(
    `SELECT CAST(${place} AS INTEGER) AS bin, count(*) FROM ${table} WHERE ${value} BETWEEN ${String(from)} AND ${String(to)} GROUP BY 1`,
  )
  const bins = Array.from({ length: count }, () => 0)
  for (const [bin, values] of rows) bins[Number(bin)] = Number(values)
  return {
    kind: 'histogram',
    table: profile.table,
    column: column.name,
    from: column.min ?? from,
    to: column.max ?? to,
    bins,
  }
}

const pointCount = 120

/** A measured column over the first column of times that has enough of them. */
async function seriesOf(session: Session, table: string, profile: TableProfile): Promise<Chart | undefined> {
  const time = profile.columns.find((column) => column.distinct >= 8 && momentOf(column) !== undefined)
  const quantities = profile.columns.filter(
    (column) =>
      column !== time &&
      column.distinct > 5 &&
      !/(^|[\s_])(id|code|year|month|day|lat|lon|latitude|longitude)$/i.test(column.name),
  )
  const integers = quantities.filter(({ kind }) => kind === 'integer').sort((a, b) => b.distinct - a.distinct)
  const measured = quantities.find(({ kind }) => kind === 'number') ?? integers[0]
  const moment = time && momentOf(time)
  if (time === undefined || moment === undefined || measured === undefined) return undefined
  const { rows } = await session.query(
    `WITH points AS (SELECT ${moment} AS t, CAST(${quoteName(measured.name)} AS DOUBLE) AS v FROM ${table}),
       ends AS (SELECT min(t) AS a, max(t) AS b FROM points WHERE t IS NOT NULL AND v IS NOT NULL)
     SELECT avg((epoch(t) - epoch(a)) / (epoch(b) - epoch(a))), avg(v), CAST(any_value(a) AS DATE), CAST(any_value(b) AS DATE)
     FROM points, ends WHERE t IS NOT NULL AND isfinite(v) AND b > a
     GROUP BY least(${String(pointCount - 1)}, floor((epoch(t) - epoch(a)) / (epoch(b) - epoch(a)) * ${String(pointCount)})) ORDER BY 1`,
  )
  if (rows.length < 8) return undefined
  return {
    kind: 'series',
    table: profile.table,
    over: time.name,
    column: measured.name,
    from: cellText(rows[0]?.[2]),
    to: cellText(rows[0]?.[3]),
    points: rows.map(([x, y]) => [Number(Number(x).toFixed(4)), Number(Number(y).toPrecision(6))]),
  }
}

function momentOf(column: ColumnProfile): string | undefined {
  if (column.kind === 'date' || column.kind === 'timestamp') return `CAST(${quoteName(column.name)} AS TIMESTAMP)`
  if (column.text?.dateFormat !== undefined && column.text.dates >= 0.98 * column.values)
    return `try_strptime(${textOf(column)}, ${quoteText(column.text.dateFormat)})`
  const isYear =
    /^year$/i.test(column.name) && column.kind === 'integer' && Number(column.min) > 1000 && Number(column.max) < 3000
  return isYear ? `CAST(make_date(CAST(${quoteName(column.name)} AS INTEGER), 1, 1) AS TIMESTAMP)` : undefined
}

const mapColumns = 96

/** A map, where there are latitudes and longitudes (or the box of each shape). */
async function placesOf(
  session: Session,
  table: string,
  { table: name, columns, rows: count }: TableProfile,
): Promise<Chart | undefined> {
  const numeric = columns.filter(({ kind }) => kind === 'number' || kind === 'integer')
  const find = (pattern: RegExp) => numeric.find((column) => pattern.test(column.name))
  const [latitude, longitude] = [find(/^(lat|latitude|cy)$/i), find(/^(lon|lng|long|longitude|cx)$/i)]
  const [west, east, south, north] = ['west', 'east', 'south', 'north'].map((side) => find(new RegExp(`^${side}$`)))
  const middle = (a: ColumnProfile, b: ColumnProfile) => `(${quoteName(a.name)} + ${quoteName(b.name)}) / 2`
  const place =
    latitude && longitude
      ? [quoteName(longitude.name), quoteName(latitude.name)]
      : west && east && south && north
        ? [middle(west, east), middle(south, north)]
        : undefined
  if (place === undefined || count < 2) return undefined
  const [x = '', y = ''] = place
  const ends = await session.query(
    `SELECT min(x), min(y), max(x), max(y) FROM (SELECT ${x} AS x, ${y} AS y FROM ${table}) WHERE abs(x) <= 180 AND abs(y) <= 90`,
  )
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = (ends.rows[0] ?? []).map(Number)
  if (!(maxX > minX) || !(maxY > minY)) return undefined
  // A degree of longitude is shorter away from the equator.
  const aspect = (maxY - minY) / (maxX - minX) / Math.cos((((minY + maxY) / 2) * Math.PI) / 180)
  const rowCount = Math.max(8, Math.min(mapColumns, Math.round(mapColumns * aspect)))
  const cell = (value: string, from: number, to: number, cells: number) =>
    `least(${String(cells - 1)}, CAST(floor((${value} - ${String(from)}) / ${String(to - from)} * ${String(cells)}) AS INTEGER))`
  const { rows } = await session.query(
    `SELECT ${cell('x', minX, maxX, mapColumns)} AS c, ${String(rowCount - 1)} - ${cell('y', minY, maxY, rowCount)} AS r, count(*)
     FROM (SELECT ${x} AS x, ${y} AS y FROM ${table}) WHERE abs(x) <= 180 AND abs(y) <= 90 GROUP BY 1, 2 ORDER BY 2, 1`,
  )
  return {
    kind: 'places',
    table: name,
    west: minX,
    south: minY,
    east: maxX,
    north: maxY,
    columns: mapColumns,
    rows: rowCount,
    cells: rows.map(([column, row, values]) => [Number(column), Number(row), Number(values)]),
  }
}
