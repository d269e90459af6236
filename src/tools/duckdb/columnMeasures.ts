// What is measured in each column, as SQL: one expression for each measure, so that one query measures a whole table.
import { quoteName } from './sql.ts'
import { kindOf } from './tableProfile.ts'

interface NamedColumn {
  readonly name: string
  readonly type: string
}

const shares = '[0.05, 0.25, 0.5, 0.75, 0.95]'

/** The column's values as plain text: JSON strings without their quotes, JSON null as null. */
export function textOf(column: NamedColumn): string {
  const name = quoteName(column.name)
  return column.type === 'JSON' ? `(${name}->>'$')` : `CAST(${name} AS VARCHAR)`
}

/** The measures of a column by name, each an aggregate expression. */
export function measuresOf(column: NamedColumn): Readonly<Record<string, string>> {
  const name = quoteName(column.name)
  const kind = kindOf(column.type)
  const text = textOf(column)
  const value = kind === 'mixed' || kind === 'nested' ? text : name
  const common = { count: `count(${value})`, distinct: `count(DISTINCT ${value})` }
  switch (kind) {
    case 'integer':
    case 'number': {
      const double = `CAST(${kind === 'number' ? `CASE WHEN isfinite(${name}) THEN ${name} END` : name} AS DOUBLE)`
      return {
        ...common,
        min: `min(${double})`,
        max: `max(${double})`,
        mean: `avg(${double})`,
        deviation: `stddev_samp(${double})`,
        quantiles: `quantile_cont(${double}, ${shares})`,
        negatives: `count(*) FILTER (${name} < 0)`,
        zeros: `count(*) FILTER (${name} = 0)`,
      }
    }
    case 'date':
    case 'timestamp':
    case 'time':
      return {
        ...common,
        min: `CAST(min(${name}) AS VARCHAR)`,
        max: `CAST(max(${name}) AS VARCHAR)`,
        quantiles: `CAST(quantile_disc(${name}, ${shares}) AS VARCHAR[])`,
      }
    case 'text':
    case 'mixed':
      return {
        ...common,
        shortest: `min(length(${text}))`,
        longest: `max(length(${text}))`,
        meanLength: `avg(length(${text}))`,
        empty: `count(*) FILTER (trim(${text}) = '')`,
        padded: `count(*) FILTER (${text} <> trim(${text}))`,
        numbers: `count(TRY_CAST(replace(trim(${text}), ',', '') AS DOUBLE))`,
        // Only what has digits and the length of a date is worth trying as one.
        datelike: `count(*) FILTER (length(${text}) BETWEEN 6 AND 24 AND regexp_matches(${text}, '[0-9].*[0-9]'))`,
      }
    case 'boolean':
    case 'nested':
    case 'other':
      return common
  }
}
