// Limits: of the runtime, a run, a role and a tool; never exceeded, and shared fairly.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRuntime, defineTool, type RuntimeOptions, type Tool } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

/** Counts how many attempts are out at once, by a name. */
class Meter {
  readonly most = new Map<string, number>()
  readonly #now = new Map<string, number>()
  readonly startedAt: number[] = []

  enter(...names: readonly string[]): void {
    for (const name of names) {
      const count = (this.#now.get(name) ?? 0) + 1
      this.#now.set(name, count)
      this.most.set(name, Math.max(this.most.get(name) ?? 0, count))
    }
  }

  leave(...names: readonly string[]): void {
    for (const name of names) this.#now.set(name, (this.#now.get(name) ?? 0) - 1)
  }
}

function metered(
  clock: VirtualClock,
  meter: Meter,
  name: string,
  limits: { readonly concurrency?: number; readonly ratePerSecond?: number; readonly executor?: string } = {},
): Tool {
  return defineTool({
    name,
    description: 'Takes time and is counted.',
    ...limits,
    input: z.object({ ms: z.number() }),
    output: z.object({}),
    run: async ({ ms }, { runId }) => {
      meter.startedAt.push(clock.now())
      meter.enter('all', name, runId)
      await clock.wait(ms)
      meter.leave('all', name, runId)
      return {}
    },
  })
}

const wide = (steps: number, tool: string, ms = 10) =>
  planOf(Array.from({ length: steps }, (_, index) => ({ id: `s${String(index)}`, tool, input: { ms } })))

describe('limits', () => {
  it('of the runtime hold over all its runs, and are used to the full', async () => {
    const clock = new VirtualClock()
    const meter = new Meter()
    await using runtime = createRuntime({
      tools: [metered(clock, meter, 'work')],
      clock,
      limits: { totalConcurrency: 7 },
    })
    const runs = Array.from({ length: 5 }, () => runtime.start(wide(20, 'work')))
    await clock.until(Promise.all(runs.map(({ result }) => result)))
    expect(meter.most.get('all')).toBe(7)
    expect(clock.now()).toBe(Math.ceil(100 / 7) * 10)
  })

  it('of a run and of a tool hold at the same time', async () => {
    const clock = new VirtualClock()
    const meter = new Meter()
    await using runtime = createRuntime({
      tools: [metered(clock, meter, 'work'), metered(clock, meter, 'rare', { concurrency: 2 })],
      clock,
      limits: { concurrency: 5 },
    })
    const plan = planOf([
      ...wide(20, 'rare').steps,
      ...wide(20, 'work').steps.map((step) => ({ ...step, id: `w${step.id}` })),
    ])
    const runs = [runtime.start(plan), runtime.start(plan)]
    await clock.until(Promise.all(runs.map(({ result }) => result)))
    expect(meter.most.get('rare')).toBe(2)
    for (const { id } of runs) expect(meter.most.get(id)).toBeLessThanOrEqual(5)
  })

  it('of a tool leave room for others', async () => {
    const clock = new VirtualClock()
    const meter = new Meter()
    await using runtime = createRuntime({
      tools: [metered(clock, meter, 'work'), metered(clock, meter, 'rare', { concurrency: 1 })],
      clock,
    })
    const run = runtime.start(planOf([...wide(10, 'rare', 100).steps, { id: 'quick', tool: 'work', input: { ms: 1 } }]))
    await clock.runUntil(5)
    expect(run.step('quick')?.status).toBe('succeeded')
    await clock.until(run.result)
    expect(clock.now()).toBe(1000)
  })

  it('of a role of a run', async () => {
    const clock = new VirtualClock()
    const meter = new Meter()
    await using runtime = createRuntime({
      tools: [metered(clock, meter, 'work', { executor: 'heavy' })],
      clock,
      limits: { roles: { heavy: 3 } },
    })
    await clock.until(runtime.start(wide(12, 'work')).result)
    expect(meter.most.get('all')).toBe(3)
    expect(clock.now()).toBe(40)
  })

  it('of rate keep starts apart, over all runs', async () => {
    const clock = new VirtualClock()
    const meter = new Meter()
    await using runtime = createRuntime({ tools: [metered(clock, meter, 'work', { ratePerSecond: 4 })], clock })
    const runs = [runtime.start(wide(4, 'work')), runtime.start(wide(4, 'work'))]
    await clock.until(Promise.all(runs.map(({ result }) => result)))
    expect(meter.startedAt).toEqual([0, 250, 500, 750, 1000, 1250, 1500, 1750])
    expect(clock.pending).toBe(0)
  })

  it('hold whatever the plan, the timings and the limits are (law 9)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          runs: fc.integer({ min: 1, max: 4 }),
          total: fc.integer({ min: 1, max: 6 }),
          perRun: fc.integer({ min: 1, max: 6 }),
          perTool: fc.integer({ min: 1, max: 4 }),
          steps: fc.array(
            fc.record({
              tool: fc.constantFrom('work', 'rare'),
              ms: fc.integer({ min: 0, max: 30 }),
              after: fc.nat(30),
            }),
            { maxLength: 15 },
          ),
          seed: fc.integer(),
        }),
        async ({ runs, total, perRun, perTool, steps, seed }) => {
          const clock = new VirtualClock({ seed })
          const meter = new Meter()
          const options: RuntimeOptions = {
            tools: [metered(clock, meter, 'work'), metered(clock, meter, 'rare', { concurrency: perTool })],
            clock,
            limits: { totalConcurrency: total, concurrency: perRun },
          }
          await using runtime = createRuntime(options)
          const plan = planOf(
            steps.map(({ tool, ms, after }, index) => ({
              id: `s${String(index)}`,
              tool,
              input: { ms },
              ...(after < index && { after: [`s${String(after)}`] }),
            })),
          )
          const started = Array.from({ length: runs }, () => runtime.start(plan))
          const outcomes = await clock.until(Promise.all(started.map(({ result }) => result)))
          expect(outcomes.map(({ reason }) => reason)).toEqual(started.map(() => 'done'))
          expect(meter.most.get('all') ?? 0).toBeLessThanOrEqual(total)
          expect(meter.most.get('rare') ?? 0).toBeLessThanOrEqual(perTool)
          for (const { id } of started) expect(meter.most.get(id) ?? 0).toBeLessThanOrEqual(perRun)
          expect(clock.pending).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('many runs', () => {
  it('200 of 20 steps each are all done, and take turns', async () => {
    const clock = new VirtualClock()
    const meter = new Meter()
    await using runtime = createRuntime({
      tools: [metered(clock, meter, 'work')],
      clock,
      limits: { totalConcurrency: 20 },
    })
    const runs = Array.from({ length: 200 }, () => runtime.start(wide(20, 'work')))
    // After half of the time every run has had about half of its steps; only the first was alone when it began.
    await clock.runUntil(1000)
    const done = runs.slice(1).map((run) => [...run.ledger()].filter(({ status }) => status === 'succeeded').length)
    const outcomes = await clock.until(Promise.all(runs.map(({ result }) => result)))
    expect(Math.max(...done) - Math.min(...done)).toBeLessThanOrEqual(1)
    expect(outcomes.every(({ reason, counts }) => reason === 'done' && counts.succeeded === 20)).toBe(true)
    expect(clock.now()).toBe((200 * 20 * 10) / 20)
    expect(meter.most.get('all')).toBe(20)
  })

  it('are not held up by one that is much larger', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({
      tools: [metered(clock, new Meter(), 'work')],
      clock,
      limits: { totalConcurrency: 4 },
    })
    const large = runtime.start(wide(400, 'work'))
    const small = runtime.start(wide(4, 'work'))
    await clock.until(small.result)
    expect(clock.now()).toBeLessThanOrEqual(50)
    await clock.until(large.result)
  })
})

describe('a step that was ready for one tool and is changed to another', () => {
  it('keeps the limit of the new one', async () => {
    const clock = new VirtualClock()
    const narrow = waitTool(clock, { name: 'narrow', concurrency: 1 })
    await using runtime = createRuntime({ tools: [waitTool(clock), narrow], clock, approval: 'required' })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'wait', input: { ms: 10 } },
        { id: 'b', tool: 'wait', input: { ms: 10 } },
      ]),
    )
    await clock.advance(0)
    run.edit(['a', 'b'].map((id) => ({ op: 'replace', id, step: { id, tool: 'narrow', input: { ms: 10 } } })))
    run.approve()
    expect(statusesOf(run)).toEqual({ a: 'running', b: 'ready' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 20 } })
  })
})
