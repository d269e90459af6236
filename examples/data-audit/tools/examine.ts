// What is found out about tables once they can be read: profile, problems, charts, and what relates them.
import {
  defineTool,
  findJoins,
  joinSchema,
  profileTable,
  sketchColumns,
  tableHandleSchema,
  type TableHandle,
} from 'planloom/tools'
import { z } from 'zod'
import { fileProfileSchema, sketchedTableSchema, type Audit, type FileProfile } from '../audit.ts'
import { chartSchema } from '../charts/chart.ts'
import { chartTable } from '../charts/chartTable.ts'
import { findProblems } from '../problems/findProblems.ts'
import { problemSchema } from '../problems/problem.ts'

const tables = z.array(tableHandleSchema)
const tablesAndProfile = z.strictObject({ tables, profile: fileProfileSchema })
const needs = { tables: 'tables', profile: 'profile' }

export function examineTools({ db }: Audit) {
  const profile = defineTool({
    name: 'profile',
    description:
      'Describes each column of the tables in a file: type, nulls, different values, range, quantiles, shapes.',
    input: z.strictObject({ tables }),
    output: z.strictObject({ profile: fileProfileSchema }),
    needs: { tables: 'tables' },
    gives: { profile: '/profile' },
    cost: 2,
    effects: 'read',
    run: async (input, { signal, progress }) => {
      const profiles = []
      for (const [done, handle] of input.tables.entries()) {
        progress({ done, total: input.tables.length, text: handle.name })
        profiles.push(await profileTable(db, handle, signal))
      }
      return { profile: { kind: 'tables' as const, tables: profiles } }
    },
  })

  const problems = defineTool({
    name: 'find_problems',
    description:
      'Checks the tables of a file for mixed types, duplicates, impossible dates, outliers, gaps, damaged text and more.',
    input: tablesAndProfile,
    output: z.strictObject({ problems: z.array(problemSchema) }),
    needs,
    gives: { problems: '/problems' },
    cost: 2,
    effects: 'read',
    run: async (input, { signal, now }) => ({
      problems: (
        await forEachTable(input, (handle, described) => findProblems(db, handle, described, { now: now(), signal }))
      ).flat(),
    }),
  })

  const charts = defineTool({
    name: 'chart',
    description: 'Counts what the charts of a file show: distributions, commonest values, series over time, places.',
    input: tablesAndProfile,
    output: z.strictObject({ charts: z.array(chartSchema) }),
    needs,
    gives: { charts: '/charts' },
    effects: 'read',
    run: async (input, { signal }) => ({
      charts: (await forEachTable(input, (handle, described) => chartTable(db, handle, described, signal))).flat(),
    }),
  })

  const sketches = defineTool({
    name: 'sketch',
    description:
      'Takes from each column that may relate tables a sketch of its values, small enough to compare with all others.',
    input: tablesAndProfile,
    output: z.strictObject({ sketches: z.array(sketchedTableSchema) }),
    needs,
    gives: { sketches: '/sketches' },
    effects: 'read',
    run: async (input, { signal }) => ({
      sketches: await forEachTable(input, async (table, described) => ({
        table,
        columns: await sketchColumns(db, table, described, signal),
      })),
    }),
  })

  const joins = defineTool({
    name: 'find_joins',
    description: 'Finds which columns of different files hold the same values, and with what evidence.',
    input: z.strictObject({ sketches: z.array(z.array(sketchedTableSchema).nullable()) }),
    output: z.strictObject({ joins: z.array(joinSchema) }),
    needs: { sketches: { fact: 'sketches', each: true } },
    gives: { joins: '/joins' },
    cost: 5,
    effects: 'read',
    run: async (input, { signal, progress }) => ({
      joins: await findJoins(db, {
        tables: input.sketches.flatMap((sketched) => sketched ?? []).map(({ table }) => table),
        sketches: input.sketches.flatMap((sketched) => sketched ?? []).flatMap(({ columns }) => columns),
        signal,
        progress: (done, total) => {
          if (done % 20 === 0) progress({ done, total, text: 'pairs of columns' })
        },
      }),
    }),
  })

  return [profile, problems, charts, sketches, joins]
}

type Described = (FileProfile & { kind: 'tables' })['tables'][number]

async function forEachTable<T>(
  input: { readonly tables: readonly TableHandle[]; readonly profile: FileProfile },
  work: (handle: TableHandle, profile: Described) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (const handle of input.tables) {
    const described =
      input.profile.kind === 'tables' ? input.profile.tables.find(({ table }) => table === handle.name) : undefined
    if (described !== undefined) results.push(await work(handle, described))
  }
  return results
}
