import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDelimiter } from '../../../examples/data-audit/content/delimiter.ts'
import { flatten, unrollGrid } from '../../../examples/data-audit/content/flatten.ts'
import { tableOfFeatures, tablesOfTopology } from '../../../examples/data-audit/content/geometry.ts'
import { outlineOf } from '../../../examples/data-audit/content/jsonOutline.ts'
import { inspectPng } from '../../../examples/data-audit/content/png.ts'
import { completeObjects } from '../../../examples/data-audit/content/salvage.ts'
import { realFolder } from '../../tools/duckdb/realFiles.ts'

const real = (file: string) => JSON.parse(readFileSync(join(realFolder, file), 'utf8')) as never

describe('outlineOf', () => {
  it('reads any JSON to its end', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(outlineOf(text)).toMatchObject({ state: 'whole', at: text.length })
      }),
    )
  })

  it('O1: gives what there is of a text that breaks off, and never calls it broken', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 4 }).filter((text) => /^[[{]/.test(text)),
        fc.nat(),
        (text, cut) => {
          const { state, outline } = outlineOf(text.slice(0, 1 + (cut % text.length)))
          expect(['cut', 'whole']).toContain(state)
          expect(outline?.type).toBe(text.startsWith('[') ? 'array' : 'object')
        },
      ),
    )
  })

  it('finds no way through what is no JSON, however long or deep it is', () => {
    expect(outlineOf('<html>').state).toBe('broken')
    expect(outlineOf('[1 2]')).toMatchObject({ state: 'broken', at: 3 })
    expect(outlineOf('['.repeat(100_000)).state).toBe('broken')
    expect(outlineOf(`["${'x'.repeat(1_000_000)}`).state).toBe('cut')
  })
})

describe('flatten', () => {
  it('makes dotted columns of objects in objects', () => {
    const [table] = flatten(real('weekly-weather.json'), 'weather')
    expect(table?.rows).toHaveLength(10)
    expect(Object.fromEntries(table?.rows[0] ?? [])).toEqual({
      day: 'M',
      'record.high': 62,
      'record.low': 15,
      'normal.high': 50,
      'normal.low': 38,
      'actual.high': 48,
      'actual.low': 36,
      id: 0,
    })
  })

  it('makes a table of each array of objects', () => {
    const tables = flatten(real('miserables.json'), 'miserables')
    expect(tables.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['miserables/nodes', 77],
      ['miserables/links', 254],
    ])
  })

  it('N1: numbers the rows that a table in a row belongs to', () => {
    const tables = flatten(
      [
        { id: 'a', tags: ['x', 'y'] },
        { id: 'b', tags: [] },
        { id: 'c', tags: ['z'] },
      ],
      't',
    )
    expect(tables.map(({ name, rows }) => ({ name, rows: rows.map((row) => Object.fromEntries(row)) }))).toEqual([
      {
        name: 't/tags',
        rows: [
          { row: 0, index: 0, value: 'x' },
          { row: 0, index: 1, value: 'y' },
          { row: 2, index: 0, value: 'z' },
        ],
      },
      { name: 't', rows: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] },
    ])
  })

  it('N2: takes keys that could poison an object for columns', () => {
    const [table] = flatten(JSON.parse('[{"__proto__": {"polluted": 1}, "constructor": 2}]'), 't')
    expect([...(table?.rows[0] ?? [])]).toEqual([
      ['__proto__.polluted', 1],
      ['constructor', 2],
    ])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('keeps every scalar of any JSON value somewhere', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce<number>((sum, item) => sum + count(item), 0)
        : 1
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }), {
          maxLength: 5,
        }),
        (rows) => {
          const added = new Set(['row', 'index'])
          const cells = flatten(rows, 't').flatMap((table) =>
            table.rows.flatMap((row) => [...row.keys()].filter((key) => !added.has(key))),
          )
          expect(cells).toHaveLength(count(rows))
        },
      ),
    )
  })
})

describe('unrollGrid', () => {
  it('gives each cell its place', () => {
    const { rows } = unrollGrid(real('volcano.json'), 'volcano')
    expect(rows).toHaveLength(87 * 61)
    expect(Object.fromEntries(rows[88] ?? [])).toEqual({
      x: 1,
      y: 1,
      value: (real('volcano.json') as { values: number[] }).values[88],
    })
  })

  it('refuses a grid with too few values', () => {
    expect(() => unrollGrid({ width: 2, height: 2, values: [1, 2, 3] }, 'g')).toThrow('needs 4 values, and has 3')
  })
})

