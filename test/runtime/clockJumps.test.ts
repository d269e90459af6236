// Times that go on where a process has ended, and clocks that jump: between two processes, and under one that runs.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  memoryJournal,
  type Clock,
  type Journal,
  type RuntimeOptions,
} from '../../src/runtime/index.ts'
import type { Plan } from '../../src/plan/index.ts'
import { eventsOf, journalLeft } from '../support/lostProcess.ts'
import { planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const hour = 3_600_000
const begun = 10 * hour

/** What stands in the journal so many ms after the start. */
async function leftAfter(ms: number, plan: Plan, options: (clock: VirtualClock) => RuntimeOptions): Promise<Journal> {
  const clock = new VirtualClock({ startAt: begun })
  const journal = memoryJournal()
  const runtime = createRuntime({ ...options(clock), clock, journal })
  runtime.start(plan, { runId: 'run' })
  await clock.runUntil(begun + ms)
  const left = journalLeft(journal)
  await clock.until(runtime.close())
  return left
}

function timesIn(journal: Journal): number[] {
  return eventsOf(journal, 'run').map(({ at }) => at)
}

const flaky = (fails: (attempt: number) => boolean) =>
  defineTool({
    name: 'flaky',
    description: 'May fail.',
    input: z.object({}),
    output: z.object({}),
    run: (_, { attempt }) => (fails(attempt) ? Promise.reject(new Error('broken')) : {}),
  })
const backingOff = planOf([
  { id: 'a', tool: 'flaky', retry: { attempts: 2, backoffMs: 1_000, factor: 1, maxBackoffMs: 1_000, jitter: 0 } },
])
const deadline = planOf([{ id: 'ask', instruction: 'Well?', timeoutMs: 1_000 }])

/** How far the clock of the second process is off at 300 ms, and when what was due at 1,000 ms happens after that. Where it was
 * set back, time goes on from the last event, at 0 ms: how long the first process lived after that, nobody knows. */
const jumps = [
  ['is right', 0, 700],
  ['was set back by an hour', -hour, 1_000],
  ['was set back to before the run began', -11 * hour, 1_000],
  ['was set forward by an hour', hour, 0],
  ['was set forward a little', 400, 300],
] as const

describe.each(jumps)('where the clock of the process that goes on %s', (_, offMs, leftMs) => {
  const startAt = begun + 300 + offMs

  it('a backoff goes on', async () => {
    const journal = await leftAfter(300, backingOff, () => ({ tools: [flaky(() => true)] }))
    const clock = new VirtualClock({ startAt })
    await using runtime = createRuntime({ tools: [flaky(() => false)], journal, clock })
    const run = await runtime.resume('run')
    if (leftMs > 0) await clock.advance(leftMs - 1)
    expect(statusesOf(run)).toEqual({ a: 'backing_off' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(clock.now()).toBe(startAt + leftMs)
    expect(timesIn(journal)).toEqual(timesIn(journal).toSorted((a, b) => a - b))
  })

  it("a run's own time limit and a person's deadline go on", async () => {
    for (const limits of [{ timeMs: 1_000 }, {}]) {
      const plan = planOf(deadline.steps.map(({ timeoutMs, ...step }) => (limits.timeMs ? step : { ...step, timeoutMs: timeoutMs! })))
      const journal = await leftAfter(300, plan, () => ({ limits }))
      const clock = new VirtualClock({ startAt })
      await using runtime = createRuntime({ journal, clock })
      const run = await runtime.resume('run')
      const reason = limits.timeMs ? 'budget_exhausted' : 'gave_up'
      expect(await clock.until(run.result)).toMatchObject({ status: 'failed', reason })
      expect(clock.now()).toBe(startAt + leftMs)
    }
  }) // prettier-ignore

  it('an attempt that is sent again has the whole of its time limit', async () => {
    const plan = planOf([{ id: 'a', tool: 'wait', input: { ms: 500 }, timeoutMs: 600 }])
    const journal = await leftAfter(300, plan, (clock) => ({ tools: [waitTool(clock)] }))
    const clock = new VirtualClock({ startAt })
    await using runtime = createRuntime({ tools: [waitTool(clock)], journal, clock })
    const run = await runtime.resume('run')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(run.step('a')?.attempt).toBe(2)
  })
})

/** A clock that can be set while it runs: timeouts go by the time that passes, as they do in Node. */
function settable(inner: VirtualClock): Clock & { offMs: number; timeouts: number } {
  return {
    offMs: 0,
    timeouts: 0,
    now() {
      return inner.now() + this.offMs
    },
    setTimeout(callback, delayMs) {
      expect(delayMs).toBeGreaterThanOrEqual(0)
      this.timeouts += 1
      return inner.setTimeout(callback, delayMs)
    },
    clearTimeout(handle) {
      inner.clearTimeout(handle)
    },
  }
}

describe('where the clock jumps while a run goes on', () => {
  it.each([
    [-hour, 2_000],
    [-11 * hour, 2_000],
    [hour, 1_000],
  ])('by %d ms, a backoff of a second is over after %d ms', async (offMs, afterMs) => {
    const inner = new VirtualClock({ startAt: begun })
    const clock = settable(inner)
    const journal = memoryJournal()
    await using runtime = createRuntime({ tools: [flaky((attempt) => attempt === 1)], clock, journal })
    const run = runtime.start(backingOff, { runId: 'run' })
    await inner.advance(300)
    clock.offMs = offMs
    expect(await inner.until(run.result)).toMatchObject({ reason: 'done' })
    expect(inner.now()).toBeLessThanOrEqual(begun + afterMs)
    expect(clock.timeouts).toBeLessThanOrEqual(4) // it does not turn in circles
    expect(timesIn(journal)).toEqual(timesIn(journal).toSorted((a, b) => a - b))
  })

  it('the rate of a tool is kept, and does not hold up its steps for the hour', async () => {
    const inner = new VirtualClock({ startAt: begun })
    const clock = settable(inner)
    const rated = defineTool({
      name: 'rated',
      description: 'Goes ten times a second.',
      ratePerSecond: 10,
      input: z.object({}),
      output: z.object({}),
      run: () => {
        clock.offMs = -hour
        return {}
      },
    })
    await using runtime = createRuntime({ tools: [rated], clock })
    const run = runtime.start(planOf(['a', 'b', 'c'].map((id) => ({ id, tool: 'rated' }))))
    expect(await inner.until(run.result)).toMatchObject({ reason: 'done' })
    expect(inner.now()).toBeLessThanOrEqual(begun + 400)
  })
})
