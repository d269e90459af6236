// Probes for text: what stands for nothing, what was read in a wrong encoding, and numbers and dates among it.
import { quoteText, textOf, type ColumnProfile } from 'planloom/tools'
import { dateProbes } from './dateProbes.ts'
import { isKey, type Probe } from './probe.ts'
import { plural, verb } from './problem.ts'

// prettier-ignore
const placeholders = [ 'na', 'n/a', '#n/a', 'nan', 'null', 'none', 'nil', '-', '--', '.', '?', 'unknown', 'undefined', 'missing', 'not available', 'tbd']

export function textProbes(column: ColumnProfile, now: number): Probe[] {
  const text = textOf(column)
  const { values } = column
  const probes: Probe[] = [
    {
      code: 'placeholders',
      column: column.name,
      condition: `lower(trim(${text})) IN (${placeholders.map(quoteText).join(', ')})`,
      shown: text,
      judge: (count) => ({
        severity: count < 0.5 * values ? 'medium' : 'low',
        text: `${plural(count, 'value')} that ${verb(count, 'stand')} for "no value"`,
      }),
    },
    {
      code: 'damaged_text',
      column: column.name,
      // A replacement sign, UTF-8 read as Latin-1, or an accented capital right after a small letter (Mac Roman read as Latin-1).
      condition: `regexp_matches(${text}, '\\x{FFFD}|\\x{C3}[\\x{80}-\\x{BF}]|\\x{E2}\\x{20AC}|\\p{Ll}[\\x{C0}-\\x{DE}]')`,
      shown: text,
      judge: (count) => ({
        severity: 'medium',
        text: `${plural(count, 'value')} with letters that were read in a wrong encoding`,
      }),
    },
  ]
  const described = column.text
  if (described?.dateFormat !== undefined && described.dates >= 0.9 * values) {
    const moment = `try_strptime(${text}, ${quoteText(described.dateFormat)})`
    probes.push(...dateProbes(column, moment, now), {
      code: 'impossible_dates',
      column: column.name,
      condition: `${text} IS NOT NULL AND trim(${text}) <> '' AND ${moment} IS NULL`,
      shown: text,
      judge: (count) => ({
        severity: 'high',
        text: `${plural(count, 'value')} among dates that ${count === 1 ? 'is' : 'are'} no date`,
      }),
    })
  } else if (described !== undefined && described.numbers >= 0.5 * values && !isKey(column))
    probes.push(...numbersInText(column, text))
  return probes
}

function numbersInText(column: ColumnProfile, text: string): Probe[] {
  const number = `TRY_CAST(replace(trim(${text}), ',', '') AS DOUBLE)`
  const numbers = column.text?.numbers ?? 0
  if (numbers < column.values) {
    return [
      {
        code: 'mixed_types',
        column: column.name,
        condition: `${text} IS NOT NULL AND trim(${text}) <> '' AND ${number} IS NULL`,
        shown: text,
        judge: (count) => ({
          severity: 'high',
          text: `${plural(count, 'value')} among numbers that ${count === 1 ? 'is' : 'are'} no number`,
        }),
      },
    ]
  }
  return [
    {
      code: 'numbers_as_text',
      column: column.name,
      condition: `${number} IS NOT NULL AND NOT regexp_matches(${text}, '^-?0[0-9]')`,
      shown: text,
      // Codes with leading zeros (ZIP codes) are rightly text.
      judge: (count) =>
        count < column.values
          ? undefined
          : { severity: 'medium', text: 'every value is a number, but they sort and add up as text' },
    },
  ]
}
