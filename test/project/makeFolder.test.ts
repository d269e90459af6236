import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { filePlanStore } from '../../src/actors/planners/filePlanStore.ts'
import { makeFolder } from '../../src/makeFolder.ts'
import { openDuckDB, writeTable } from '../../src/tools/index.ts'
import { filesUnder } from './files.ts'

const base = mkdtempSync(join(tmpdir(), 'planloom-folder-'))
afterAll(() => {
  rmSync(base, { recursive: true })
})

describe('a folder that is needed', () => {
  it('is made with those above it, and stays when it is there', async () => {
    const path = join(base, 'a', 'b', 'c')
    await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(path, 'd'))])
    writeFileSync(join(path, 'd', 'file'), 'x')
    await makeFolder(path)
    expect(existsSync(join(path, 'd', 'file'))).toBe(true)
  })

  it.each([
    ['a file', 'file/x/y', 'something in the path is a file, not a folder'],
    ['a link to nothing', 'nothing/x', 'something in the path is a file, not a folder'],
    ['a circle of links', 'circle/x', 'links in the path lead in a circle'],
    ['a name that is too long', `${'n'.repeat(300)}/x`, 'a name in it is longer than the file system allows'],
  ])('is refused where the way leads over %s', async (_, path, reason) => {
    rmSync(join(base, 'file'), { force: true })
    writeFileSync(join(base, 'file'), '')
    for (const [name, target] of [['nothing', 'nowhere'], ['circle', 'circle']] as const) {
      rmSync(join(base, name), { force: true })
      symlinkSync(join(base, target), join(base, name))
    } // prettier-ignore
    await expect(makeFolder(join(base, path))).rejects.toMatchObject({
      code: 'FOLDER_UNMAKEABLE',
      message: expect.stringContaining(reason),
      cause: expect.any(Error),
    })
  })
})

// A file system that says of every new folder that there is no such place: Node's own way of making folders never ends there.
describe.runIf(existsSync('/proc/self'))('a folder in a place that takes none', () => {
  const path = '/proc/nope/tables'
  const refused = { code: 'FOLDER_UNMAKEABLE', message: expect.stringContaining('"/proc" takes no new folders') }

  it('is refused at once', async () => {
    await expect(makeFolder(path)).rejects.toMatchObject(refused)
  })

  it('is said of the plan store', async () => {
    const stored = { version: 1, key: 'k', steps: [], assumptions: [], storedAt: 0 } as never
    await expect(filePlanStore(path).set(stored)).rejects.toMatchObject({ code: 'FOLDER_UNMAKEABLE' })
  })

  it('is said of tables, and everything can still be read', async () => {
    await using db = openDuckDB({ roots: [base], workFolder: path })
    expect((await db.query('SELECT 42')).rows).toEqual([[42]])
    await expect(writeTable(db, { name: 't', origin: 'o', select: 'SELECT 1' })).rejects.toMatchObject({
      code: 'TABLE_UNWRITABLE',
      message: expect.stringContaining('"/proc" takes no new folders'),
    })
  })
})

it('is the only way that folders are made with those above them', () => {
  const sources = [...filesUnder('src', '.ts'), ...filesUnder('examples', '.ts')]
  expect(sources.length).toBeGreaterThan(100)
  const others = sources.filter((file) => /mkdir(?:Sync)?\([^)]*recursive/.test(readFileSync(file, 'utf8')))
  expect(others).toEqual([])
})
