import { afterAll, describe, expect, it } from 'vitest'
import { openDuckDB, profileTable, readTable } from 'planloom/tools'
import { findProblems } from '../../../examples/data-audit/problems/findProblems.ts'
import { gather, type Problem } from '../../../examples/data-audit/problems/problem.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realCsv, realFolder, realJson } from '../../tools/duckdb/realFiles.ts'

const folder = mkdtempSync(join(tmpdir(), 'planloom-problems-'))
const db = openDuckDB({ roots: [realFolder, folder] })
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
const now = Date.UTC(2026, 0, 1)

async function problemsOf(path: string): Promise<Problem[]> {
  const table = await readTable(db, { path })
  return findProblems(db, table, await profileTable(db, table), { now })
}
async function find(path: string, code: Problem['code'], column?: string): Promise<Problem | undefined> {
  return (await problemsOf(path)).find(
    (problem) => problem.code === code && (column === undefined || problem.columns.includes(column)),
  )
}
async function problemsIn(text: string): Promise<Problem[]> {
  const path = join(folder, 'made.csv')
  writeFileSync(path, text)
  return problemsOf(path)
}

describe('problems of the real files', () => {
  it('finds the dates of movies.json that lie in the future', async () => {
    const dates = realJson('movies.json').map((row) => Date.parse(`${String(row['Release Date'])} UTC`))
    const future = dates.filter((date) => date > now + 86_400_000).length
    expect(future).toBeGreaterThan(10)
    expect(await find('movies.json', 'impossible_dates', 'Release Date')).toMatchObject({
      severity: 'high',
      count: future,
    })
  })

  it('finds the titles of movies.json that are numbers, and those that were read in a wrong encoding', async () => {
    expect(await find('movies.json', 'mixed_types', 'Title')).toMatchObject({
      severity: 'high',
      count: 9,
      text: '3,191 strings, 9 numbers',
    })
    const damaged = await find('movies.json', 'damaged_text', 'Title')
    expect(damaged).toMatchObject({
      severity: 'medium',
      examples: expect.arrayContaining(['AstÈrix aux Jeux Olympiques']),
    })
  })

  it('finds the release dates that stand for "no date"', async () => {
    const clocks = realJson('movies.json').filter((row) =>
      ['Dec 31 1969', 'Jan 01 1970'].includes(String(row['Release Date'])),
    )
    expect(await find('movies.json', 'placeholders', 'Release Date')).toMatchObject({ count: clocks.length })
  })

  it('finds the one penguin whose sex is a dot', async () => {
    expect(await find('penguins.json', 'placeholders', 'Sex')).toMatchObject({ count: 1, examples: ['.'] })
  })

  it('finds rows that stand twice in birdstrikes.csv', async () => {
    const rows = realCsv('birdstrikes.csv')
    const count = rows.length - new Set(rows.map((row) => JSON.stringify(row))).size
    expect(count).toBeGreaterThan(0)
    expect(await find('birdstrikes.csv', 'duplicate_rows')).toMatchObject({ severity: 'medium', count })
  })

  it('finds the months that are missing in co2-concentration.csv', async () => {
    const months = realCsv('co2-concentration.csv').map(
      (row) => Number(row['Date']?.slice(0, 4)) * 12 + Number(row['Date']?.slice(5, 7)),
    )
    const missing = Math.max(...months) - Math.min(...months) + 1 - new Set(months).size
    expect(missing).toBe(5)
    expect(await find('co2-concentration.csv', 'gaps', 'Date')).toMatchObject({
      count: missing,
      text: expect.stringContaining('months'),
    })
  })

  it('finds the numbers of budget.json that are texts, in one problem for all columns', async () => {
    const problem = await find('budget.json', 'numbers_as_text')
    expect(problem?.columns).toHaveLength(60)
    expect(problem?.columns).toEqual(expect.arrayContaining(['1962', 'TQ', '2020']))
  })

  it('finds cars that are spelled in several ways, and jobs with blanks around them', async () => {
    expect((await find('cars.json', 'spellings', 'Name'))?.examples).toContain('audi 100ls / audi 100 ls')
    const padded = realJson('jobs.json').filter((row) => row['job'] !== String(row['job']).trim()).length
    expect(await find('jobs.json', 'padded_text', 'job')).toMatchObject({ count: padded })
  })

  it('finds the column of countries.json that is all but empty', async () => {
    expect(await find('countries.json', 'missing', '_comment')).toMatchObject({ severity: 'medium', count: 619 })
  })

  it('finds the one name that stands twice in flare.json', async () => {
    expect(await find('flare.json', 'duplicate_keys', 'name')).toMatchObject({ count: 2, examples: ['data (2 times)'] })
  })

  it('finds the airports that lie outside the USA by the column that is nearly constant', async () => {
    const abroad = realCsv('airports.csv').filter((row) => row['country'] !== 'USA').length
    expect(abroad).toBeGreaterThan(0)
    expect(await find('airports.csv', 'near_constant', 'country')).toMatchObject({ severity: 'low' })
  })

  it('leaves codes with leading zeros alone, and files without faults', async () => {
    expect(await find('zipcodes.csv', 'numbers_as_text')).toBeUndefined()
    expect(await problemsOf('anscombe.json')).toEqual([])
    expect(await problemsOf('lookup_people.csv')).toEqual([])
  })
})

