// Real processes, files and signals: random work whose processes are killed, one after the other, at random moments and at
// random events (before an event is written, after it and before its commands go out, and after those); or asked to leave it (SIGTERM).
//
// A sample runs with all tests. For more: PLANLOOM_CRASHES=300 npx vitest run test/durability/kills.test.ts
// (PLANLOOM_SEED=random for other cases, PLANLOOM_SEED=<number> for those of a seed, which is printed when one fails.)
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import PQueue from 'p-queue'
import { beforeAll, expect, it } from 'vitest'
import { replayJournal, sqliteJournal } from '../../src/runtime/index.ts'
import { crashWorks, type CrashWork } from '../arbitraries/crashPlans.ts'
import { bundled, started } from '../support/bundled.ts'
import { carryOut } from '../support/crashRun.ts'
import { breachesOfWork, endStateOf } from '../support/crashWork.ts'
import type { Death } from '../support/mortalJournal.ts'
import { outsideInFile } from '../support/outside.ts'
import { seed } from '../support/seed.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import type { WorkerInput } from './worker.ts'

const cases = Number(process.env['PLANLOOM_CRASHES'] ?? 8)

/** At an event, or so many ms after it has begun to work, or after it was started: then it may still be opening its journal. */
type Kill =
  Death | { readonly afterMs: number; readonly of: 'work' | 'process'; readonly signal: 'SIGKILL' | 'SIGTERM' }

const kills: fc.Arbitrary<Kill[]> = fc.array(
  fc.oneof(
    fc.record({ afterEvents: fc.integer({ min: 2, max: 12 }), at: fc.constantFrom('lost', 'written', 'delivered') }),
    fc.record({ afterMs: fc.nat(25), of: fc.constant('work'), signal: fc.constantFrom('SIGKILL', 'SIGTERM') }),
    fc.record({
      afterMs: fc.integer({ min: 60, max: 250 }),
      of: fc.constant('process'),
      signal: fc.constant('SIGKILL'),
    }),
  ),
  { minLength: 2, maxLength: 8 },
)

let worker = ''
beforeAll(async () => {
  worker = await bundled(fileURLToPath(new URL('worker.ts', import.meta.url)))
})

/** One process. @returns whether the work has come to its end in it */
async function live(input: WorkerInput, kill: Kill | undefined): Promise<boolean> {
  const { child, line, lines, end } = started(worker)
  child.stdin?.on('error', () => undefined) // it may be dead before it has read its work
  child.stdin?.end(JSON.stringify({ ...input, ...(kill && 'at' in kill && { death: kill }) }))
  if (kill && 'of' in kill) {
    const begun = kill.of === 'process' ? Promise.resolve() : line((said) => said === 'begun').then(() => undefined)
    const shoot = (): void => {
      setTimeout(() => child.kill(kill.signal), kill.afterMs)
    }
    void begun.then(shoot, () => undefined) // it died before that, and its end says how
  }
  await end
  return lines.includes('over')
}

async function breaches(work: CrashWork, ends: readonly Kill[]): Promise<{ wrong: readonly string[]; died: number }> {
  const folder = scratchFolder()
  const path = join(folder, 'runs.db')
  const effects = join(folder, 'effects')
  let died = 0
  let what: WorkerInput['what'] = 'start'
  while (!(await live({ work, journal: path, effects, what }, ends[died]))) {
    died += 1
    // A process that is killed at once may not have written that there is a run.
    const left = sqliteJournal(path)
    what = left.runs().some(({ runId }) => runId === 'run') ? 'resume' : 'start'
    await left.close()
  }
  const journal = sqliteJournal(path)
  try {
    const lines = outsideInFile(effects).lines()
    const wrong = [...(await breachesOfWork(journal, lines)), ...journal.verify().faults.map(({ message }) => message)]
    const end = endStateOf(replayJournal(journal.read('run')))
    const undisturbed = await carryOut(work, [])
    if (work.uncertain === 'ask') {
      expect(end).toEqual(undisturbed.end)
      expect(lines.length).toBe(undisturbed.outside.lines().length)
    }
    return { wrong, died }
  } finally {
    await journal.close()
  }
} // prettier-ignore

it('killed as often as may be, work comes to the end that it would have had, with every effect as promised', { timeout: 120_000 + cases * 5_000 }, async () => {
  const queue = new PQueue({ concurrency: 2 })
  let deaths = 0
  const failed: string[] = []
  for (const [work, ends] of fc.sample(fc.tuple(crashWorks(), kills), { numRuns: cases, seed })) {
    void queue.add(async () => {
      try {
        const { wrong, died } = await breaches(work, ends)
        deaths += died
        if (wrong.length > 0) failed.push(JSON.stringify({ wrong, work, ends }))
      } catch (error) {
        failed.push(`${String(error)} ${JSON.stringify({ work, ends })}`)
      }
    })
  }
  await queue.onIdle()
  if (process.env['PLANLOOM_CRASHES'] !== undefined) console.log(`${cases} runs, ${deaths} deaths`)
  expect(failed, `seed ${seed}`).toEqual([])
  expect(deaths).toBeGreaterThan(cases / 2)
}) // prettier-ignore
