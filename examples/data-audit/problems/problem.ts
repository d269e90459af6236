// A problem with data quality, as the report shows it: what, where, how much, and an example to look at.
import { z } from 'zod'

export const problemCodes = [
  'mixed_types',
  'numbers_as_text',
  'dates_as_text',
  'duplicate_rows',
  'duplicate_keys',
  'impossible_dates',
  'impossible_values',
  'contradictions',
  'outliers',
  'placeholders',
  'missing',
  'constant',
  'near_constant',
  'damaged_text',
  'padded_text',
  'spellings',
  'gaps',
  'damaged_file',
] as const
export type ProblemCode = (typeof problemCodes)[number]

export const problemSchema = z.strictObject({
  code: z.enum(problemCodes),
  /** `high`: wrong. `medium`: probably wrong. `low`: worth knowing before using the column. */
  severity: z.enum(['high', 'medium', 'low']),
  table: z.string(),
  /** None where the whole row or file is meant; several where the same is true of each. */
  columns: z.array(z.string()),
  /** Rows or values concerned, in one column. */
  count: z.int(),
  /** Of all that were looked at, 0 to 1. */
  share: z.number(),
  text: z.string(),
  examples: z.array(z.string()),
})
export type Problem = z.infer<typeof problemSchema>

export const problemNames: Readonly<Record<ProblemCode, string>> = {
  mixed_types: 'Mixed types',
  numbers_as_text: 'Numbers as text',
  dates_as_text: 'Dates as text',
  duplicate_rows: 'Duplicate rows',
  duplicate_keys: 'Duplicate keys',
  impossible_dates: 'Impossible dates',
  impossible_values: 'Impossible values',
  contradictions: 'Contradictions',
  outliers: 'Outliers',
  placeholders: 'Placeholders',
  missing: 'Missing values',
  constant: 'Constant',
  near_constant: 'Nearly constant',
  damaged_text: 'Damaged text',
  padded_text: 'Padded text',
  spellings: 'Spelling variants',
  gaps: 'Gaps in time',
  damaged_file: 'Damaged file',
}

const order = ['high', 'medium', 'low']

/** Worst first, then by table, column and code: the same problems always stand in the same order. */
export function byWeight(a: Problem, b: Problem): number {
  const weight = order.indexOf(a.severity) - order.indexOf(b.severity)
  const [x, y] = [a, b].map(({ table, columns, code }) => `${table}\0${columns.join('\0')}\0${code}`) as [
    string,
    string,
  ]
  return weight || (x < y ? -1 : x > y ? 1 : 0)
}

/** @example plural(1, 'value') // '1 value' */
export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`
}

/** @example verb(1, 'stand') // 'stands' */
export function verb(count: number, word: string): string {
  return count === 1 ? `${word}s` : word
}

/** @example percent(0.1234) // '12 %' */
export function percent(share: number): string {
  if (share > 0 && share < 0.001) return 'under 0.1 %'
  if (share > 0.99 && share < 1) return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`
}

/** Problems that are the same in several columns of a table, put together. */
export function gather(problems: readonly Problem[]): Problem[] {
  const groups = new Map<string, Problem>()
  for (const problem of problems) {
    const key = [problem.code, problem.severity, problem.table, problem.text].join('\0')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, problem)
    else {
      const examples = [...new Set([...group.examples, ...problem.examples])].slice(0, 4)
      groups.set(key, { ...group, columns: [...group.columns, ...problem.columns], examples })
    }
  }
  return [...groups.values()]
}
