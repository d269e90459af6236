// Probes for numbers: far from the others, standing for "no value", or not on earth.
import { quoteName, textOf, type ColumnProfile, type TableProfile } from 'planloom/tools'
import { isKey, type Probe } from './probe.ts'
import { percent, plural } from './problem.ts'

const sentinels = [-99, -999, -9999, -99999, 99999, 999999, 9999999]

export function numberProbes(column: ColumnProfile, profile: TableProfile): Probe[] {
  return isPlace(column, profile) ? placeProbes(column) : [...outliers(column), ...sentinelNumbers(column)]
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
    isKey(column)
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

const latitude = /^(lat|latitude)$/i
const longitude = /^(lon|lng|long|longitude)$/i
const box = ['west', 'south', 'east', 'north']

/** A latitude beside a longitude, or one of four sides: alone, such names may mean anything. */
function isPlace({ name }: ColumnProfile, { columns }: TableProfile): boolean {
  const has = (pattern: RegExp) => columns.some((column) => pattern.test(column.name))
  if (box.includes(name)) return box.every((side) => columns.some((column) => column.name === side))
  return (latitude.test(name) && has(longitude)) || (longitude.test(name) && has(latitude))
}

function placeProbes(column: ColumnProfile): Probe[] {
  const isLatitude = latitude.test(column.name) || column.name === 'south' || column.name === 'north'
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

function number(value: number): string {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}
