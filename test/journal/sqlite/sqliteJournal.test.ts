// The SQLite journal: what every journal must do, and what only a file can be asked.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  replayJournal,
  sqliteJournal,
  type JournalEvent,
  type SqliteJournal,
  type SqliteJournalOptions,
} from '../../../src/runtime/index.ts'
import type { Step } from '../../../src/plan/schema.ts'
import { planOf } from '../../support/plans.ts'
import { scratchFolder } from '../../support/scratchFolder.ts'
import { echo } from '../../support/tools.ts'
import { describeJournal } from '../describeJournal.ts'

/** Opens a run in a process of its own. */
const openRun = fileURLToPath(new URL('./openRun.ts', import.meta.url))

function open(path = join(scratchFolder(), 'runs.db'), options: SqliteJournalOptions = {}): SqliteJournal {
  const journal = sqliteJournal(path, options)
  onTestFinished(() => {
    void journal.close()
  })
  return journal
}

describeJournal('the SQLite journal', () => open())

/** A file with one finished run in it. */
async function fileWithRun(size = 3): Promise<string> {
  const path = join(scratchFolder(), 'runs.db')
  await using runtime = createRuntime({ tools: [echo], journal: sqliteJournal(path) })
  const steps = Array.from({ length: size }, (_, n) => ({
    id: `s${String(n)}`,
    tool: 'echo',
    input: { text: 'x'.repeat(400 + n) },
  }))
  await runtime.start(planOf(steps), { runId: 'one' }).result
  return path
}