describe('maps as tables', () => {
  it('makes a row of each shape, with where it lies', () => {
    const tables = tablesOfTopology(real('us-10m.json'), 'us')
    expect(tables.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['us/counties', 3641],
      ['us/states', 53],
      ['us/land', 1],
    ])
    const wyoming = tables[1]?.rows.find((row) => row.get('id') === 56)
    expect(wyoming?.get('west')).toBeCloseTo(-111.05, 1)
    expect(wyoming?.get('east')).toBeCloseTo(-104.05, 1)
    expect(wyoming?.get('south')).toBeCloseTo(41, 1)
    expect(wyoming?.get('north')).toBeCloseTo(45, 1)
  })

  it('takes properties and places out of features', () => {
    const { rows } = tableOfFeatures(real('earthquakes.json'), 'quakes')
    expect(rows).toHaveLength(1707)
    expect(Object.fromEntries(rows[0] ?? [])).toMatchObject({
      id: 'ci37868143',
      mag: 2,
      type: 'earthquake',
      geometry: 'Point',
      latitude: 34.4945,
      altitude: 26.49,
    })
  })
})

describe('inspectPng', () => {
  const bytes = readFileSync(join(realFolder, 'ffox.png'))

  it('reads the header and checks every part', () => {
    const image = inspectPng(bytes)
    expect(image).toMatchObject({
      width: 100,
      height: 100,
      bitDepth: 8,
      colour: 'RGB with alpha',
      interlaced: false,
      damage: [],
    })
    expect(image.chunks.map(({ type }) => type)).toEqual(expect.arrayContaining(['IHDR', 'IDAT', 'IEND']))
    const data = image.chunks.reduce((sum, chunk) => sum + chunk.bytes + 12 * chunk.count, 8)
    expect(data).toBe(bytes.length)
  })

  it('finds a wrong checksum, a missing end and what follows the end', () => {
    const flipped = Buffer.from(bytes)
    flipped[100] = (flipped[100] ?? 0) ^ 1
    expect(inspectPng(flipped).damage[0]).toMatch(/checksum of the chunk .* is wrong/)
    expect(inspectPng(bytes.subarray(0, 5000)).damage.at(-1)).toBe('the end (IEND) is missing')
    expect(inspectPng(Buffer.concat([bytes, Buffer.from('more')])).damage).toEqual([
      '4 bytes follow the end of the image',
    ])
    expect(() => inspectPng(bytes.subarray(0, 20))).toThrow('no header')
  })
})

describe('completeObjects', () => {
  it('saves every complete object of an array that breaks off anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ a: fc.string(), b: fc.array(fc.integer()) }), { maxLength: 6 }),
        fc.nat(),
        (rows, cut) => {
          const texts = rows.map((row) => JSON.stringify(row))
          const whole = `[${texts.join(',')}]`
          const broken = whole.slice(0, 1 + (cut % whole.length))
          const found = [...completeObjects(broken)]
          expect(found).toEqual(texts.slice(0, found.length))
          let length = 1
          const complete = texts.filter((text) => (length += text.length + 1) <= broken.length + 1).length
          expect(found).toHaveLength(complete)
        },
      ),
    )
  })

  it('goes on after an object that is broken', () => {
    expect([...completeObjects('[{"a": 1},\n{"a": "unclosed},\n{"a": 3}]')]).toEqual(['{"a": 1}', '{"a": 3}'])
  })
})

describe('findDelimiter', () => {
  it('finds the delimiter that text was made with', () => {
    const cell = fc.stringMatching(/^[a-z0-9 .]{1,8}$/)
    fc.assert(
      fc.property(
        fc.constantFrom(',', '\t', ';', '|'),
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 2, max: 20 }),
        fc.infiniteStream(cell),
        (delimiter, columns, lines, cells) => {
          const next = () => cells.next().value as string
          const text = Array.from({ length: lines }, () => Array.from({ length: columns }, next).join(delimiter)).join(
            '\n',
          )
          expect(findDelimiter(text, true)).toEqual({ delimiter, cells: columns, agreement: 1 })
        },
      ),
    )
  })
})
