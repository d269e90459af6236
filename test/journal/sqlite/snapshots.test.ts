// Snapshots in a file: found by event, whole or passed over, and gone with their run.
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createRuntime, sqliteJournal, type SqliteJournal } from '../../../src/runtime/index.ts'
import { foldJournal } from '../../../src/runtime/replay.ts'
import { ledgerOf } from '../../../src/runtime/ledgerOf.ts'
import { readSnapshot } from '../../../src/runtime/snapshot/snapshot.ts'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { RunStarted } from '../../../src/machines/coordinator.messages.ts'
import { planOf } from '../../support/plans.ts'
import { echo } from '../../support/tools.ts'

const steps = 1_200
const large = 'x'.repeat(2_000)
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planloom-test-'))
  await using runtime = createRuntime({ tools: [echo], journal: sqliteJournal(join(folder, 'runs.db')) })
  const all = Array.from({ length: steps }, (_, n) => ({
    id: `s${String(n)}`,
    tool: 'echo',
    input: { text: n < 5 ? large : 'short' },
  }))
  await runtime.start(planOf(all), { runId: 'one' }).result
  return () => {
    rmSync(folder, { recursive: true, force: true })
  }
})

function copy(): { readonly path: string; readonly open: () => SqliteJournal } {
  const own = mkdtempSync(join(tmpdir(), 'planloom-test-'))
  cpSync(folder, own, { recursive: true })
  const path = join(own, 'runs.db')
  const open = (): SqliteJournal => {
    const journal = sqliteJournal(path)
    onTestFinished(() => {
      void journal.close()
      rmSync(own, { recursive: true, force: true })
    })
    return journal
  }
  return { path, open }
}

function change(path: string, sql: string): unknown {
  const database = new DatabaseSync(path)
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

function firstOf(journal: SqliteJournal): RunStarted {
  const [first] = journal.read('one')
  return first as RunStarted
}

describe('snapshots in a file', () => {
  it('are taken on the way and at the end, and give what the events give', () => {
    const journal = copy().open()
    const events = [...journal.read('one')]
    for (const upTo of [1_000, 1_150, events.length - 1]) {
      const stored = journal.snapshot('one', upTo)
      const read = stored && readSnapshot(stored, firstOf(journal))
      if (read === undefined) throw new Error(`There is no snapshot up to ${String(upTo)}.`)
      const { state, context } = foldJournal(events.slice(0, read.seq + 1))
      expect(read.state).toBe(state)
      expect([...ledgerOf(read.context)]).toEqual([...ledgerOf(context)])
      expect(Object.fromEntries(read.context.outputs)).toEqual(Object.fromEntries(context.outputs))
      expect(read.context.plan).toEqual(context.plan)
    }
    expect(journal.snapshot('one')?.seq).toBe(events.length - 1)
    expect(journal.snapshot('one', 1_100)?.seq).toBe(1_000)
    expect(journal.snapshot('one', 900)).toBeUndefined()
  })

  it('hold a large value that an event has named only by its hash', () => {
    const { path } = copy()
    const [{ most }] = change(path, 'SELECT max(length(body)) AS most FROM snapshots') as [{ readonly most: number }]
    expect(most).toBeLessThan(steps * 40)
    const text = JSON.stringify({ text: large })
    expect(change(path, `SELECT count(*) AS n FROM contents WHERE body = '${text}'`)).toEqual([{ n: 1 }])
  })

  it.each([
    ['is damaged', `UPDATE snapshots SET body = zeroblob(length(body)) WHERE seq > 1000`],
    ['belongs to other events', `UPDATE snapshots SET chain = zeroblob(16) WHERE seq > 1000`],
    ['is gone', `DELETE FROM snapshots WHERE seq > 1000`],
  ])('are passed over where one %s', (_, sql) => {
    const { path, open } = copy()
    change(path, sql)
    expect(open().snapshot('one')?.seq).toBe(1_000)
  })

  it('go with their run', () => {
    const { path, open } = copy()
    const journal = open()
    journal.remove('one')
    expect(change(path, 'SELECT count(*) AS n FROM snapshots')).toEqual([{ n: 0 }])
    expect(change(path, 'SELECT count(*) AS n FROM contents')).toEqual([{ n: 0 }])
  })
})