function alter(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

function filesBeside({ path }: SqliteJournal): string[] {
  const entries = readdirSync(`${path}-outputs`, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

function codeOf(action: () => unknown): unknown {
  try {
    action()
    return undefined
  } catch (error) {
    return (error as { readonly code?: unknown }).code
  }
}

describe('a journal file', () => {
  it('gives a run again after it was closed', async () => {
    const path = await fileWithRun()
    const replayed = replayJournal(open(path).read('one'))
    expect(replayed.outcome).toMatchObject({ reason: 'done' })
    expect(replayed.output('s1')).toEqual({ text: 'x'.repeat(401) })
  })

  it('keeps a large value once, however often and in however many runs it comes', async () => {
    const path = join(scratchFolder(), 'runs.db')
    const journal = open(path, { fileOverBytes: 10_000 })
    await using runtime = createRuntime({ tools: [echo], journal })
    const middling = { text: 'm'.repeat(1_000) }
    const large = { text: 'l'.repeat(20_000) }
    const steps = ['a', 'b'].flatMap((id) => [
      { id: `${id}1`, tool: 'echo', input: middling },
      { id: `${id}2`, tool: 'echo', input: large },
    ])
    for (const runId of ['one', 'two']) await runtime.start(planOf(steps), { runId }).result
    const database = new DatabaseSync(path, { readOnly: true })
    const kept = database.prepare('SELECT bytes, body IS NULL AS beside FROM contents ORDER BY bytes').all()
    database.close()
    const sizeOf = (value: unknown): number => JSON.stringify(value).length
    expect(kept).toEqual(
      expect.arrayContaining([
        { bytes: sizeOf(middling), beside: 0 },
        { bytes: sizeOf(large), beside: 1 },
      ]),
    )
    expect(kept).toHaveLength(3) // and the plan, which both have given
    expect(filesBeside(journal)).toHaveLength(2)
    expect(replayJournal(journal.read('two')).output('b2')).toEqual(large)
  })

  it.each([
    [
      'a text file',
      (path: string) => {
        writeFileSync(path, 'to be or not to be, that is the question, again and again')
      },
      'JOURNAL_FORMAT',
    ],
    [
      'the file of another program',
      (path: string) => {
        alter(path, 'CREATE TABLE accounts (id INTEGER)')
      },
      'JOURNAL_FORMAT',
    ],
    ['a folder that cannot be made', undefined, 'FOLDER_UNMAKEABLE'],
  ] as const)('refuses %s and leaves it alone', (_, make, code) => {
    const folder = scratchFolder()
    const path = make === undefined ? join(folder, 'file', 'runs.db') : join(folder, 'runs.db')
    if (make === undefined) writeFileSync(join(folder, 'file'), '')
    else make(path)
    const before = existsSync(path) ? readFileSync(path) : undefined
    expect(codeOf(() => sqliteJournal(path))).toBe(code)
    if (before !== undefined) expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('refuses a file of a newer version and leaves it alone', async () => {
    const path = await fileWithRun()
    alter(path, 'PRAGMA user_version = 99')
    expect(codeOf(() => sqliteJournal(path))).toBe('JOURNAL_NEWER')
  })

  it.each([
    ['changed', `UPDATE events SET body = replace(body, 's1', 's9') WHERE seq = 2`, 2],
    ['left out', 'DELETE FROM events WHERE seq = 2', 2],
    ['cut off', 'DELETE FROM events WHERE seq = 3', 3],
    [
      'moved',
      'UPDATE events SET seq = 9 WHERE seq = 1; UPDATE events SET seq = 1 WHERE seq = 2; UPDATE events SET seq = 2 WHERE seq = 9',
      1,
    ],
    ['moved to another run', `UPDATE runs SET run_id = 'one'`, 0],
  ])('names the first event that was %s, and gives those before it', async (what, sql, broken) => {
    const path = await fileWithRun()
    alter(path, what === 'moved to another run' ? `UPDATE runs SET run_id = 'other'` : sql)
    const journal = open(path)
    const read: JournalEvent[] = []
    const runId = what === 'moved to another run' ? 'other' : 'one'
    expect(() => {
      for (const event of journal.read(runId)) read.push(event)
    }).toThrow(
      expect.objectContaining({
        code: 'JOURNAL_BROKEN',
        message: expect.stringContaining(`Event ${String(broken)} `) as string,
      }),
    )
    expect(read).toHaveLength(broken)
  })

  it('says when an output was changed or is gone', async () => {
    const path = await fileWithRun()
    alter(path, `UPDATE contents SET body = replace(body, 'xxx', 'yyy') WHERE bytes < 1000`)
    expect(codeOf(() => [...open(path).read('one')])).toBe('JOURNAL_BROKEN')
  })

  it('never gives what is wrong, whichever byte of the file is turned', async () => {
    const path = await fileWithRun(1)
    const right = JSON.stringify([...open(path).read('one')])
    const whole = readFileSync(path)
    const folder = scratchFolder()
    const step = Math.max(1, Math.floor(whole.length / 400))
    for (let at = 0; at < whole.length; at += step) {
      const copy = join(folder, `turned${String(at)}.db`)
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 0x41
      writeFileSync(copy, bytes)
      const read = readOrCode(copy)
      if (!read.startsWith('JOURNAL_') && read !== 'RUN_UNKNOWN') expect(read).toBe(right)
    }
  })
})

function readOrCode(path: string): string {
  try {
    const journal = sqliteJournal(path)
    try {
      return JSON.stringify([...journal.read('one')])
    } finally {
      void journal.close()
    }
  } catch (error) {
    return String((error as { readonly code?: unknown }).code)
  }
}

describe('one writer for each run', () => {
  it('a run that is open is refused to others, in this process too', () => {
    const path = join(scratchFolder(), 'runs.db')
    const journal = open(path)
    const writer = journal.create('one')
    expect(codeOf(() => journal.open('one'))).toBe('RUN_OWNED')
    expect(codeOf(() => open(path).open('one'))).toBe('RUN_OWNED')
    void writer.close()
    expect(open(path).open('one').next).toBe(0)
  })

  it('names the process that has it', () => {
    const path = join(scratchFolder(), 'runs.db')
    open(path).create('one')
    const said = execFileSync(process.execPath, ['--import', 'tsx', openRun, path, 'one'], { encoding: 'utf8' })
    expect(said).toContain('RUN_OWNED')
    expect(said).toContain(`process ${String(process.pid)}`)
  })

  it('lets a run of a dead process be taken at once', () => {
    const path = join(scratchFolder(), 'runs.db')
    const died = spawnSync(process.execPath, ['--import', 'tsx', openRun, path, 'one', 'die'])
    expect(died.signal).toBe('SIGKILL')
    expect(open(path).open('one').next).toBe(1)
  })

  it('lets a run be taken whose owner gave no sign of life, and refuses that owner from then on (W1, W2)', async () => {
    const path = join(scratchFolder(), 'runs.db')
    let now = 1_000
    const asleep = open(path, { now: () => now, leaseMs: 10_000 }).create('one')
    const other = open(path, { now: () => now, leaseMs: 10_000 })
    expect(codeOf(() => other.open('one'))).toBe('RUN_OWNED')
    now += 10_000
    const taken = other.open('one')
    asleep.append({ type: 'run.pause', id: 'e0', at: now, seq: 0 })
    await expect(asleep.flush()).rejects.toMatchObject({ code: 'RUN_TAKEN_OVER' })
    taken.append({ type: 'run.resume', id: 'e0', at: now, seq: 0 })
    await taken.flush()
    expect([...other.read('one')]).toMatchObject([{ type: 'run.resume' }])
  })

  it('lets a run be begun whose process died before anything of it was written, and lists no such run', () => {
    const path = join(scratchFolder(), 'runs.db')
    let now = 1_000
    open(path, { now: () => now, leaseMs: 10_000 }).create('one')
    const other = open(path, { now: () => now, leaseMs: 10_000 })
    expect(codeOf(() => other.create('one'))).toBe('RUN_EXISTS')
    expect(other.runs()).toEqual([])
    now += 10_000
    expect(other.create('one').next).toBe(0)
  })
})

describe('a disk that fails', () => {
  it('a file that may only be read is refused with its name', async () => {
    const path = await fileWithRun()
    chmodSync(path, 0o444)
    const code = process.getuid?.() === 0 ? undefined : 'JOURNAL_READONLY' // root may write anything
    expect(codeOf(() => sqliteJournal(path).create('two'))).toBe(code)
  })

  it('that is full ends the run with the reason; what was recorded is intact', async () => {
    const path = join(scratchFolder(), 'runs.db')
    const big = defineTool({
      name: 'big',
      description: 'Gives much.',
      input: z.object({ n: z.number() }),
      output: z.object({ text: z.string() }),
      run: ({ n }) => ({ text: String(n).repeat(100_000) }),
    })
    const journal = open(path, { maxBytes: 400_000 })
    await using runtime = createRuntime({ tools: [echo, big], journal })
    await runtime.start(planOf([{ id: 'a', tool: 'echo' }]), { runId: 'before' }).result
    const steps = Array.from({ length: 20 }, (_, n) => ({
      id: `s${String(n)}`,
      tool: 'big',
      input: { n },
      after: n === 0 ? [] : [`s${String(n - 1)}`],
    }))
    const outcome = await runtime.start(planOf(steps), { runId: 'full' }).result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'internal_error' })
    expect(outcome.message).toContain('the disk is full')
    expect(outcome.failure?.hint).toContain('Make room')
    expect(replayJournal(journal.read('before')).outcome).toMatchObject({ reason: 'done' })
    expect(replayJournal(journal.read('full')).state).toBe('awaiting')
  })
})

describe('closing', () => {
  it('takes nobody down while another process writes, and the runs can be taken afterwards', async () => {
    const path = join(scratchFolder(), 'runs.db')
    const journal = open(path)
    const run = journal.create('one')
    run.append({ type: 'run.resume', id: 'e0', at: 1, seq: 0 })
    await run.flush()
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    expect(() => journal.close()).not.toThrow()
    other.exec('ROLLBACK')
    other.close()
    expect(open(path).open('one').next).toBe(1)
  })
})

describe('taking runs out', () => {
  async function fileWithTwo(): Promise<SqliteJournal> {
    const journal = open(join(scratchFolder(), 'runs.db'), { fileOverBytes: 5_000 })
    const runtime = createRuntime({ tools: [echo], journal })
    const stepOf = (id: string, length: number): Step => ({ id, tool: 'echo', input: { text: id.repeat(length) } })
    await runtime.start(planOf([stepOf('shared', 1_000), stepOf('a', 9_000)]), { runId: 'one' }).result
    await runtime.start(planOf([stepOf('shared', 1_000), stepOf('b', 9_000)]), { runId: 'two' }).result
    return journal
  }

  it('a run goes with what only it refers to, in the file and beside it', async () => {
    const journal = await fileWithTwo()
    const { runs, outputBytes } = journal.remove('one')
    expect(runs).toEqual(['one'])
    expect(outputBytes).toBeGreaterThan(9_000)
    expect(journal.runs().map(({ runId }) => runId)).toEqual(['two'])
    expect(replayJournal(journal.read('two')).output('shared')).toEqual({ text: 'shared'.repeat(1_000) })
    expect(filesBeside(journal)).toHaveLength(3) // outputs of both steps, and the plan
    journal.remove('two')
    expect(filesBeside(journal)).toEqual([])
    expect(journal.verify()).toMatchObject({ runs: 0, faults: [] })
  })

  it('a run that is going on stays, whether it is named or old', () => {
    const journal = open()
    journal.create('live')
    expect(codeOf(() => journal.remove('live'))).toBe('RUN_OWNED')
    expect(journal.prune({ before: Infinity, unfinished: 'remove' }).runs).toEqual([])
  })

  it('old runs go; unfinished ones only where that is asked for', async () => {
    const journal = await fileWithTwo()
    void journal.create('interrupted').close()
    expect(journal.prune({ before: 0 }).runs).toEqual([])
    expect(journal.prune({ before: Number.MAX_SAFE_INTEGER }).runs).toEqual(['one', 'two'])
    expect(journal.prune({ before: Number.MAX_SAFE_INTEGER, unfinished: 'remove' }).runs).toEqual(['interrupted'])
  })
})

describe('looking a file through', () => {
  it('counts what is intact, and names the first event that is not', async () => {
    const path = await fileWithRun()
    expect(open(path).verify()).toEqual({ runs: 1, events: 4, faults: [] })
    alter(path, 'DELETE FROM events WHERE seq = 2')
    expect(open(path).verify()).toMatchObject({
      runs: 1,
      events: 2,
      faults: [{ runId: 'one', seq: 2, code: 'JOURNAL_BROKEN' }],
    })
  })
})