describe('problems of made files', () => {
  const rows = (count: number, row: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => row(index)).join('\n')

  it('finds a key that stands twice', async () => {
    const problems = await problemsIn(`id,v\n${rows(30, (index) => `k${String(index % 29)},${String(index)}`)}\n`)
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'duplicate_keys', severity: 'high', columns: ['id'], count: 2 }),
    )
  })

  it('finds dates that do not exist', async () => {
    const problems = await problemsIn(
      `day\n${rows(40, (index) => `2020/01/${String((index % 28) + 1).padStart(2, '0')}`)}\n2021/02/30\n`,
    )
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'impossible_dates', severity: 'high', examples: ['2021/02/30'] }),
    )
  })

  it('finds places that are not on earth, and lows above highs', async () => {
    const problems = await problemsIn(
      `lat,lon,temp_min,temp_max\n${rows(25, (index) => `${String(index)},${String(index)},1,${String(index + 2)}`)}\n91.5,200,9,3\n`,
    )
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'impossible_values', columns: ['lat'], count: 1, examples: ['91.5'] }),
    )
    expect(problems).toContainEqual(expect.objectContaining({ code: 'impossible_values', columns: ['lon'], count: 1 }))
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'contradictions', columns: ['temp_min'], count: 1, examples: ['9 > 3'] }),
    )
  })

  it('finds a value that is far from the others, the farthest first', async () => {
    const problems = await problemsIn(`v\n${rows(200, (index) => String(100 + (index % 20)))}\n9999\n500\n`)
    expect(problems).toContainEqual(expect.objectContaining({ code: 'outliers', count: 2, examples: ['9999', '500'] }))
  })

  it('finds words among numbers', async () => {
    const problems = await problemsIn(`n,m\n${rows(30, (index) => `${String(index * 3)},1`)}\nabout 7,1\n`)
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'mixed_types', severity: 'high', columns: ['n'], examples: ['about 7'] }),
    )
  })

  it('finds missing days', async () => {
    const day = (index: number) => new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10)
    const problems = await problemsIn(
      `day,v\n${rows(60, (index) => (index === 20 || index === 21 ? '' : `${day(index)},${String(index % 7)}`))}\n`.replace(
        /\n\n+/g,
        '\n',
      ),
    )
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'gaps', count: 2, examples: [expect.stringContaining('2020-01-20')] }),
    )
  })
})

describe('gather', () => {
  it('puts together what is the same in several columns, and nothing else', () => {
    const problem: Problem = {
      code: 'missing',
      severity: 'low',
      table: 't',
      columns: ['a'],
      count: 3,
      share: 0.3,
      text: 'x',
      examples: ['1'],
    }
    const other = { ...problem, columns: ['b'], examples: ['1', '2'] }
    const elsewhere = { ...problem, table: 'u' }
    expect(gather([problem, other, elsewhere])).toEqual([
      { ...problem, columns: ['a', 'b'], examples: ['1', '2'] },
      elsewhere,
    ])
  })
})
