// All quality checks of one table: what its profile shows, what probes count, and what needs a query of its own.
import { cellText } from '../cellText.ts'
import { textOf, type ColumnProfile, type DuckDB, type TableHandle, type TableProfile } from 'planloom/tools'
import { gaps } from './gaps.ts'
import { byWeight, gather, percent, plural, verb, type Problem } from './problem.ts'
import type { Look } from './look.ts'
import { isKey, type Probe } from './probe.ts'
import { probesFor } from './probes.ts'
import { checkProfile } from './profileChecks.ts'

export interface FindProblemsOptions {
  /** ms since the epoch: what lies after it is in the future. */
  readonly now: number
  readonly signal?: AbortSignal
}

/** Finds what is wrong, probably wrong, or worth knowing about a table, worst first. */
export async function findProblems(
  db: DuckDB,
  handle: TableHandle,
  profile: TableProfile,
  { now, signal }: FindProblemsOptions,
): Promise<Problem[]> {
  return db.withTable(
    handle,
    async (session, table) => {
      const look: Look = { session, table, profile }
      const problems = [
        ...checkProfile(profile),
        ...(await countProbes(look, probesFor(profile, now))),
        ...(await duplicateRows(look)),
      ]
      for (const column of profile.columns) {
        problems.push(
          ...(await duplicateKeys(look, column)),
          ...(await spellings(look, column)),
          ...(await gaps(look, column)),
        )
      }
      return gather(problems).sort(byWeight)
    },
    signal,
  )
}

async function countProbes({ session, table, profile }: Look, probes: readonly Probe[]): Promise<Problem[]> {
  if (probes.length === 0) return []
  const counts = probes.map(({ condition }) => `count(*) FILTER (${condition})`)
  const { rows } = await session.query(`SELECT ${counts.join(', ')} FROM ${table}`)
  const problems: Problem[] = []
  for (const [index, { code, column, condition, shown, first, judge }] of probes.entries()) {
    const count = Number(rows[0]?.[index])
    const verdict = count > 0 ? judge(count) : undefined
    if (verdict === undefined) continue
    const examples = await session.query(
      `SELECT v FROM (SELECT left(${shown}, 80) AS v, ${first ?? 'count(*)'} AS n FROM ${table} WHERE ${condition} GROUP BY 1) ORDER BY n DESC, v LIMIT 4`,
    )
    const values = profile.columns.find(({ name }) => name === column)?.values ?? profile.rows
    problems.push({
      code,
      table: profile.table,
      columns: [column],
      count,
      share: count / Math.max(1, values),
      ...verdict,
      examples: examples.rows.map(([value]) => cellText(value)),
    })
  }
  return problems
}

async function duplicateRows({ session, table, profile }: Look): Promise<Problem[]> {
  if (profile.sampledFrom !== undefined || profile.rows < 2) return [] // a sample says nothing about it
  const { rows } = await session.query(`SELECT count(*) FROM (SELECT DISTINCT * FROM ${table})`)
  const count = profile.rows - Number(rows[0]?.[0])
  if (count === 0) return []
  const isNarrow = profile.columns.length < 4
  return [
    {
      code: 'duplicate_rows',
      severity: isNarrow ? 'low' : 'medium',
      table: profile.table,
      columns: [],
      count,
      share: count / profile.rows,
      text: `${plural(count, 'row')} (${percent(count / profile.rows)}) ${verb(count, 'repeat')} another one in every column${isNarrow ? '; with so few columns that may be no fault' : ''}`,
      examples: [],
    },
  ]
}

/** A column that is nearly unique, or called a key, and has values more than once. */
async function duplicateKeys({ session, table, profile }: Look, column: ColumnProfile): Promise<Problem[]> {
  const isNamed = isKey(column)
  const isIdentifier = /^(id|key|uuid)$/i.test(column.name)
  const share = column.distinct / Math.max(1, column.values)
  if (column.kind !== 'text' && column.kind !== 'mixed' && !(column.kind === 'integer' && isNamed)) return []
  if (
    profile.sampledFrom !== undefined ||
    column.distinct === column.values ||
    column.values < 10 ||
    share < (isIdentifier ? 0.8 : isNamed ? 0.9 : 0.97)
  )
    return []
  if (column.text !== undefined && column.text.dates > 0.5 * column.values) return []
  const text = textOf(column)
  const { rows } = await session.query(
    `SELECT left(v, 80), n, sum(n) OVER (), count(*) OVER () FROM (SELECT ${text} AS v, count(*) AS n FROM ${table} WHERE ${text} IS NOT NULL GROUP BY 1)
     WHERE n > 1 ORDER BY n DESC, v LIMIT 4`,
  )
  const count = Number(rows[0]?.[2])
  return [
    {
      code: 'duplicate_keys',
      severity: isIdentifier ? 'high' : isNamed ? 'medium' : 'low',
      table: profile.table,
      columns: [column.name],
      count,
      share: count / column.values,
      text: `${plural(Number(rows[0]?.[3]), 'value')} ${verb(Number(rows[0]?.[3]), 'stand')} in ${plural(count, 'row')}, in a column that is ${isNamed ? 'called a key' : 'otherwise unique'}`,
      examples: rows.map(([value, times]) => `${cellText(value)} (${cellText(times)} times)`),
    },
  ]
}

/** The same word written in several ways: "Seattle", "seattle", "SEATTLE ". */
async function spellings({ session, table, profile }: Look, column: ColumnProfile): Promise<Problem[]> {
  if (
    column.kind !== 'text' ||
    column.distinct < 2 ||
    column.distinct > 20_000 ||
    column.distinct > 0.9 * column.values
  )
    return []
  if ((column.text?.numbers ?? 0) + (column.text?.dates ?? 0) > 0.5 * column.values) return []
  const text = textOf(column)
  const { rows } = await session.query(
    `SELECT string_agg(v, ' / ' ORDER BY n DESC, v), sum(n), count(*) OVER (), sum(sum(n) - max(n)) OVER ()
     FROM (SELECT ${text} AS v, count(*) AS n FROM ${table} WHERE ${text} IS NOT NULL GROUP BY 1)
     GROUP BY regexp_replace(lower(v), '[^\\p{L}\\p{N}]+', '', 'g') HAVING count(*) > 1 AND length(any_value(v)) > 2 ORDER BY 2 DESC, 1 LIMIT 4`,
  )
  if (rows.length === 0) return []
  const count = Number(rows[0]?.[3])
  return [
    {
      code: 'spellings',
      severity: 'medium',
      table: profile.table,
      columns: [column.name],
      count,
      share: count / column.values,
      text: `${plural(Number(rows[0]?.[2]), 'value')} in more than one spelling (capitals, blanks or signs)`,
      examples: rows.map(([spelling]) => cellText(spelling).slice(0, 80)),
    },
  ]
}
