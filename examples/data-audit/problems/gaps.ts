// Gaps: a regular series of times in which some are left out.
import { quoteName, quoteText, textOf, type ColumnProfile } from 'planloom/tools'
import type { Look } from './look.ts'
import { plural, type Problem } from './problem.ts'

/** A regular series of times in which some are left out. */
export async function gaps({ session, table, profile }: Look, column: ColumnProfile): Promise<Problem[]> {
  const isText =
    column.kind === 'text' && column.text?.dateFormat !== undefined && column.text.dates >= 0.98 * column.values
  if (
    (column.kind !== 'date' && column.kind !== 'timestamp' && !isText) ||
    column.distinct < 20 ||
    profile.sampledFrom !== undefined
  )
    return []
  const moment = isText
    ? `try_strptime(${textOf(column)}, ${quoteText(column.text?.dateFormat ?? '')})`
    : `CAST(${quoteName(column.name)} AS TIMESTAMP)`
  const { rows } = await session.query(
    `WITH moments AS (SELECT DISTINCT ${moment} AS m FROM ${table} WHERE ${moment} IS NOT NULL),
       steps AS (SELECT m, lead(m) OVER (ORDER BY m) AS next FROM moments),
       lengths AS (SELECT m, next, epoch(next) - epoch(m) AS seconds, date_diff('month', m, next) AS months, day(m) = day(next) AS whole FROM steps WHERE next IS NOT NULL),
       usual AS (SELECT mode(seconds) AS seconds, mode(months) AS months, avg(CAST(whole AS INT)) AS whole FROM lengths)
     SELECT any_value(u.seconds), any_value(u.months), any_value(u.whole), count(*),
       count(*) FILTER (l.seconds = u.seconds), count(*) FILTER (l.months = u.months AND l.whole),
       CAST(coalesce(sum(l.seconds / u.seconds - 1) FILTER (l.seconds > u.seconds), 0) AS DOUBLE),
       CAST(coalesce(sum(l.months / u.months - 1) FILTER (l.months > u.months), 0) AS DOUBLE),
       min(CAST(l.m AS VARCHAR)) FILTER (l.seconds > 1.5 * u.seconds AND l.months > u.months OR l.seconds >= 2 * u.seconds)
     FROM lengths l, usual u`,
  )
  const [seconds, months, whole, steps, equalSeconds, equalMonths, missingSeconds, missingMonths, first] = rows[0] ?? []
  const isMonthly = Number(months) > 0 && Number(whole) > 0.9 && Number(seconds) > 27 * 86_400
  const regular = Number(isMonthly ? equalMonths : equalSeconds) / Number(steps)
  const missing = Math.round(Number(isMonthly ? missingMonths : missingSeconds))
  if (regular < 0.9 || missing < 1) return []
  const step = isMonthly ? (Number(months) % 12 === 0 ? 'year' : 'month') : stepName(Number(seconds))
  return [
    {
      code: 'gaps',
      severity: 'medium',
      table: profile.table,
      columns: [column.name],
      count: missing,
      share: missing / (column.distinct + missing),
      text: `${plural(missing, step)} left out of a series that has one value for each ${step}`,
      examples: typeof first === 'string' ? [`after ${first}`] : [],
    },
  ]
}

function stepName(seconds: number): string {
  const names: Readonly<Record<number, string>> = { 60: 'minute', 3600: 'hour', 86_400: 'day', 604_800: 'week' }
  return names[seconds] ?? `step of ${String(seconds)} s`
}
