import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDuckDB } from '../../../src/tools/duckdb/openDuckDB.ts'
import { queryTables } from '../../../src/tools/duckdb/queryTables.ts'
import { readTable } from '../../../src/tools/duckdb/readTable.ts'
import type { TableHandle } from '../../../src/tools/duckdb/tableHandle.ts'
import { realCsv, realFolder } from './realFiles.ts'

const db = openDuckDB({ roots: [realFolder] })
let people: TableHandle
let groups: TableHandle
beforeAll(async () => {
  people = await readTable(db, { path: 'lookup_people.csv' })
  groups = await readTable(db, { path: 'lookup_groups.csv' })
})
afterAll(() => db.close())
const ask = (sql: string, maxRows?: number) =>
  queryTables(db, { sql, tables: { people, groups }, ...(maxRows !== undefined && { maxRows }) })

describe('queryTables', () => {
  it('joins the tables it was given, under the names it was given', async () => {
    const { columns, rows } = await ask(
      'SELECT "group", count(*) AS n, avg(age) AS age FROM groups JOIN people ON person = name GROUP BY 1 ORDER BY 1;',
    )
    expect(columns.map(({ name }) => name)).toEqual(['group', 'n', 'age'])
    const age = new Map(realCsv('lookup_people.csv').map((row) => [row['name'], Number(row['age'])]))
    const expected = ['1', '2', '3'].map((group) => {
      const ages = realCsv('lookup_groups.csv').flatMap((row) =>
        row['group'] === group ? [age.get(row['person']) ?? NaN] : [],
      )
      const mean: unknown = expect.closeTo(ages.reduce((sum, next) => sum + next, 0) / ages.length, 9)
      return [Number(group), ages.length, mean]
    })
    expect(rows).toEqual(expected)
  })

  it('allows subqueries by name, and says when there were more rows', async () => {
    const { rows, truncated } = await ask(
      'WITH old AS (SELECT * FROM people WHERE age > 30) SELECT name FROM old -- a remark',
      2,
    )
    expect(rows).toHaveLength(2)
    expect(truncated).toBe(true)
    expect((await ask('SELECT * FROM range(3)')).truncated).toBe(false)
  })

  it.each([
    ['a file', `SELECT * FROM '${realFolder}/airports.csv'`],
    ['a reading function', `SELECT * FROM read_csv('${realFolder}/airports.csv')`],
    ['a reading function inside', `SELECT (SELECT count(*) FROM read_text('${realFolder}/airports.csv'))`],
    ['the catalogue', 'SELECT * FROM information_schema.tables'],
    ['the settings', 'SELECT * FROM duckdb_settings()'],
    ['a query in a text', `SELECT * FROM query('SELECT 1')`],
    ['an unknown table', 'SELECT * FROM persons'],
    ['two statements', 'SELECT 1; SELECT 2'],
    ['a way out of the parentheses', 'SELECT 1) UNION ALL (SELECT 2'],
    ['a change', 'DROP TABLE people'],
    ['a copy', `COPY people TO '/tmp/x.csv'`],
    ['a setting', 'SET threads = 1'],
    ['nothing', ''],
  ])('refuses %s', async (_, sql) => {
    await expect(ask(sql)).rejects.toMatchObject({ code: 'QUERY_REFUSED' })
  })

  it('says what is wrong with a query that does not run', async () => {
    await expect(ask('SELECT nobody FROM people')).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      message: expect.stringContaining('nobody'),
    })
  })
})
