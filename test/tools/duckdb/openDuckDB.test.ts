import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDuckDB } from '../../../src/tools/duckdb/openDuckDB.ts'
import { readTable } from '../../../src/tools/duckdb/readTable.ts'

let folder: string
let outside: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planloom-duckdb-'))
  outside = mkdtempSync(join(tmpdir(), 'planloom-outside-'))
  writeFileSync(join(folder, 'small.csv'), 'a,b\n1,x\n2,y\n')
  writeFileSync(join(outside, 'secret.csv'), 'a\n1\n')
})
afterAll(() => {
  rmSync(folder, { recursive: true })
  rmSync(outside, { recursive: true })
})

describe('openDuckDB', () => {
  it('says what to install when the package is missing, and tries again with the next query', async () => {
    let tries = 0
    const load = () => {
      tries += 1
      return Promise.reject(new Error("Cannot find package '@duckdb/node-api'"))
    }
    await using db = openDuckDB({ roots: [folder], load })
    await expect(db.query('SELECT 1')).rejects.toMatchObject({
      code: 'DUCKDB_MISSING',
      hint: expect.stringContaining('npm install @duckdb/node-api'),
    })
    await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: 'DUCKDB_MISSING' })
    expect(tries).toBe(2)
  })

  it.each([
    ['reads a file outside', () => `SELECT * FROM read_csv('${join(outside, 'secret.csv')}')`],
    ['climbs out of the folder', () => `SELECT * FROM read_text('${folder}/../../etc/hostname')`],
    ['lists a folder outside', () => `SELECT * FROM glob('/etc/*')`],
    ['writes a file outside', () => `COPY (SELECT 1) TO '${join(outside, 'out.csv')}'`],
    ['attaches a database outside', () => `ATTACH '${join(outside, 'x.db')}'`],
    ['installs an extension', () => 'INSTALL httpfs'],
    ['loads an extension', () => 'LOAD httpfs'],
    ['reads from the network', () => `SELECT * FROM read_csv('http://127.0.0.1:9/a.csv')`],
    ['unlocks itself', () => 'SET enable_external_access = true'],
  ])('refuses SQL that %s', async (_, sql) => {
    await using db = openDuckDB({ roots: [folder] })
    await expect(db.query(sql())).rejects.toThrow(/Permission|disabled|locked|not exist|Missing Extension|extension/i)
    expect(existsSync(join(outside, 'out.csv'))).toBe(false)
  })

  // The turns let the query be anywhere between asked for and running; an interrupt must reach it everywhere.
  it.each([0, 1, 2, 10, 100])(
    'interrupts a query when its signal fires %i turns after it was asked, with the reason of the signal, and can be used on',
    async (turns) => {
      await using db = openDuckDB({ roots: [folder], connections: 1 })
      await db.query('SELECT 1')
      const controller = new AbortController()
      const reason = new Error('the run was cancelled')
      const query = db.use(async (session) => {
        const endless = session.query('SELECT count(*) FROM range(1000000000000) t(x) WHERE hash(x) % 7 = 3')
        for (let turn = 0; turn < turns; turn++) await setImmediate()
        controller.abort(reason)
        return endless
      }, controller.signal)
      await expect(query).rejects.toBe(reason)
      expect((await db.query('SELECT 42')).rows).toEqual([[42]])
    },
  )

  it('lets more work wait than it has connections', async () => {
    await using db = openDuckDB({ roots: [folder], connections: 2 })
    let live = 0
    let most = 0
    const work = Array.from({ length: 9 }, (_, index) =>
      db.use(async (session) => {
        most = Math.max(most, (live += 1))
        const { rows } = await session.query(`SELECT ${String(index)}`)
        live -= 1
        return rows[0]?.[0]
      }),
    )
    expect(await Promise.all(work)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(most).toBe(2)
  })

  it('gives whole numbers as numbers where they are exact, and as text where they are not', async () => {
    await using db = openDuckDB({ roots: [folder] })
    const { rows } = await db.query(
      `SELECT 9007199254740991::BIGINT, 9007199254740993::BIGINT, [1::BIGINT], NULL, DATE '2020-02-29'`,
    )
    expect(rows).toEqual([[9007199254740991, '9007199254740993', [1], null, '2020-02-29']])
  })

  it('refuses work after it has been closed', async () => {
    const db = openDuckDB({ roots: [folder] })
    await db.query('SELECT 1')
    await db.close()
    await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: 'DUCKDB_CLOSED' })
  })
})

describe('the store of read tables', () => {
  it('answers from memory while the file stays as it is, and reads it again when it has changed', async () => {
    const path = join(folder, 'changing.csv')
    writeFileSync(path, 'a\n1\n2\n')
    await using db = openDuckDB({ roots: [folder] })
    const handle = await readTable(db, { path })
    const count = () =>
      db.withTable(
        handle,
        async (session, table) => (await session.query(`SELECT count(*) FROM ${table}`)).rows[0]?.[0],
      )
    const name = () => db.withTable(handle, (_, table) => Promise.resolve(table))
    const first = await name()
    expect(first).not.toContain('read_csv')
    expect(await name()).toBe(first)
    expect(await count()).toBe(2)
    appendFileSync(path, '3\n')
    expect(await count()).toBe(3)
    expect(await name()).not.toBe(first)
  })

  it('drops the table unused for longest when there is no more room', async () => {
    await using db = openDuckDB({ roots: [folder], storeCells: 5 })
    const read = (table: string) => {
      writeFileSync(join(folder, `${table}.csv`), 'a,b\n1,2\n3,4\n')
      return readTable(db, { path: join(folder, `${table}.csv`) })
    }
    await read('one')
    await read('two')
    await read('three')
    const { rows } = await db.query(`SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'stored %'`)
    expect(rows).toEqual([[1]])
  })

  it('goes on reading for one who waits when another has been cancelled', async () => {
    await using db = openDuckDB({ roots: [folder] })
    const handle = await readTable(db, { path: join(folder, 'small.csv') })
    const fresh = openDuckDB({ roots: [folder] })
    const controller = new AbortController()
    const cancelled = fresh.withTable(handle, () => Promise.resolve('never'), controller.signal)
    const patient = fresh.withTable(handle, async (session, table) => (await session.query(`FROM ${table}`)).rows)
    controller.abort(new Error('enough'))
    await expect(cancelled).rejects.toThrow('enough')
    expect(await patient).toEqual([
      [1, 'x'],
      [2, 'y'],
    ])
    await fresh.close()
  })
})
