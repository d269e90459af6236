// Journals that earlier versions wrote: each stays in test data, and opens.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRuntime, defineTool, readExport, replayJournal, sqliteJournal } from '../../../src/runtime/index.ts'
import { scratchFolder } from '../../support/scratchFolder.ts'

const stored = fileURLToPath(new URL('../../data/journals', import.meta.url))

/** The tool of the stored runs. */
const echo = defineTool({
  name: 'echo',
  description: 'Gives back its text.',
  input: z.object({ text: z.string() }),
  output: z.string(),
  effects: 'none',
  run: ({ text }) => Promise.resolve(text),
})

function copyOf(format: number): string {
  const folder = scratchFolder()
  cpSync(stored, folder, { recursive: true })
  return join(folder, `format-${String(format)}.db`)
}

function versionOf(path: string): number {
  const database = new DatabaseSync(path)
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { readonly user_version: number }
  database.close()
  return version
}

describe.each([1])('a journal of format %i', (format) => {
  it('opens, is brought up to date and holds what it held', () => {
    const path = copyOf(format)
    expect(versionOf(path)).toBe(format)
    const journal = sqliteJournal(path)
    const { finished, failed, waiting } = Object.fromEntries(journal.runs().map((run) => [run.runId, run]))
    expect(finished).toMatchObject({ reason: 'done', labels: { team: 'data', stage: 'old' }, counts: { succeeded: 4 } })
    expect(failed).toMatchObject({ state: 'failed', reason: 'step_failed' })
    expect(waiting).toMatchObject({ state: 'awaiting', counts: { running: 1 } })
    expect(journal.verify().faults).toEqual([])
    const replay = replayJournal(journal.read('finished'))
    expect([replay.output('large'), replay.output('beside')]).toEqual(['b'.repeat(500), 'c'.repeat(3000)])
    void journal.close()
    expect(versionOf(path)).toBeGreaterThan(1)
  })

  it('is gone on with', async () => {
    await using runtime = createRuntime({ tools: [echo], journal: sqliteJournal(copyOf(format)) })
    const run = await runtime.resume('waiting', { changes: 'accept' })
    run.answer('ask', 'yes')
    const { reason } = await run.result
    expect([reason, run.output('after')]).toEqual(['done', 'yes'])
  })
})

it.each([
  [1, 'unchecked'],
  [2, 'whole'],
])('reads an export of format %i', (version, state) => {
  const read = readExport(readFileSync(join(stored, `export-${String(version)}.jsonl`), 'utf8'))
  expect(read.state).toBe(state)
  expect(replayJournal(read.events).outcome?.reason).toBe('done')
})

it('keeps an older file as it is where it cannot be brought up to date', () => {
  const path = copyOf(1)
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE reuse (key TEXT)') // stands in the way of the last statements
  database.close()
  expect(() => sqliteJournal(path)).toThrow()
  expect(versionOf(path)).toBe(1)
  const after = new DatabaseSync(path)
  const { count } = after.prepare(`SELECT count(*) AS count FROM sqlite_schema WHERE name = 'snapshots'`).get() as {
    readonly count: number
  }
  after.close()
  expect(count).toBe(0)
})
