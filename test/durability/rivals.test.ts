// Processes that fight for one run: exactly one writes at any time, and who was only asleep writes no more.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { sqliteJournal } from '../../src/runtime/index.ts'
import { bundled, started, type Told } from '../support/bundled.ts'
import { scratchFolder } from '../support/scratchFolder.ts'

const rounds = Number(process.env['PLANLOOM_CRASHES'] ?? 20)

let rival = ''
beforeAll(async () => {
  rival = await bundled(fileURLToPath(new URL('rival.ts', import.meta.url)))
})

/** A journal with a run that nobody has. */
async function journalWithRun(): Promise<string> {
  const path = join(scratchFolder(), 'runs.db')
  const journal = sqliteJournal(path)
  const run = journal.create('run')
  run.append({ type: 'run.pause', id: 'e0', at: 0, seq: 0 })
  await run.flush()
  await run.close()
  await journal.close()
  return path
}

interface Record {
  readonly keys: readonly string[]
  readonly faults: readonly unknown[]
}

/** Who wrote each event, from the first that a rival wrote. */
async function recordIn(path: string): Promise<Record> {
  const journal = sqliteJournal(path)
  try {
    const events = [...journal.read('run')].slice(1)
    const keys = events.map((event) => (event.type === 'fact.reported' ? event.key : event.type))
    return { keys, faults: journal.verify().faults }
  } finally {
    await journal.close()
  }
}

const numbersIn = ({ lines }: Told, word: string): number[] =>
  lines.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.split(' ')[1]))

it('what a process knows to be written is written by it alone, however many fight', { timeout: 60_000 }, async () => {
  const path = await journalWithRun()
  const rivals = ['ann', 'bob', 'cid'].map((name) => started(rival, path, name, '15000'))
  // Some each; the first ones may come long before the last process has started.
  const some = rivals.map((one) => one.line(() => numbersIn(one, 'wrote').length >= rounds))
  await Promise.all(some)
  for (const { child } of rivals) child.stdin?.end()
  for (const { end } of rivals) expect(await end).toBe(0)
  const { keys, faults } = await recordIn(path)
  expect(faults).toEqual([])
  const claimed = rivals.flatMap((one, index) => numbersIn(one, 'wrote').map((seq) => [seq, ['ann', 'bob', 'cid'][index]]))
  expect(claimed.sort(([a], [b]) => Number(a) - Number(b))).toEqual(keys.map((key, index) => [index + 1, key]))
  expect(rivals.flatMap((one) => numbersIn(one, 'lost'))).toEqual([])
  expect(rivals.some(({ lines }) => lines.includes('refused RUN_OWNED'))).toBe(true)
}) // prettier-ignore

it('a process that was killed gives the run up, and one that was only stopped writes nothing when it wakes', { timeout: 60_000 }, async () => {
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const path = await journalWithRun()
    const old = started(rival, path, 'old', '300', signal)
    await old.line(() => numbersIn(old, 'wrote').length === 5)
    const next = started(rival, path, 'next', '300', 'none')
    await next.line(() => numbersIn(next, 'wrote').length >= 3)
    if (signal === 'SIGSTOP') {
      old.child.kill('SIGCONT')
      await old.line((line) => line.startsWith('lost '))
      expect(old.lines.filter((line) => line.startsWith('lost '))).toEqual([expect.stringMatching(/RUN_TAKEN_OVER$/)])
      expect(await old.end).toBe(0)
    }
    await next.line(() => numbersIn(next, 'wrote').length >= 6)
    next.child.stdin?.end()
    expect(await next.end).toBe(0)
    const { keys, faults } = await recordIn(path)
    expect(faults).toEqual([])
    const taken = keys.indexOf('next')
    expect(new Set(keys.slice(0, taken))).toEqual(new Set(['old']))
    expect(new Set(keys.slice(taken))).toEqual(new Set(['next']))
    expect(Math.max(...numbersIn(old, 'wrote'))).toBeLessThanOrEqual(taken) // the event of number n is the n-th of these
    expect(numbersIn(next, 'wrote')).toEqual(keys.slice(taken).map((_, index) => taken + 1 + index))
  }
}) // prettier-ignore
