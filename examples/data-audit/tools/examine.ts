// What is found out about tables once they can be read: profile, problems, charts, and what relates them.
import { defineTool, findJoins, joinSchema, profileTable, sketchColumns, type TableHandle } from 'planloom/tools'
import { z } from 'zod'
import {
  fileChartsSchema,
  fileProblemsSchema,
  fileProfileSchema,
  fileTablesSchema,
  sketchedTableSchema,
  type Audit,
  type FileProfile,
  type FileTables,
} from '../audit.ts'
import { chartTable } from '../charts/chartTable.ts'
import { findProblems } from '../problems/findProblems.ts'

const tablesAndProfile = z.strictObject({ tables: fileTablesSchema, profile: fileProfileSchema })
const needs = { tables: 'tables', profile: 'profile' }

export function examineTools({ db }: Audit) {
  const profile = defineTool({
    name: 'profile',
    description:
      'Describes each column of the tables in a file: type, nulls, different values, range, quantiles, shapes.',
    input: z.strictObject({ tables: fileTablesSchema }),
    output: fileProfileSchema,
    needs: { tables: 'tables' },
    gives: { profile: '' },
    cost: 2,
    effects: 'read',
    run: async ({ tables: { file, tables } }, { signal, progress }) => {
      const profiles = []
      for (const [done, handle] of tables.entries()) {
        progress({ done, total: tables.length, text: handle.name })
        profiles.push(await profileTable(db, handle, signal))
      }
      return { kind: 'tables' as const, file, tables: profiles }
    },
  })

  const problems = defineTool({
    name: 'find_problems',
    description:
      'Checks the tables of a file for mixed types, duplicates, impossible dates, outliers, gaps, damaged text and more.',
    input: tablesAndProfile,
    output: fileProblemsSchema,
    needs,
    gives: { problems: '' },
    cost: 2,
    effects: 'read',
    run: async (input, { signal, now }) => ({
      file: input.tables.file,
      problems: (
        await forEachTable(input, (handle, described) => findProblems(db, handle, described, { now: now(), signal }))
      ).flat(),
    }),
  })

  const charts = defineTool({
    name: 'chart',
    description: 'Counts what the charts of a file show: distributions, commonest values, series over time, places.',
    input: tablesAndProfile,
    output: fileChartsSchema,
    needs,
    gives: { charts: '' },
    effects: 'read',
    run: async (input, { signal }) => ({
      file: input.tables.file,
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
  input: { readonly tables: FileTables; readonly profile: FileProfile },
  work: (handle: TableHandle, profile: Described) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (const handle of input.tables.tables) {
    const described =
      input.profile.kind === 'tables' ? input.profile.tables.find(({ table }) => table === handle.name) : undefined
    if (described !== undefined) results.push(await work(handle, described))
  }
  return results
}
