// Probes: conditions on a row that should never hold. One query counts all of a table's probes at once.
import { quoteName, quoteText, textOf, type ColumnProfile, type TableProfile } from 'planloom/tools'
import { percent, plural, verb, type Problem, type ProblemCode } from './problem.ts'

export interface Probe {
  readonly code: ProblemCode
  readonly column: string
  /** SQL: true for a row that is at fault. */
  readonly condition: string
  /** SQL: what to show of it. */
  readonly shown: string
  /** SQL: which examples to show first. @default the commonest */
  readonly first?: string
  /** What the count means; `undefined` when it means nothing. */
  readonly judge: (count: number) => Pick<Problem, 'severity' | 'text'> | undefined
}

const placeholders = [
  'na',
  'n/a',
  '#n/a',
  'nan',
  'null',
  'none',
  'nil',
  '-',
  '--',
  '.',
  '?',
  'unknown',
  'undefined',
  'missing',
  'not available',
  'tbd',
]
const sentinels = [-99, -999, -9999, -99999, 99999, 999999, 9999999]

/** All probes that make sense for a table. @param now ms since the epoch: what lies after it is in the future. */
export function probesFor(profile: TableProfile, now: number): Probe[] {
  return [
    ...profile.columns.flatMap((column) => {
      switch (column.kind) {
        case 'integer':
        case 'number':
          return [...outliers(column), ...sentinelNumbers(column), ...places(column), ...years(column, now)]
        case 'date':
        case 'timestamp':
          return dates(column, quoteName(column.name), now)
        case 'text':
        case 'mixed':
          return texts(column, now)
        case 'boolean':
        case 'time':
        case 'nested':
        case 'other':
          return []
      }
    }),
    ...orders(profile),
  ]
}

function texts(column: ColumnProfile, now: number): Probe[] {
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
    probes.push(...dates(column, moment, now), {
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

function dates(column: ColumnProfile, moment: string, now: number): Probe[] {
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

function years(column: ColumnProfile, now: number): Probe[] {
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

/** Values far outside: beyond three times the middle half's width, on a logarithmic scale where the numbers span many sizes. */
function outliers(column: ColumnProfile): Probe[] {
  const [, q1, median, q3] = (column.quantiles ?? []).map(Number)
  if (
    q1 === undefined ||
    median === undefined ||
    q3 === undefined ||
    column.values < 20 ||
    column.distinct < 10 ||
    isKey(column) ||
    isPlace(column)
  )
    return []
  const isSkewed = Number(column.min) > 0 && Number(column.max) > 20 * median
  const [low, high] = isSkewed
    ? [Math.exp(fence(Math.log(q1), Math.log(q3), -1)), Math.exp(fence(Math.log(q1), Math.log(q3), 1))]
    : [fence(q1, q3, -1), fence(q1, q3, 1)]
  if (q3 <= q1 || (Number(column.min) >= low && Number(column.max) <= high)) return []
  const condition = `(${quoteName(column.name)} < ${String(low)} OR ${quoteName(column.name)} > ${String(high)})`
  const limits = [
    ...(Number(column.min) < low ? [`below ${number(low)}`] : []),
    ...(Number(column.max) > high ? [`above ${number(high)}`] : []),
  ]
  return [
    {
      code: 'outliers',
      column: column.name,
      condition,
      shown: textOf(column),
      first: `max(abs(${quoteName(column.name)} - ${String(median)}))`,
      judge: (count) =>
        count > 0.02 * column.values
          ? undefined
          : {
              severity: 'low',
              text: `${plural(count, 'value')} (${percent(count / column.values)}) ${limits.join(' or ')}, far from the others`,
            },
    },
  ]
}

function fence(q1: number, q3: number, side: -1 | 1): number {
  return side < 0 ? q1 - 3 * (q3 - q1) : q3 + 3 * (q3 - q1)
}

function sentinelNumbers(column: ColumnProfile): Probe[] {
  const suspects = sentinels.filter((value) => value === column.min || value === column.max)
  if (suspects.length === 0 || isKey(column)) return []
  return [
    {
      code: 'placeholders',
      column: column.name,
      condition: `${quoteName(column.name)} IN (${suspects.join(', ')})`,
      shown: textOf(column),
      judge: (count) =>
        count < 2 ? undefined : { severity: 'medium', text: `${plural(count, 'value')} that may stand for "no value"` },
    },
  ]
}

const latitudes = /^(lat|latitude|south|north|cy)$/i
const longitudes = /^(lon|lng|long|longitude|west|east|cx)$/i

function isPlace({ name }: ColumnProfile): boolean {
  return latitudes.test(name) || longitudes.test(name)
}

/** Latitudes and longitudes by their names. */
function places(column: ColumnProfile): Probe[] {
  if (!isPlace(column)) return []
  const isLatitude = latitudes.test(column.name)
  const most = isLatitude ? 90 : 180
  return [
    {
      code: 'impossible_values',
      column: column.name,
      condition: `abs(${quoteName(column.name)}) > ${String(most)}`,
      shown: textOf(column),
      judge: (count) => ({
        severity: 'high',
        text: `${plural(count, isLatitude ? 'latitude' : 'longitude')} beyond ±${String(most)}`,
      }),
    },
  ]
}

const opposites = [
  ['low', 'high'],
  ['min', 'max'],
  ['start', 'end'],
  ['begin', 'end'],
  ['from', 'to'],
] as const

/** Pairs of columns whose names say that one cannot exceed the other: `temp_min` and `temp_max`. */
function orders({ columns }: TableProfile): Probe[] {
  const comparable = columns.filter(
    ({ kind }) => kind === 'integer' || kind === 'number' || kind === 'date' || kind === 'timestamp',
  )
  return comparable.flatMap((lower) =>
    opposites.flatMap(([small, large]): Probe[] => {
      const part = new RegExp(`(^|[^a-z])${small}($|[^a-z])`, 'i')
      const name = lower.name.replace(part, (_, before: string, after: string) => `${before}${large}${after}`)
      const upper = comparable.find(
        (column) => column.name === name && column.name !== lower.name && column.kind === lower.kind,
      )
      if (upper === undefined) return []
      return [
        {
          code: 'contradictions',
          column: lower.name,
          condition: `${quoteName(lower.name)} > ${quoteName(upper.name)}`,
          shown: `CAST(${quoteName(lower.name)} AS VARCHAR) || ' > ' || CAST(${quoteName(upper.name)} AS VARCHAR)`,
          judge: (count) => ({
            severity: 'high',
            text: `${plural(count, 'row')} where "${lower.name}" exceeds "${upper.name}"`,
          }),
        },
      ]
    }),
  )
}

/** By its name, a column of keys or codes: not a quantity. */
export function isKey(column: Pick<ColumnProfile, 'name' | 'kind'>): boolean {
  return /(^|[\s_.])(id|ids|key|code|no|nr|number|zip|iata|fips|index)$|[a-z]Id$|^(zip|id)_?code$/i.test(column.name)
}

function number(value: number): string {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}
