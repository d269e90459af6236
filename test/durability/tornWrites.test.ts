// Writes that were torn off: the file, and its log, cut off at every byte of their tails in turn. What can be read is what was
// written, as far as it goes; and a run that is gone on with from there reads on as it was written.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRuntime, sqliteJournal, type JournalEvent } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import { echo } from '../support/tools.ts'

const frameBytes = 4096 + 24
const clearCodes = ['RUN_UNKNOWN', 'JOURNAL_FORMAT', 'JOURNAL_DAMAGED', 'JOURNAL_BROKEN']

interface Written {
  readonly file: Buffer
  /** The write-ahead log; empty where all of it was folded into the file. */
  readonly log: Buffer
  readonly events: readonly string[]
}

/** A journal with a run whose outputs are of all sizes, as it stands in the middle of its process, or after its end. */
async function written(when: 'open' | 'closed'): Promise<Written> {
  const path = join(scratchFolder(), 'runs.db')
  const journal = sqliteJournal(path)
  const runtime = createRuntime({ tools: [echo], journal })
  const steps = Array.from({ length: 12 }, (_, n) => ({
    id: `s${String(n)}`,
    tool: 'echo',
    input: { text: 'x'.repeat(n * 90) },
    ...(n > 0 && { after: [`s${String(n - 1)}`] }),
  }))
  await runtime.start(planOf(steps), { runId: 'run' }).result
  const events = [...journal.read('run')].map((event) => JSON.stringify(event))
  const open = { file: readFileSync(path), log: readFileSync(`${path}-wal`), events }
  await runtime.close()
  if (when === 'open') return open
  return { file: readFileSync(path), log: Buffer.alloc(0), events }
}

/** Puts the two beside each other in a folder of their own, as a machine that comes back finds them. @returns the path */
function found(root: string, file: Buffer, log: Buffer): string {
  const path = join(mkdtempSync(join(root, 'cut-')), 'runs.db')
  writeFileSync(path, file)
  writeFileSync(`${path}-wal`, log)
  return path
}

function forget(path: string): void {
  rmSync(dirname(path), { recursive: true })
}

/** Reads as far as it goes. @returns the events, and the code of the error that ended it, where one did */
async function readAll(
  path: string,
): Promise<{ readonly events: readonly string[]; readonly code: string | undefined }> {
  const events: string[] = []
  try {
    const journal = sqliteJournal(path)
    try {
      for (const event of journal.read('run')) events.push(JSON.stringify(event))
      return { events, code: undefined }
    } finally {
      await journal.close()
    }
  } catch (error) {
    return { events, code: String((error as { readonly code?: unknown }).code) }
  }
}

/** Goes on with the run from where it was cut off. */
async function goOn(path: string, events: readonly string[]): Promise<void> {
  const journal = sqliteJournal(path)
  const run = journal.open('run')
  expect(run.next).toBe(events.length)
  const next: JournalEvent = { type: 'fact.reported', id: `e${String(run.next)}`, at: 0, seq: run.next, key: 'f', value: 1 }
  run.append(next)
  await run.flush()
  await run.close()
  await journal.close()
  const { events: read, code } = await readAll(path)
  expect(code).toBeUndefined()
  expect(read.slice(0, -1)).toEqual(events)
  expect(JSON.parse(read.at(-1) ?? '')).toEqual(next)
} // prettier-ignore

describe('a file that was torn off', () => {
  it('in its log gives what is whole, whichever byte it ends at, and is gone on with from there', async () => {
    const root = scratchFolder()
    const { file, log, events } = await written('open')
    const lengths = new Set<number>()
    // Every byte of the last frame and of the heads of those before it; of all others, a look now and then.
    for (let length = log.length; length > log.length - 200; length--) lengths.add(length)
    for (let frame = log.length - frameBytes; frame > log.length - 5 * frameBytes; frame -= frameBytes)
      for (let length = frame - 2; length < frame + 26; length++) lengths.add(length)
    for (let length = 0; length < log.length; length += 3_997) lengths.add(length)
    const seen = new Set<number>()
    for (const length of lengths) {
      const path = found(root, file, log.subarray(0, length))
      const { events: read, code } = await readAll(path)
      expect(read).toEqual(events.slice(0, read.length))
      if (code !== undefined) expect([length, code]).toEqual([length, 'RUN_UNKNOWN']) // it ends before the run was begun
      if (code === undefined && !seen.has(read.length)) await goOn(path, read)
      seen.add(read.length)
      forget(path)
    }
    expect(seen.size).toBeGreaterThan(8)
    expect(seen.has(events.length)).toBe(true)
  })

  it('in itself is a clear error, or gives what is whole, whichever byte it ends at', async () => {
    const root = scratchFolder()
    const { file, log, events } = await written('closed')
    const lengths: number[] = []
    for (let length = file.length - 1; length > file.length - 300; length--) lengths.push(length)
    for (let page = 4096; page < file.length; page += 4096) lengths.push(page - 1, page, page + 1)
    lengths.push(0, 1, 15, 16, 99, 100, 101)
    const codes = new Set<string | undefined>()
    for (const length of lengths) {
      const path = found(root, file.subarray(0, length), log)
      const { events: read, code } = await readAll(path)
      expect(read).toEqual(events.slice(0, read.length))
      if (code === undefined) expect([length, read.length]).toEqual([length, events.length])
      else expect(clearCodes).toContain(code)
      codes.add(code)
      forget(path)
    }
    expect(codes.has('JOURNAL_DAMAGED')).toBe(true)
  })
})
