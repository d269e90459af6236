import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDuckDB, type DuckDB } from '../../../src/tools/duckdb/openDuckDB.ts'
import { readTable } from '../../../src/tools/duckdb/readTable.ts'
import { relationOf, tableHandleSchema } from '../../../src/tools/duckdb/tableHandle.ts'
import { realFolder } from './realFiles.ts'

let folder: string
let db: DuckDB
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planloom-read-'))
  db = openDuckDB({ roots: [realFolder, folder] })
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
const write = (name: string, text: string | Uint8Array) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe('readTable', () => {
  it.each([
    ['airports.csv', 3376, { iata: 'VARCHAR', latitude: 'DOUBLE' }],
    ['unemployment.tsv', 3218, { id: 'BIGINT', rate: 'DOUBLE' }],
    ['zipcodes.csv', 42049, { zip_code: 'VARCHAR', city: 'VARCHAR' }],
    ['github.csv', 955, { time: 'TIMESTAMP', count: 'BIGINT' }],
    ['movies.json', 3201, { Title: 'JSON', 'IMDB Rating': 'DOUBLE' }],
    ['flights-200k.json', 200_000, { delay: 'HUGEINT', time: 'DOUBLE' }],
    ['flights-3m.parquet', 3_000_000, { date: 'TIMESTAMP', origin: 'VARCHAR' }],
  ])('reads %s: %i rows', async (file, rows, types) => {
    const handle = await readTable(db, { path: file })
    expect(tableHandleSchema.parse(handle)).toEqual(handle)
    expect(handle.rows).toBe(rows)
    expect(Object.fromEntries(handle.columns.map(({ name, type }) => [name, type]))).toMatchObject(types)
  })

  it('gives a handle that reads the same table again, without guessing', async () => {
    const handle = await readTable(db, { path: 'sp500.csv' })
    expect(relationOf(handle)).toContain('auto_detect = false')
    const { rows } = await db.query(`SELECT count(*), min(price) FROM ${relationOf(handle)}`)
    expect(rows).toEqual([[123, 735.09]])
  })

  it('takes a path for what it is, whatever signs are in it', async () => {
    const name = `it's [1]*? <img src=x onerror=alert(1)>.csv`
    const path = write(name, 'a\n7\n')
    write(`it's 1zz <img src=x onerror=alert(1)>.csv`, 'a\n8\n')
    const handle = await readTable(db, { path })
    const { rows } = await db.query(`FROM ${relationOf(handle)}`)
    expect(rows).toEqual([[7]])
  })

  it('fails strictly where a line does not fit, and leaves it out when asked to be lenient', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `${String(index)},x`)
    const path = write('ragged.csv', ['a,b', ...lines, '1,2,3,"unclosed', '40,y'].join('\n') + '\n')
    const strict = readTable(db, { path, delimiter: ',' })
    await expect(strict).rejects.toMatchObject({ code: 'TABLE_UNREADABLE', where: { path } })
    const handle = await readTable(db, { path, delimiter: ',', lenient: true })
    expect(handle.rows).toBeGreaterThanOrEqual(40)
    expect(handle.dialect?.lenient).toBe(true)
  })

  it('says that text in another encoding does not read', async () => {
    const path = write('latin.csv', Buffer.from('name,city\nJosé,Málaga\nZoë,Orléans\n', 'latin1'))
    await expect(readTable(db, { path })).rejects.toMatchObject({ code: 'TABLE_UNREADABLE' })
  })

  it('says that broken JSON does not read', async () => {
    const path = write('broken.json', '[{"a": 1}, {"a": ')
    await expect(readTable(db, { path })).rejects.toMatchObject({ code: 'TABLE_UNREADABLE', hint: expect.any(String) })
  })

  it('refuses more rows than allowed, knowing a Parquet file by its footer', async () => {
    const read = readTable(db, { path: 'flights-3m.parquet', maxRows: 1_000_000 })
    await expect(read).rejects.toMatchObject({
      code: 'TABLE_TOO_LARGE',
      message: expect.stringContaining('3,000,000 rows'),
    })
    await expect(readTable(db, { path: 'airports.csv', maxRows: 100 })).rejects.toMatchObject({
      code: 'TABLE_TOO_LARGE',
    })
  })

  it('wants to be told how to read a name that does not say it', async () => {
    await expect(readTable(db, { path: '7zip.png' })).rejects.toMatchObject({ code: 'READER_UNKNOWN' })
    await expect(readTable(db, { path: 'none.csv' })).rejects.toMatchObject({ code: 'FILE_MISSING' })
  })
})
