// Requests in a journal file: between processes, over the end of one, and out of the file again.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { sqliteJournal, type SqliteJournal } from '../../../src/runtime/index.ts'
import { scratchFolder } from '../../support/scratchFolder.ts'
import { describeRequests, eventOf, request, requestsOf, taken } from '../describeRequests.ts'

const takeAndDie = fileURLToPath(new URL('./takeAndDie.ts', import.meta.url))

function open(path = join(scratchFolder(), 'runs.db')): SqliteJournal {
  const journal = sqliteJournal(path)
  onTestFinished(() => {
    void journal.close()
  })
  return journal
}

describeRequests('the SQLite journal', () => open())

it('is told of what comes through another connection', async () => {
  const owner = open()
  const writer = owner.create('one')
  const told = new Promise<number[]>((resolve) => {
    writer.onRequest?.(() => {
      resolve(taken(writer))
    })
  })
  expect([await request(open(owner.path), 'one')]).toEqual(await told)
})

it('takes requests that many ask at once, each once', async () => {
  const owner = open()
  const writer = owner.create('one')
  const others = [open(owner.path), open(owner.path), open(owner.path)]
  const asked = await Promise.all(Array.from({ length: 30 }, (_, n) => request(others[n % 3]!, 'one')))
  expect(new Set(asked).size).toBe(30)
  const numbers = taken(writer)
  expect(numbers).toEqual(asked.sort((a, b) => a - b))
  for (const [seq, number] of numbers.entries()) writer.append(eventOf(seq, number))
  await writer.flush()
  expect((await requestsOf(owner, 'one')).map(({ seq }) => seq)).toEqual(numbers.map((_, seq) => seq))
})

it.each(['before', 'after'])(
  'loses and doubles nothing when the process dies right %s the event of a request is written',
  async (when) => {
    const journal = open()
    await journal.create('one').close()
    const number = await request(journal, 'one')
    const { signal } = spawnSync(process.execPath, ['--import', 'tsx', takeAndDie, journal.path, when])
    expect(signal).toBe('SIGKILL')
    const writer = journal.open('one')
    expect(writer.next).toBe(when === 'before' ? 0 : 1)
    expect(taken(writer)).toEqual(when === 'before' ? [number] : [])
    expect((await requestsOf(journal, 'one')).map(({ seq }) => seq)).toEqual([when === 'before' ? undefined : 0])
  },
)

it('does not let a former owner take requests', async () => {
  const journal = open()
  const writer = journal.create('one')
  const number = await request(journal, 'one')
  const database = new DatabaseSync(journal.path)
  database.exec('UPDATE runs SET fence = fence + 1')
  database.close()
  taken(writer)
  writer.refuse?.(number, { code: 'X', message: 'x' })
  await expect(writer.flush()).rejects.toMatchObject({ code: 'RUN_TAKEN_OVER' })
  expect((await requestsOf(journal, 'one'))[0]).not.toHaveProperty('refused')
})

it('says which process has a run', async () => {
  const journal = open()
  const writer = journal.create('one')
  expect(open(journal.path).ownerOf('one')).toMatchObject({ pid: process.pid, isHere: true })
  await writer.close()
  expect(journal.ownerOf('one')).toBeUndefined()
  expect(() => journal.ownerOf('nobody')).toThrow(expect.objectContaining({ code: 'RUN_UNKNOWN' }))
})

it('removes requests with their run', async () => {
  const journal = open()
  await journal.create('one').close()
  await journal.create('two').close()
  await request(journal, 'one')
  await request(journal, 'two')
  journal.remove('one')
  const database = new DatabaseSync(journal.path)
  expect(database.prepare('SELECT count(*) AS count FROM requests').get()).toEqual({ count: 1 })
  database.close()
  expect(await requestsOf(journal, 'two')).toHaveLength(1)
})

it('finds runs by what their ids begin with', async () => {
  const journal = open()
  for (const id of ['run-a', 'run-ab', 'run-b', 'run_', 'rum', 'run-\u{1F600}']) {
    const writer = journal.create(id)
    writer.append(eventOf(0, 1))
    await writer.flush()
    await writer.close()
  }
  const found = (idPrefix: string): string[] =>
    journal
      .runs({ idPrefix })
      .map(({ runId }) => runId)
      .sort()
  expect(found('run-a')).toEqual(['run-a', 'run-ab'])
  expect(found('run-')).toEqual(['run-a', 'run-ab', 'run-b', 'run-\u{1F600}'])
  expect(found('')).toHaveLength(6)
  expect(found('x')).toEqual([])
})
