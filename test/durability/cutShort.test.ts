// Files that have lost their end, at each page and between: what is intact is told, and saved into a new file.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRuntime, PlanloomError, readRun, repairJournal, sqliteJournal, verifyJournal } from '../../src/index.ts'
import { callCommand } from '../cli/callCommand.ts'
import { planOf } from '../support/plans.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import { echo } from '../support/tools.ts'

const pageBytes = 4096

interface Written {
  readonly file: Buffer
  readonly log: Buffer
  /** Of each run. */
  readonly events: ReadonlyMap<string, readonly string[]>
}

/** A journal of several runs with outputs of all sizes, after its end or in the middle of its process. */
async function written(when: 'open' | 'closed', runs: number): Promise<Written> {
  const path = join(scratchFolder(), 'runs.db')
  const journal = sqliteJournal(path)
  const runtime = createRuntime({ tools: [echo], journal })
  const events = new Map<string, readonly string[]>()
  for (let n = 0; n < runs; n++) {
    const runId = `run-${String(n)}`
    const steps = Array.from({ length: 6 }, (_, step) => ({
      id: `s${String(step)}`,
      tool: 'echo',
      input: { text: `${runId} `.repeat(step * 120) },
      ...(step > 0 && { after: [`s${String(step - 1)}`] }),
    }))
    await runtime.start(planOf(steps), { runId }).result
    events.set(runId, [...journal.read(runId)].map((event) => JSON.stringify(event)))
  }
  const open = { file: readFileSync(path), log: readFileSync(`${path}-wal`), events }
  await runtime.close()
  return when === 'open' ? open : { file: readFileSync(path), log: Buffer.alloc(0), events }
} // prettier-ignore

function found(root: string, file: Buffer, log: Buffer): string {
  const path = join(mkdtempSync(join(root, 'cut-')), 'runs.db')
  writeFileSync(path, file)
  if (log.length > 0) writeFileSync(`${path}-wal`, log)
  return path
}

/** Looks a file through, and saves what is intact. @returns how many events were saved, or the code of a clear error */
async function saved(path: string, { file, events }: Written, length: number): Promise<number | string> {
  const to = join(dirname(path), 'saved.db')
  try {
    const report = verifyJournal(path)
    for (const { code } of report.faults) expect(['JOURNAL_DAMAGED', 'JOURNAL_BROKEN']).toContain(code)
    const repaired = await repairJournal(path, to)
    expect(readFileSync(path).equals(file.subarray(0, length))).toBe(true) // as it was
    const kept = repaired.runs.reduce((sum, run) => sum + run.kept, 0)
    expect([report.runs, report.events]).toEqual([repaired.runs.length, kept])
    expect([repaired.cutShort, report.cutShort]).toEqual([report.cutShort, report.faults[0] && { bytes: length, of: file.length }])
    const fresh = sqliteJournal(to)
    let marks = 0
    for (const { runId, kept: many, of, because } of repaired.runs) {
      const before = events.get(runId) ?? []
      expect(because === undefined).toBe(many === before.length && of !== undefined)
      if (many === 0) continue
      const [left, more] = [[...fresh.read(runId)].slice(0, many), [...fresh.read(runId)].slice(many)]
      expect(left.map((event) => JSON.stringify(event))).toEqual(before.slice(0, many))
      expect(more).toMatchObject(many < before.length ? [{ type: 'run.endLost', after: many - 1 }] : [])
      marks += more.length
      expect((await readRun(fresh, runId)).goal).toEqual(planOf([]).goal)
    }
    await fresh.close()
    expect(verifyJournal(to)).toMatchObject({ faults: [], events: kept + marks })
    return kept
  } catch (error) {
    if (!(error instanceof PlanloomError)) throw error
    expect(existsSync(to)).toBe(false)
    expect(error.hint).not.toMatch(/journal (verify|repair)/)
    return error.code
  }
} // prettier-ignore

describe('a journal file that was cut short', () => {
  it('gives a prefix of each run, whichever length it has', async () => {
    const root = scratchFolder()
    const whole = await written('closed', 8)
    const { file, log, events } = whole
    const lengths = [0, 1, 99, 100, 101, file.length - 1]
    for (let page = pageBytes; page < file.length; page += pageBytes) lengths.push(page, page + 1_500)
    const kept: number[] = []
    const codes = new Set<string>()
    for (const length of lengths) {
      const path = found(root, file.subarray(0, length), log)
      const result = await saved(path, whole, length)
      if (typeof result === 'number') kept.push(result)
      else codes.add(result)
      if (length < 100) expect(result).toBe('JOURNAL_FORMAT')
      rmSync(dirname(path), { recursive: true })
    }
    const all = [...events.values()].flat().length
    expect([...codes].sort()).toEqual(['JOURNAL_DAMAGED', 'JOURNAL_FORMAT'])
    expect(kept.filter((many) => many > 0 && many < all).length).toBeGreaterThan(lengths.length / 4)
  }, 60_000)

  it('is looked at together with the log beside it', async () => {
    const root = scratchFolder()
    const whole = await written('closed', 3)
    const path = found(root, whole.file, whole.log)
    const journal = sqliteJournal(path)
    await createRuntime({ tools: [echo], journal }).start(
      planOf([{ id: 'a', tool: 'echo', input: { text: 'late' } }]),
      {
        runId: 'late',
      },
    ).result
    const [file, log] = [readFileSync(path), readFileSync(`${path}-wal`)]
    const late = [...journal.read('late')].length
    await journal.close()
    const cut = found(root, file.subarray(0, file.length - 3 * pageBytes), log)
    const { runs } = await repairJournal(cut, join(dirname(cut), 'saved.db'))
    expect(runs.map(({ runId }) => runId)).toContain('late')
    expect(runs.find(({ runId }) => runId === 'late')?.of).toBe(late)
    expect(readFileSync(`${cut}-wal`).equals(log)).toBe(true)
  })

  it('says so, and the hint of other commands leads to what is saved', async () => {
    const { file, log } = await written('closed', 8)
    const path = found(scratchFolder(), file.subarray(0, Math.floor(file.length / 2)), log)
    for (const command of ['runs', 'show']) {
      const { code, stderr } = await callCommand(command, '-j', path)
      expect(code).toBe(1)
      expect(stderr).toContain('was cut short')
      expect(stderr).toContain('planloom journal repair')
    }
    const verified = await callCommand('journal', 'verify', path)
    expect(verified.code).toBe(1)
    expect(verified.stdout).toContain('was cut short')
    expect(verified.stdout).toMatch(/Of \d runs?: \d whole, \d in part, \d lost\./)
    const to = join(dirname(path), 'saved.db')
    const repaired = await callCommand('journal', 'repair', path, '--out', to)
    expect(repaired.stdout).toMatch(/The file was cut short: [\d,]+ of [\d,]+ bytes are left/)
    expect(repaired.stdout).toMatch(/\d+ events? saved in /)
    expect((await callCommand('runs', '-j', to)).code).toBe(0)
  })

  it('without its header is said to be lost, with no hint that leads nowhere', async () => {
    const path = found(scratchFolder(), Buffer.from('SQLite format 3\0'), Buffer.alloc(0))
    for (const command of [['runs', '-j', path], ['journal', 'verify', path], ['journal', 'repair', path, '--out', `${path}.new`]]) {
      const { code, stderr } = await callCommand(...command)
      expect(code).toBe(2)
      expect(stderr).toContain('has only 16 bytes')
      expect(stderr).not.toMatch(/journal (verify|repair)/)
    }
  }) // prettier-ignore
})
