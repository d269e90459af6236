// Probes for dates and years: in the future, before all records, or where clocks begin.
import { quoteName, textOf, type ColumnProfile } from 'planloom/tools'
import type { Probe } from './probe.ts'
import { plural } from './problem.ts'

/** @param moment SQL: the value as a timestamp. @param now ms since the epoch: what lies after it is in the future. */
export function dateProbes(column: ColumnProfile, moment: string, now: number): Probe[] {
  const today = new Date(now).toISOString().slice(0, 10)
  const shown = textOf(column)
  return [
    {
      code: 'impossible_dates',
      column: column.name,
      condition: `${moment} > DATE '${today}' + INTERVAL 1 DAY`,
      shown,
      judge: (count) => ({
        severity: count < 0.5 * column.values ? 'high' : 'low',
        text: `${plural(count, 'date')} in the future${count < 0.1 * column.values ? '; two-digit years may have been put in the wrong century' : ''}`,
      }),
    },
    {
      code: 'impossible_dates',
      column: column.name,
      condition: `${moment} < DATE '1000-01-01'`,
      shown,
      judge: (count) => ({ severity: 'high', text: `${plural(count, 'date')} before the year 1000` }),
    },
    {
      code: 'placeholders',
      column: column.name,
      condition: `CAST(${moment} AS DATE) IN (DATE '1969-12-31', DATE '1970-01-01', DATE '1900-01-01', DATE '1899-12-31')`,
      shown,
      judge: (count) =>
        column.distinct >= 50 && count >= 3 && count > (5 * column.values) / column.distinct / 2
          ? { severity: 'medium', text: `${plural(count, 'date')} where clocks begin: probably "no date"` }
          : undefined,
    },
  ]
}

/** Whole numbers that are called years. */
export function yearProbes(column: ColumnProfile, now: number): Probe[] {
  if (!/(^|[\s_])year$/i.test(column.name) || column.kind !== 'integer' || Number(column.max) < 1000) return []
  const latest = new Date(now).getUTCFullYear() + 100
  return [
    {
      code: 'impossible_dates',
      column: column.name,
      condition: `${quoteName(column.name)} NOT BETWEEN 1000 AND ${String(latest)}`,
      shown: textOf(column),
      judge: (count) => ({ severity: 'high', text: `${plural(count, 'year')} that cannot be one` }),
    },
  ]
}
