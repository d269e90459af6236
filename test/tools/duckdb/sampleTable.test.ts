import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDuckDB, type DuckDB } from '../../../src/tools/duckdb/openDuckDB.ts'
import { readTable } from '../../../src/tools/duckdb/readTable.ts'
import { sampleTable } from '../../../src/tools/duckdb/sampleTable.ts'
import { relationOf } from '../../../src/tools/duckdb/tableHandle.ts'
import { realFolder } from './realFiles.ts'

let folder: string
let db: DuckDB
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planloom-sample-'))
  db = openDuckDB({ roots: [realFolder], workFolder: folder })
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

describe('sampleTable', () => {
  it('draws about as many rows as asked for, spread over the whole table', async () => {
    const whole = await readTable(db, { path: 'flights-3m.parquet' })
    const sample = await sampleTable(db, whole, { rows: 50_000 })
    expect(sample).toMatchObject({ name: 'flights-3m', sampledFrom: 3_000_000, columns: whole.columns })
    expect(Math.abs(sample.rows - 50_000)).toBeLessThan(5 * Math.sqrt(50_000))
    const mean = async (relation: string) =>
      Number((await db.query(`SELECT avg(distance) FROM ${relation}`)).rows[0]?.[0])
    const [ofSample, ofWhole] = [await mean(relationOf(sample)), await mean(relationOf(whole))]
    expect(Math.abs(ofSample / ofWhole - 1)).toBeLessThan(0.02)
  })

  it('draws the same rows for the same seed, and others for another', async () => {
    const whole = await readTable(db, { path: 'zipcodes.csv' })
    const draw = async (seed: number) => {
      const sample = await sampleTable(db, whole, { rows: 500, seed })
      return (await db.query(`SELECT zip_code FROM ${relationOf(sample)} ORDER BY ALL`)).rows
    }
    const first = await draw(1)
    expect(await draw(1)).toEqual(first)
    expect(await draw(2)).not.toEqual(first)
  })

  it('gives a table back as it is when it is small enough', async () => {
    const whole = await readTable(db, { path: 'wheat.json' })
    expect(await sampleTable(db, whole, { rows: 1000 })).toBe(whole)
  })

  it('refuses a size that is none, and needs a folder to write to', async () => {
    const whole = await readTable(db, { path: 'zipcodes.csv' })
    await expect(sampleTable(db, whole, { rows: 0 })).rejects.toMatchObject({ code: 'SAMPLE_INVALID' })
    await using homeless = openDuckDB({ roots: [realFolder] })
    await expect(sampleTable(homeless, whole, { rows: 10 })).rejects.toMatchObject({ code: 'WORK_FOLDER_MISSING' })
  })
})
