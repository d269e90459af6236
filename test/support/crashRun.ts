// Carries random work out in this process, where a dead runtime is one that nobody listens to, and one that has left its runs is closed.
import {
  createRuntime,
  memoryJournal,
  type Journal,
  type Run,
  type Runtime,
  type RuntimeOptions,
} from '../../src/runtime/index.ts'
import type { Goal } from '../../src/plan/index.ts'
import type { CrashWork } from '../arbitraries/crashPlans.ts'
import { crashRuntimeOptions, endStateOf, type EndState } from './crashWork.ts'
import { journalLeft } from './lostProcess.ts'
import { leavingJournal, type Leaving } from './leavingJournal.ts'
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

/** @param ends how its processes die, or leave it, one after the other; the one after the last lives on */
export async function carryOut(work: CrashWork, ends: readonly (Death | Leaving)[]): Promise<Carried> {
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
    const end = ends[life]
    const options = crashRuntimeOptions(work, outside, (ms, signal) => clock.wait(ms, signal))
    if (end !== undefined && 'leftAfterMs' in end) {
      const run = await carryOutUntilLeft({ ...options, clock }, left, life === 0 ? work.plan.goal : undefined, end)
      if (run.outcome !== undefined)
        return { end: endStateOf(run), journal: left, outside, lives: life, pending: clock.pending }
      if (clock.pending > 0) throw new Error(`${String(clock.pending)} timers are left.`)
      now = clock.now()
      continue
    }
    const journal = mortalJournal(left, end, tellDeath)
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

/** Goes on with the work until it is left, or over.
 *
 * @param goal for the first process
 */
async function carryOutUntilLeft(
  options: RuntimeOptions & { readonly clock: VirtualClock },
  left: Journal,
  goal: Goal | undefined,
  end: Leaving,
): Promise<Run> {
  const { clock } = options
  let closed: Promise<void> | undefined
  const leave = (): void => {
    closed ??= runtime.close({ runs: 'leave' })
  }
  let timeout: ReturnType<VirtualClock['setTimeout']> | undefined
  const journal = leavingJournal(left, end, () => {
    if (end.leftAfterMs === 0) leave()
    else timeout = clock.setTimeout(leave, end.leftAfterMs)
  })
  const runtime: Runtime = createRuntime({ ...options, journal })
  const run = goal === undefined ? await runtime.resume('run') : runtime.start(goal, { runId: 'run' })
  const code = await clock.until(
    run.result.then(
      () => undefined,
      (error: unknown) => (error as { readonly code?: unknown }).code,
    ),
  )
  if ((code === 'RUN_LEFT') !== (run.outcome === undefined)) throw new Error(`It ended with ${String(code)}.`)
  if (timeout !== undefined) clock.clearTimeout(timeout)
  await clock.until(closed ?? runtime.close())
  return run
}
