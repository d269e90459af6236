// Random work whose processes die, one after the other, at random events: before an event is written, after it and before its
// commands go out, and after those. In one process, where a dead runtime is one that nobody listens to; test/durability has real ones.
//
// A sample runs with all tests. For more: PLANLOOM_CRASHES=3000 npx vitest run test/runtime/crashes.test.ts
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRuntime, memoryJournal, type Journal } from '../../src/runtime/index.ts'
import { crashWorks, type CrashWork } from '../arbitraries/crashPlans.ts'
import { deaths } from '../arbitraries/scenarios.ts'
import { breachesOfWork, crashRuntimeOptions, endStateOf, type EndState } from '../support/crashWork.ts'
import { journalLeft } from '../support/lostProcess.ts'
import { mortalJournal, type Death } from '../support/mortalJournal.ts'
import { outsideInMemory, type Outside } from '../support/outside.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const numRuns = Number(process.env['PLANLOOM_CRASHES'] ?? 150)
const seed = process.env['PLANLOOM_CRASH_SEED']

interface Carried {
  readonly end: EndState
  readonly journal: Journal
  readonly outside: Outside
  readonly lives: number
}

async function carryOut(work: CrashWork, ends: readonly Death[]): Promise<Carried> {
  const outside = outsideInMemory()
  let left = memoryJournal()
  let now = 0
  for (let life = 0; ; life++) {
    const clock = new VirtualClock({ startAt: now }) // nobody turns the clock of the dead any more
    let tellDeath: () => void = () => undefined
    const death = new Promise<undefined>((resolve) => {
      tellDeath = () => {
        resolve(undefined)
      }
    })
    const journal = mortalJournal(left, ends[life], tellDeath)
    const options = crashRuntimeOptions(work, outside, (ms, signal) => clock.wait(ms, signal))
    const runtime = createRuntime({ ...options, journal, clock })
    const run = life === 0 ? runtime.start(work.plan.goal, { runId: 'run' }) : await runtime.resume('run')
    await clock.until(Promise.race([run.result, death]))
    if (!journal.isDead()) {
      await clock.until(runtime.close())
      expect(clock.pending).toBe(0)
      return { end: endStateOf(run), journal: left, outside, lives: life }
    }
    now = clock.now()
    left = journalLeft(left)
  }
}

const manyDeaths = deaths({ minLength: 3, maxLength: 12, mostEvents: 12 })

it('comes to the end that it would have had, with every effect as promised', { timeout: 120_000 + numRuns * 100 }, async () => {
  let died = 0
  await fc.assert(
    fc.asyncProperty(crashWorks(), manyDeaths, async (work, ends) => {
      const { end, journal, outside, lives } = await carryOut(work, ends)
      died += lives
      expect(await breachesOfWork(journal, outside.lines())).toEqual([])
      if (work.uncertain === 'replan') return
      const undisturbed = await carryOut(work, [])
      expect(end).toEqual(undisturbed.end)
      expect(outside.lines().length).toBe(undisturbed.outside.lines().length)
    }),
    { numRuns, ...(seed !== undefined && { seed: Number(seed) }) },
  )
  expect(died).toBeGreaterThan(numRuns)
}) // prettier-ignore
