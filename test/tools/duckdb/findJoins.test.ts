import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lnChance } from '../../../src/tools/duckdb/chance.ts'
import { findJoins } from '../../../src/tools/duckdb/findJoins.ts'
import { joinSchema, type Join } from '../../../src/tools/duckdb/join.ts'
import { estimateShares } from '../../../src/tools/duckdb/promisingPairs.ts'
import { nameAffinity } from '../../../src/tools/duckdb/nameAffinity.ts'
import { openDuckDB } from '../../../src/tools/duckdb/openDuckDB.ts'
import { profileTable } from '../../../src/tools/duckdb/profileTable.ts'
import { readTable } from '../../../src/tools/duckdb/readTable.ts'
import { sketchColumns, type ColumnSketch } from '../../../src/tools/duckdb/sketchColumns.ts'
import type { TableHandle } from '../../../src/tools/duckdb/tableHandle.ts'
import { realCsv, realFolder } from './realFiles.ts'

const db = openDuckDB({ roots: [realFolder] })
const tables: TableHandle[] = []
const sketches: ColumnSketch[] = []
let joins: Join[]
const files = [
  'lookup_people.csv', 'lookup_groups.csv', 'airports.csv', 'flights-airport.csv', 'flights-2k.json', 'species.csv', 'unemployment.tsv',
  'flare.json', 'flare-dependencies.json', 'income.json', 'population_engineers_hurricanes.csv', 'us-state-capitals.json', 'obesity.json',
  'weather.csv', 'seattle-weather.csv', 'stocks.csv', 'sp500.csv', 'cars.json', 'barley.json', 'monarchs.json', 'platformer-terrain.json',
  'birdstrikes.csv', 'population.json',
] // prettier-ignore
beforeAll(async () => {
  for (const path of files) {
    const table = await readTable(db, { path })
    tables.push(table)
    sketches.push(...(await sketchColumns(db, table, await profileTable(db, table))))
  }
  joins = await findJoins(db, { tables, sketches })
}, 60_000) // about two dozen files
afterAll(() => db.close())

const find = (left: string, right: string) =>
  joins.find(
    (join) => `${join.left.table}.${join.left.column}` === left && `${join.right.table}.${join.right.column}` === right,
  )

describe('findJoins on the real files', () => {
  it.each([
    ['lookup_groups.person', 'lookup_people.name', '1:1'],
    ['flights-airport.origin', 'airports.iata', 'n:1'],
    ['flights-airport.destination', 'airports.iata', 'n:1'],
    ['flights-2k.origin', 'airports.iata', 'n:1'],
    ['species.county_id', 'unemployment.id', 'n:1'],
    ['income.name', 'population_engineers_hurricanes.state', 'n:1'],
    ['income.id', 'population_engineers_hurricanes.id', 'n:1'],
    ['birdstrikes.Origin State', 'us-state-capitals.state', 'n:1'],
    ['weather.date', 'seattle-weather.date', 'n:1'],
    ['stocks.date', 'sp500.date', 'n:1'],
  ])('finds that %s refers to %s', (left, right, cardinality) => {
    expect(find(left, right)).toMatchObject({ strength: 'strong', cardinality })
  })

  it('lets names speak where dense numbers cannot', () => {
    expect(find('flare-dependencies.source', 'flare.id')).toMatchObject({ strength: 'likely', chance: 0 })
    expect(find('flare-dependencies.target', 'flare.id')).toMatchObject({ strength: 'likely', cardinality: 'n:1' })
  })

  it('counts exactly what it reports', () => {
    const codes = new Set(realCsv('flights-airport.csv').map((row) => row['origin']))
    const join = find('flights-airport.origin', 'airports.iata')
    expect(join?.left.distinct).toBe(codes.size)
    expect(join).toMatchObject({
      shared: codes.size,
      left: { found: 1, missing: [] },
      right: { distinct: 3376, unique: true },
    })
  })

  it('shows which values are missing on either side', () => {
    expect(find('income.name', 'us-state-capitals.state')?.left.missing).toEqual([
      'district of columbia',
      'puerto rico',
    ])
  })

  it('does not take small numbers or measurements for keys', () => {
    const columns = [
      'cars.Cylinders',
      'platformer-terrain.saturation',
      'population.age',
      'barley.yield',
      'cars.Horsepower',
      'birdstrikes.Speed IAS in knots',
    ]
    const suspects = joins.filter(({ left, right }) =>
      [left, right].some(({ table, column }) => columns.includes(`${table}.${column}`)),
    )
    expect(suspects).toEqual([])
  })

  it('J3: finds the same in the same order, whatever order the tables come in', async () => {
    const again = await findJoins(db, { tables: tables.toReversed(), sketches: sketches.toReversed() })
    expect(again).toEqual(joins)
    expect(joinSchema.array().parse(again)).toEqual(again)
  })

  it('stops when its signal fires', async () => {
    const controller = new AbortController()
    const run = findJoins(db, {
      tables,
      sketches,
      signal: controller.signal,
      progress: (done) => {
        if (done === 3) controller.abort(new Error('enough'))
      },
    })
    await expect(run).rejects.toThrow('enough')
    const { rows } = await db.query(`SELECT count(*) FROM duckdb_tables() WHERE temporary`)
    expect(rows).toEqual([[0]])
  })
})

