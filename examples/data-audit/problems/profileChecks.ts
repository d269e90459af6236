// Problems that a profile shows by itself, without another look at the rows.
import type { ColumnProfile, TableProfile } from 'planloom/tools'
import { percent, plural, type Problem } from './problem.ts'

/** From how many rows on a share means something. */
const fewestRows = 20

export function checkProfile(profile: TableProfile): Problem[] {
  return profile.columns.flatMap((column) =>
    [mixedTypes, missing, constant, datesAsText, paddedText].flatMap((check) => check(column, profile) ?? []),
  )
}

type Check = (column: ColumnProfile, profile: TableProfile) => Problem | undefined

const mixedTypes: Check = (column, { table }) => {
  const types = column.jsonTypes ?? []
  const [most] = types
  if (types.length < 2 || most === undefined) return undefined
  const count = column.values - most.count
  return {
    code: 'mixed_types',
    severity: 'high',
    table,
    columns: [column.name],
    count,
    share: count / column.values,
    text: types.map((type) => plural(type.count, type.type)).join(', '),
    examples: [],
  }
}

const missing: Check = (column, { table, rows }) => {
  const count = column.nulls + (column.text?.empty ?? 0)
  const share = rows === 0 ? 0 : count / rows
  if (share < 0.2) return undefined
  return {
    code: 'missing',
    severity: share === 1 ? 'high' : share >= 0.5 ? 'medium' : 'low',
    table,
    columns: [column.name],
    count,
    share,
    text: share === 1 ? 'no row has a value' : `${percent(share)} of the rows have no value`,
    examples: [],
  }
}

const constant: Check = (column, { table, rows }) => {
  const [most] = column.top
  if (rows < fewestRows || most === undefined || column.values < fewestRows) return undefined
  const share = most.count / column.values
  if (share < 0.98) return undefined
  const isConstant = column.distinct === 1
  return {
    code: isConstant ? 'constant' : 'near_constant',
    severity: 'low',
    table,
    columns: [column.name],
    count: most.count,
    share,
    text: isConstant
      ? 'every value is the same'
      : `${percent(share)} of the values are the same; the others: ${plural(column.values - most.count, 'value')}`,
    examples: [most.value],
  }
}

const datesAsText: Check = (column, { table }) => {
  const { text } = column
  if (text?.dateFormat === undefined || column.values === 0 || text.dates < 0.98 * column.values) return undefined
  return {
    code: 'dates_as_text',
    severity: 'low',
    table,
    columns: [column.name],
    count: text.dates,
    share: text.dates / column.values,
    text: `dates written as ${text.dateFormat}: they do not sort or subtract as they stand`,
    examples: text.patterns.slice(0, 1).map(({ example }) => example),
  }
}

const paddedText: Check = (column, { table }) => {
  const count = column.text?.padded ?? 0
  if (count === 0) return undefined
  return {
    code: 'padded_text',
    severity: 'medium',
    table,
    columns: [column.name],
    count,
    share: count / column.values,
    text: `${plural(count, 'value')} with blanks before or after`,
    examples: [],
  }
}
