// What runs keep for each other in a file.
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  replayJournal,
  sqliteJournal,
  type SqliteJournal,
  type SqliteJournalOptions,
} from '../../../src/runtime/index.ts'
import { planOf } from '../../support/plans.ts'
import { scratchFolder } from '../../support/scratchFolder.ts'
import { describeReuse } from '../describeReuse.ts'

function open(options: SqliteJournalOptions = {}, path = join(scratchFolder(), 'runs.db')): SqliteJournal {
  const journal = sqliteJournal(path, options)
  onTestFinished(() => {
    void journal.close()
  })
  return journal
}

describeReuse('the SQLite journal', (options) => open(options))

const repeat = defineTool({
  name: 'repeat',
  description: 'Repeats a text.',
  input: z.object({ text: z.string(), times: z.number() }),
  output: z.object({ text: z.string() }),
  run: ({ text, times }) => ({ text: text.repeat(times) }),
})
const large = planOf([{ id: 'a', tool: 'repeat', cache: true, input: { text: 'x', times: 5_000 } }])

/** A journal with a run "one" that is over, and whose output is kept for others. */
async function withLarge(options: SqliteJournalOptions, path?: string): Promise<SqliteJournal> {
  const journal = open(options, path)
  await createRuntime({ tools: [repeat], journal }).start(large, { runId: 'one' }).result
  await new Promise((resolve) => setImmediate(resolve)) // it is given back
  return journal
}

describe('a file', () => {
  it.each([1_000, 1_000_000])(
    'keeps an output once for its run and for others (beside it over %i bytes)',
    async (fileOverBytes) => {
      const path = join(scratchFolder(), 'runs.db')
      const journal = await withLarge({ fileOverBytes }, path)
      const other = open({ fileOverBytes }, path)
      const { runs, outputBytes } = journal.prune({ before: Infinity })
      expect(runs).toEqual(['one'])
      expect(outputBytes).toBeLessThan(5_000)
      const run = createRuntime({ tools: [repeat], journal: other }).start(large)
      await run.result
      expect([...run.ledger()]).toMatchObject([{ reusedFrom: { runId: 'one', stepId: 'a' } }])
      expect(journal.reuse.drop('all')).toMatchObject({ entries: 1, bytes: 0 }) // the second run has it, too
      expect(other.verify().faults).toEqual([])
    },
  )

  it.each([1_000, 1_000_000])(
    'tells what pruning would remove, and removes it then (files over %i bytes)',
    async (fileOverBytes) => {
      const journal = await withLarge({ fileOverBytes })
      const everything = { before: Infinity, reuse: 'all' } as const
      const would = journal.prune({ ...everything, dryRun: true })
      expect(would).toMatchObject({ runs: ['one'], reuse: { entries: 1 } })
      expect(would.outputBytes + would.reuse.bytes).toBeGreaterThan(5_000)
      expect(journal.verify()).toMatchObject({ runs: 1, faults: [] })
      expect(replayJournal(journal.read('one')).output('a')).toEqual({ text: 'x'.repeat(5_000) })
      expect(journal.prune(everything)).toEqual(would)
      expect(journal.verify()).toMatchObject({ runs: 0, faults: [] })
    },
  )

  it('runs the step, and mends what is kept, where that is damaged', async () => {
    const path = join(scratchFolder(), 'runs.db')
    const journal = open({}, path)
    const runtime = createRuntime({ tools: [repeat], journal })
    await runtime.start(large, { runId: 'one' }).result
    const database = new DatabaseSync(path)
    database.exec("UPDATE contents SET body = '{}' WHERE hash IN (SELECT hash FROM reuse)")
    database.close()
    const run = runtime.start(large)
    expect((await run.result).reason).toBe('done')
    expect([...run.ledger()][0]?.reusedFrom).toBeUndefined()
    expect(journal.verify().faults).toEqual([])
    const next = runtime.start(large)
    await next.result
    expect([...next.ledger()][0]?.reusedFrom).toMatchObject({ stepId: 'a' })
  })

  it('costs a run no more than a warning where nothing can be kept (U5)', async () => {
    const path = join(scratchFolder(), 'runs.db')
    const journal = open({}, path)
    const database = new DatabaseSync(path)
    database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON reuse BEGIN SELECT raise(ABORT, 'no room'); END`)
    database.close()
    const warned = new Promise<Error & { readonly code?: string }>((resolve) => process.once('warning', resolve))
    const run = createRuntime({ tools: [repeat], journal }).start(large, { runId: 'one' })
    expect((await run.result).reason).toBe('done')
    expect((await warned).code).toBe('JOURNAL_REUSE')
    expect([...journal.read('one')].map(({ type }) => type)).toEqual(['run.started', 'step.succeeded'])
    expect(journal.verify().faults).toEqual([])
    expect(journal.reuse.drop('all').entries).toBe(0)
  })

  it('is used by two processes at once with the same key', async () => {
    const path = join(scratchFolder(), 'runs.db')
    const runtimes = [open({}, path), open({}, path)].map((journal) => createRuntime({ tools: [repeat], journal }))
    const outcomes = await Promise.all(runtimes.map((runtime) => runtime.start(large).result))
    expect(outcomes.map(({ reason }) => reason)).toEqual(['done', 'done'])
    expect(open({}, path).reuse.drop('all').entries).toBe(1)
  })
})