describe('estimateShares', () => {
  it('is exact for whole sketches, and near for the smallest hashes of large sets', () => {
    const hashes = fc.uniqueArray(fc.integer({ min: 0, max: 1e6 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(hashes, hashes, (one, two) => {
        const [a, b] = [one.toSorted((x, y) => x - y), two.toSorted((x, y) => x - y)]
        const both = a.filter((hash) => b.includes(hash)).length
        const { inA, inB } = estimateShares({ hashes: a, distinct: a.length }, { hashes: b, distinct: b.length })
        expect(inA).toBe(both / a.length)
        expect(inB).toBe(both / b.length)
      }),
    )
    const even = Array.from({ length: 512 }, (_, index) => index * 2)
    const all = Array.from({ length: 512 }, (_, index) => index)
    const { inA, inB } = estimateShares({ hashes: even, distinct: 5000 }, { hashes: all, distinct: 10_000 })
    expect(inA).toBe(1)
    expect(inB).toBeCloseTo(0.5, 2)
  })
})

describe('lnChance', () => {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)

  it('is the upper tail of the hypergeometric distribution', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 25 }), fc.nat(25), fc.nat(25), fc.nat(25), (n, x, y, z) => {
        const [a, b] = [Math.min(x, n), Math.min(y, n)]
        const shared = Math.min(z, a, b)
        let expected = 0
        for (let k = shared; k <= Math.min(a, b); k++) {
          if (b - k <= n - a) expected += (choose(a, k) * choose(n - a, b - k)) / choose(n, b)
        }
        expect(Math.exp(lnChance({ n, a, b, shared }))).toBeCloseTo(expected, 9)
      }),
    )
  })

  it('is 0 where both sides cover everything', () => {
    expect(lnChance({ n: 252, a: 200, b: 252, shared: 200 })).toBe(0)
  })
})

describe('nameAffinity', () => {
  it.each([
    ['a', 'Origin State', 'b', 'state', 2 / 3],
    ['a', 'customerId', 'b', 'customer_id', 1],
    ['flare-dependencies', 'source', 'flare', 'id', 2 / 3],
    ['obesity', 'id', 'flare', 'id', 0.4],
    ['cars', 'Cylinders', 'monarchs', 'index', 0],
  ])('%s.%s and %s.%s', (tableA, a, tableB, b, expected) => {
    expect(nameAffinity({ table: tableA, column: a }, { table: tableB, column: b })).toBeCloseTo(expected, 5)
  })
})
