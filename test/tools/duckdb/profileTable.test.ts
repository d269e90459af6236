import { afterAll, describe, expect, it } from 'vitest'
import { openDuckDB } from '../../../src/tools/duckdb/openDuckDB.ts'
import { profileTable } from '../../../src/tools/duckdb/profileTable.ts'
import { readTable } from '../../../src/tools/duckdb/readTable.ts'
import { kindOf, tableProfileSchema, type ColumnProfile } from '../../../src/tools/duckdb/tableProfile.ts'
import { realCsv, realFolder, realJson } from './realFiles.ts'

const db = openDuckDB({ roots: [realFolder] })
afterAll(() => db.close())

async function profileOf(path: string): Promise<{ rows: number; column: (name: string) => ColumnProfile }> {
  const profile = await profileTable(db, await readTable(db, { path }))
  expect(tableProfileSchema.parse(profile)).toEqual(profile)
  return {
    rows: profile.rows,
    column: (name) => {
      const found = profile.columns.find((column) => column.name === name)
      if (found === undefined) throw new Error(`no column ${name}`)
      return found
    },
  }
}

/** Quantile with linear interpolation (type 7), as in R and NumPy. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const low = sorted[Math.floor(at)] ?? NaN
  const high = sorted[Math.ceil(at)] ?? NaN
  return low + (high - low) * (at - Math.floor(at))
}
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function expectNumbers(column: ColumnProfile, all: readonly (number | null)[]): void {
  const values = all.filter((value) => value !== null)
  const average = mean(values)
  expect(column).toMatchObject({
    values: values.length,
    nulls: all.length - values.length,
    distinct: new Set(values).size,
    min: Math.min(...values),
    max: Math.max(...values),
    negatives: values.filter((value) => value < 0).length,
    zeros: values.filter((value) => value === 0).length,
  })
  expect(column.mean).toBeCloseTo(average, 6)
  expect(column.deviation).toBeCloseTo(
    Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1)),
    6,
  )
  for (const [index, share] of [0.05, 0.25, 0.5, 0.75, 0.95].entries()) {
    expect(column.quantiles?.[index]).toBeCloseTo(quantile(values, share), 6)
  }
}

describe('profileTable, against the same numbers computed without DuckDB', () => {
  it('knows the numbers of cars.json', async () => {
    const rows = realJson('cars.json')
    const { rows: count, column } = await profileOf('cars.json')
    expect(count).toBe(rows.length)
    for (const name of ['Miles_per_Gallon', 'Horsepower', 'Weight_in_lbs', 'Acceleration']) {
      expectNumbers(
        column(name),
        rows.map((row) => row[name] as number | null),
      )
    }
    expect(column('Year')).toMatchObject({ kind: 'date', min: '1970-01-01', max: '1982-01-01', distinct: 12 })
    expect(column('Origin').top).toEqual([
      { value: 'USA', count: 254 },
      { value: 'Japan', count: 79 },
      { value: 'Europe', count: 73 },
    ])
  })

  it('knows the numbers of penguins.json and global-temp.csv', async () => {
    const penguins = await profileOf('penguins.json')
    expectNumbers(
      penguins.column('Body Mass (g)'),
      realJson('penguins.json').map((row) => row['Body Mass (g)'] as number | null),
    )
    const temperatures = await profileOf('global-temp.csv')
    expectNumbers(
      temperatures.column('temp'),
      realCsv('global-temp.csv').map((row) => Number(row['temp'])),
    )
  })

  it('sees that titles of movies.json are of several types', async () => {
    const titles = realJson('movies.json').map((row) => row['Title'])
    const { column } = await profileOf('movies.json')
    expect(column('Title')).toMatchObject({
      kind: 'mixed',
      nulls: titles.filter((title) => title === null).length,
      distinct: new Set(titles.filter((title) => title !== null).map(String)).size,
      jsonTypes: [
        { type: 'string', count: titles.filter((title) => typeof title === 'string').length },
        { type: 'number', count: titles.filter((title) => typeof title === 'number').length },
      ],
    })
  })

  it('sees dates and numbers that are written as text', async () => {
    const movies = await profileOf('movies.json')
    expect(movies.column('Release Date').text).toMatchObject({
      dates: 3201,
      dateFormat: '%b %d %Y',
      latest: '2046-12-31 00:00:00',
    })
    const contributions = await profileOf('political-contributions.json')
    expect(contributions.column('Transfers_from_Authorized_Committees').text).toMatchObject({ numbers: 58 })
    const wheat = await profileOf('wheat.json')
    expect(wheat.column('year').text).toMatchObject({
      numbers: 52,
      patterns: [{ pattern: '9{4}', count: 52, example: '1565' }],
    })
  })

  it('finds the shapes of codes', async () => {
    const { column } = await profileOf('airports.csv')
    const shapes = column('iata').text?.patterns ?? []
    const codes = realCsv('airports.csv').map((row) => row['iata'] ?? '')
    expect(shapes[0]).toMatchObject({ pattern: 'A{3}', count: codes.filter((code) => /^[A-Z]+$/.test(code)).length })
    expect(column('iata').text).toMatchObject({ shortest: 3, longest: Math.max(...codes.map((code) => code.length)) })
  })

  it('tells nested columns from flat ones', async () => {
    const { column } = await profileOf('weekly-weather.json')
    expect(column('record')).toMatchObject({ kind: 'nested', top: [] })
    expect(column('day').kind).toBe('text')
  })
})

describe('kindOf', () => {
  it.each([
    ['HUGEINT', 'integer'],
    ['DECIMAL(18,3)', 'number'],
    ['TIMESTAMP WITH TIME ZONE', 'timestamp'],
    ['TIME', 'time'],
    ['STRUCT(a BIGINT)', 'nested'],
    ['BIGINT[]', 'nested'],
    ["ENUM('a', 'b')", 'text'],
    ['BLOB', 'other'],
  ])('takes %s for %s', (type, kind) => {
    expect(kindOf(type)).toBe(kind)
  })
})
