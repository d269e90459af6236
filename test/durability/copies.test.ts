// Copies of runs whose process is killed in the middle: there as a whole, or not at all, and never in the way.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyRun, createRuntime, repairJournal, sqliteJournal, verifyJournal } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import { echo } from '../support/tools.ts'

/** A run of some 2,500 events, with outputs that are kept by their content. */
async function recorded(folder: string): Promise<string> {
  const path = join(folder, 'runs.db')
  const runtime = createRuntime({ tools: [echo], journal: sqliteJournal(path) })
  const steps = Array.from({ length: 2_500 }, (_, n) => ({
    id: `s${String(n)}`,
    tool: 'echo',
    input: { text: `${String(n)} `.repeat(80) },
  }))
  expect(await runtime.start(planOf(steps), { runId: 'run' }).result).toMatchObject({ reason: 'done' })
  await runtime.close()
  return path
}

function diesIn(...args: string[]): void {
  const child = join(import.meta.dirname, 'copyAndDie.ts')
  expect(() => execFileSync(process.execPath, ['--import', 'tsx', child, ...args], { stdio: 'pipe' })).toThrow(
    expect.objectContaining({ signal: 'SIGKILL' }),
  )
}

describe('a copy of a run', () => {
  it('is seen when all of it is there, and one that was killed is not in the way', async () => {
    const folder = scratchFolder()
    const from = await recorded(folder)
    const source = sqliteJournal(from)
    const events = [...source.read('run')]
    const to = join(folder, 'copy.db')
    for (const flushes of ['1', '2']) diesIn('copy', from, to, flushes)
    const journal = sqliteJournal(to)
    expect(journal.runs()).toEqual([])
    expect([...journal.read('run')]).toEqual([])
    expect(verifyJournal(to)).toMatchObject({ runs: 0, events: 0, faults: [] })
    await copyRun(events, journal)
    expect(journal.runs()).toMatchObject([{ runId: 'run', state: 'completed', events: events.length }])
    expect([...journal.read('run')]).toEqual(events)
    await journal.close()
    expect(verifyJournal(to)).toMatchObject({ runs: 1, events: events.length, faults: [] })
    await source.close()
  }, 60_000)

  it('that was killed goes with the old runs, and with its outputs', async () => {
    const folder = scratchFolder()
    const from = await recorded(folder)
    const to = join(folder, 'copy.db')
    diesIn('copy', from, to, '2')
    const journal = sqliteJournal(to)
    const pruned = journal.prune({ before: Date.now() + 1_000 })
    expect(pruned.runs).toEqual([])
    expect(pruned.outputBytes).toBeGreaterThan(100_000)
    expect(() => [...journal.read('run')]).toThrow(expect.objectContaining({ code: 'RUN_UNKNOWN' }))
    await journal.close()
  }, 60_000)
})

describe('a repair', () => {
  it('gives its file the name when it is whole, and one that was killed leaves nothing', async () => {
    const folder = scratchFolder()
    const from = await recorded(folder)
    const to = join(folder, 'saved.db')
    diesIn('repair', from, to)
    expect(readdirSync(folder)).not.toContain('saved.db')
    expect(readdirSync(folder).some((name) => name.startsWith('saved.db.part-'))).toBe(true)
    await repairJournal(from, to)
    expect(readdirSync(folder).filter((name) => name.startsWith('saved.db')).sort()).toEqual(['saved.db'])
    expect(verifyJournal(to)).toMatchObject({ runs: 1, faults: [] })
  }, 60_000) // prettier-ignore
})
