import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ToolContext } from '../../../src/tools/tool.ts'
import { duckdbTools } from '../../../src/tools/duckdb/duckdbTools.ts'
import { openDuckDB, type DuckDB } from '../../../src/tools/duckdb/openDuckDB.ts'
import { realCsv, realFolder } from './realFiles.ts'

let db: DuckDB
let work: string
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'planloom-tools-'))
  db = openDuckDB({ roots: [realFolder], workFolder: work })
})
afterAll(async () => {
  await db.close()
  rmSync(work, { recursive: true })
})

const context: ToolContext = {
  signal: new AbortController().signal,
  runId: 'run',
  stepId: 'step',
  attempt: 1,
  idempotencyKey: 'key',
  progress: () => undefined,
  heartbeat: () => undefined,
  log: () => undefined,
  now: () => 0,
}

describe('duckdbTools', () => {
  it('are described for planners: what they need, give and do', () => {
    const [read, profile, query, sample, joins] = duckdbTools(db)
    expect(
      [read, profile, query, sample, joins].map(({ description }) => [
        description.name,
        description.effects,
        description.idempotent,
      ]),
    ).toEqual([
      ['table_read', 'read', true],
      ['table_profile', 'read', true],
      ['table_query', 'read', true],
      ['table_sample', 'write', true],
      ['table_joins', 'read', true],
    ])
    expect(read.description).toMatchObject({ needs: { path: { fact: 'path' } }, gives: { table: { from: '/table' } } })
    expect(profile.description).toMatchObject({
      needs: { table: { fact: 'table' } },
      gives: { profile: { from: '/profile' } },
    })
  })

  it('pass tables on to each other, as JSON that their schemas accept', async () => {
    const [read, profile, query, sample, joins] = duckdbTools(db)
    const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
    const people = read.output.parse(json(await read.run({ path: 'lookup_people.csv' }, context))).table
    const groups = read.output.parse(json(await read.run({ path: 'lookup_groups.csv' }, context))).table
    expect(profile.output.parse(json(await profile.run({ table: people }, context))).profile).toMatchObject({
      rows: 9,
      columns: [{ name: 'name' }, { name: 'age', kind: 'integer' }, { name: 'height' }],
    })
    const asked = await query.run({ sql: 'SELECT max(age) FROM people', tables: { people } }, context)
    expect(query.output.parse(json(asked)).rows).toEqual([
      [Math.max(...realCsv('lookup_people.csv').map((row) => Number(row['age'])))],
    ])
    const smaller = sample.output.parse(json(await sample.run({ table: people, rows: 4, seed: 3 }, context))).table
    expect(smaller).toMatchObject({ sampledFrom: 9 })
    const found = joins.output.parse(json(await joins.run({ tables: [people, groups] }, context))).joins
    expect(found).toMatchObject([{ left: { column: 'person' }, right: { column: 'name' }, shared: 9 }])
  })

  it('say what to install when DuckDB is missing', async () => {
    const load = () => Promise.reject(new Error('no such package'))
    const [read] = duckdbTools({ roots: [realFolder], load })
    await expect(read.run({ path: 'wheat.json' }, context)).rejects.toMatchObject({
      code: 'DUCKDB_MISSING',
      retryable: false,
    })
  })

  it('stop when the step is stopped', async () => {
    const stopped = AbortSignal.abort(new Error('cancelled'))
    const [read] = duckdbTools(db)
    await expect(read.run({ path: 'zipcodes.csv' }, { ...context, signal: stopped })).rejects.toThrow('cancelled')
  })
})
