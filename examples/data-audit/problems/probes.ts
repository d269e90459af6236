// All probes that make sense for a table. One query counts them all at once.
import { quoteName, type TableProfile } from 'planloom/tools'
import { dateProbes, yearProbes } from './dateProbes.ts'
import { numberProbes } from './numberProbes.ts'
import type { Probe } from './probe.ts'
import { plural } from './problem.ts'
import { textProbes } from './textProbes.ts'

/** All probes that make sense for a table. @param now ms since the epoch: what lies after it is in the future. */
export function probesFor(profile: TableProfile, now: number): Probe[] {
  return [
    ...profile.columns.flatMap((column) => {
      switch (column.kind) {
        case 'integer':
        case 'number':
          return [...numberProbes(column, profile), ...yearProbes(column, now)]
        case 'date':
        case 'timestamp':
          return dateProbes(column, quoteName(column.name), now)
        case 'text':
        case 'mixed':
          return textProbes(column, now)
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
