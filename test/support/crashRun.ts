// Carries random work out in this process, where a dead runtime is one that nobody listens to.
import { createRuntime, memoryJournal, type Journal } from '../../src/runtime/index.ts'
import type { CrashWork } from '../arbitraries/crashPlans.ts'
import { crashRuntimeOptions, endStateOf, type EndState } from './crashWork.ts'
import { journalLeft } from './lostProcess.ts'
import { mortalJournal, type Death } from './mortalJournal.ts'
import { outsideInMemory, type Outside } from './outside.ts'
import { VirtualClock } from './virtualClock.ts'

export interface Carried {
  readonly end: EndState
  readonly journal: Journal
  readonly outside: Outside
  /** Processes that have died. */
  readonly lives: number
  /** Timers that the last one has left. */
  readonly pending: number
}

/** @param ends how its processes die, one after the other; the one after the last lives on */
export async function carryOut(work: CrashWork, ends: readonly Death[]): Promise<Carried> {
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
      return { end: endStateOf(run), journal: left, outside, lives: life, pending: clock.pending }
    }
    now = clock.now()
    left = journalLeft(left)
  }
}
