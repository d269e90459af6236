// Steering a run: pause and resume, retry and skip by hand, facts and budgets from outside.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createFixedPlanner, createRuntime, defineTool } from '../../src/runtime/index.ts'
import type { Operation } from '../../src/plan/schema.ts'
import { from, planOf } from '../support/plans.ts'
import { factsOf, statusesOf } from '../support/runs.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

const chain = planOf([
  { id: 'a', tool: 'wait', input: { ms: 100 } },
  { id: 'b', tool: 'wait', after: ['a'], input: { ms: 100 } },
  { id: 'c', tool: 'wait', after: ['b'], input: { ms: 100 } },
])

describe('pause', () => {
  it('lets what is out finish, sends nothing new, and resume goes on from there', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(chain)
    await clock.runUntil(50)
    run.pause()
    await clock.runUntil(1000)
    expect(run.state).toBe('paused')
    expect(statusesOf(run)).toEqual({ a: 'succeeded', b: 'ready', c: 'waiting' })
    run.resume()
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 1200 } })
  })

  it('while the planner thinks takes its plan, and runs it after resume', async () => {
    const clock = new VirtualClock()
    const planner = { ...createFixedPlanner(chain), plan: () => clock.wait(100).then(() => ({ steps: chain.steps })) }
    await using runtime = createRuntime({ tools: [waitTool(clock)], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(50)
    run.pause()
    await clock.runUntil(500)
    expect(statusesOf(run)).toMatchObject({ a: 'ready' })
    run.resume()
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 800 } })
  })

  it('keeps trouble for later', async () => {
    const clock = new VirtualClock()
    const late = defineTool({
      name: 'late',
      description: 'Fails late.',
      input: z.object({}),
      output: z.object({}),
      run: () => clock.wait(100).then(() => Promise.reject(new Error('late'))),
    })
    const planner = createFixedPlanner(planOf([{ id: 'a', tool: 'late' }]), {
      replan: () => ({ patch: [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'echo' } }] }),
    })
    await using runtime = createRuntime({ tools: [late, echo], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(50)
    run.pause()
    await clock.runUntil(500)
    expect(run.state).toBe('paused')
    expect(run.troubles).toMatchObject([{ type: 'failed', stepId: 'a' }])
    run.resume()
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', revision: 2 })
  })

  it('can be cancelled', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(chain)
    await clock.runUntil(50)
    run.pause()
    await clock.runUntil(500)
    run.cancel()
    expect(await clock.until(run.result)).toMatchObject({ status: 'cancelled' })
  })

  it('does not stop the time budget', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock, limits: { timeMs: 700 } })
    const run = runtime.start(chain)
    await clock.runUntil(50)
    run.pause()
    expect(await clock.until(run.result)).toMatchObject({ reason: 'budget_exhausted', usage: { timeMs: 700 } })
  })
})

describe('a step retried by hand', () => {
  it('while the planner thinks about its failure makes the trouble go away', async () => {
    const clock = new VirtualClock()
    let isBroken = true
    const tool = defineTool({
      name: 'mendable',
      description: 'Works once it is mended.',
      input: z.object({}),
      output: z.object({}),
      run: () => {
        if (isBroken) throw new Error('broken')
        return {}
      },
    })
    const planner = createFixedPlanner(
      planOf([
        { id: 'a', tool: 'mendable' },
        { id: 'b', tool: 'echo', after: ['a'] },
      ]),
      {
        replan: () => clock.wait(1000).then(() => ({ keep: 'nothing to do' })),
      },
    )
    await using runtime = createRuntime({ tools: [tool, echo], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(100)
    expect(run.step('a')?.status).toBe('failed')
    isBroken = false
    run.retry('a', { by: 'ann' })
    expect(await clock.until(run.result)).toMatchObject({ status: 'completed', reason: 'done' })
    expect(statusesOf(run)).toEqual({ a: 'succeeded', b: 'succeeded' })
  })

  it('does not wait for its backoff', async () => {
    const clock = new VirtualClock()
    let attempts = 0
    const once = defineTool({
      name: 'once',
      description: 'Fails once.',
      input: z.object({}),
      output: z.object({}),
      run: () => {
        attempts += 1
        if (attempts === 1) throw new Error('first')
        return {}
      },
    })
    await using runtime = createRuntime({ tools: [once], clock })
    const run = runtime.start(
      planOf([
        {
          id: 'a',
          tool: 'once',
          retry: { attempts: 2, backoffMs: 60_000, factor: 1, maxBackoffMs: 60_000, jitter: 0 },
        },
      ]),
    )
    await clock.runUntil(100)
    run.retry('a')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 100 } })
    expect(clock.pending).toBe(0)
  })

  it('that runs or has succeeded is refused in words', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(chain)
    await clock.runUntil(150)
    expect(() => run.retry('a')).toThrow(
      expect.objectContaining({ code: 'COMMAND_REFUSED', message: expect.stringContaining('succeeded') }),
    )
    expect(() => run.retry('b')).toThrow(expect.objectContaining({ message: expect.stringContaining('running') }))
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
  })
})

describe('a step skipped by hand', () => {
  it('is stopped, and what can do without it goes on', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock), echo], clock })
    const run = runtime.start(
      planOf([
        { id: 'slow', tool: 'wait', input: { ms: 10_000 } },
        { id: 'needs', tool: 'echo', input: { x: from('slow') } },
        { id: 'can', tool: 'echo', input: { x: from('slow') }, onSkipped: 'run' },
      ]),
    )
    await clock.runUntil(100)
    run.skip('slow', { because: 'takes too long' })
    expect(await clock.until(run.result)).toMatchObject({
      status: 'completed',
      reason: 'partial',
      usage: { timeMs: 100 },
    })
    expect(statusesOf(run)).toEqual({ slow: 'skipped', needs: 'skipped', can: 'succeeded' })
    expect(run.output('can')).toEqual({ x: null })
    expect(clock.pending).toBe(0)
  })

  it('that has failed lets what can do without it go on while the planner thinks', async () => {
    const clock = new VirtualClock()
    const planner = createFixedPlanner(
      planOf([
        { id: 'bad', tool: 'fail' },
        { id: 'can', tool: 'echo', after: ['bad'], onSkipped: 'run' },
      ]),
      { replan: () => clock.wait(1000).then(() => ({ keep: 'fine' })) },
    )
    await using runtime = createRuntime({ tools: [fail, echo], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(100)
    run.skip('bad')
    await clock.runUntil(200)
    expect(statusesOf(run)).toEqual({ bad: 'skipped', can: 'succeeded' })
    expect(await clock.until(run.result)).toMatchObject({ status: 'completed', reason: 'partial' })
  })
})

describe('an edit by hand', () => {
  const replace: Operation = { op: 'replace', id: 'b', step: { id: 'b', tool: 'echo', input: { x: 1 } } }
  const remove: Operation = { op: 'remove', id: 'b' }
  const insert: Operation = { op: 'insert', step: { id: 'b', tool: 'echo', input: { x: 2 } } }

  it.each([
    ['replaces a step and then takes it out leaves it out', [replace, remove], undefined],
    ['takes a step out and puts it in again runs the new one', [remove, insert], { x: 2 }],
    ['puts a step in again and takes it out once more leaves it out', [remove, insert, remove], undefined],
  ])('that %s', async (_, operations, output) => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [echo, waitTool(clock)], clock })
    const steps = [
      { id: 'a', tool: 'wait', input: { ms: 100 } },
      { id: 'b', tool: 'echo', after: ['a'] },
    ]
    const run = runtime.start(planOf(steps))
    await clock.runUntil(50)
    run.edit(operations)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(run.output('b')).toEqual(output)
    expect(run.step('b')?.attempt).toBe(output === undefined ? 0 : 1)
  })
})

describe('from outside', () => {
  it('a fact is reported with who and when, and a later one covers it', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(chain)
    await clock.runUntil(10)
    run.report('level', 1, { by: 'ann' })
    await clock.runUntil(20)
    run.report('level', 2)
    expect(run.fact('level')).toEqual({ key: 'level', value: 2, by: 'report:api', at: 20 })
    await clock.until(run.result)
    expect(factsOf(run)).toEqual({ level: 2 })
  })

  it('a time budget that is extended lets the run go on to the new end', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock, limits: { timeMs: 150 } })
    const run = runtime.start(chain)
    await clock.runUntil(100)
    run.extend({ timeMs: 250 })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'budget_exhausted', usage: { timeMs: 250 } })
    expect(statusesOf(run)).toEqual({ a: 'succeeded', b: 'succeeded', c: 'cancelled' })
  })

  it('a run without a time budget can be given one', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(chain)
    await clock.runUntil(100)
    run.extend({ timeMs: 150 })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'budget_exhausted', usage: { timeMs: 150 } })
  })

  it('more concurrency takes effect at once', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock, limits: { concurrency: 1 } })
    const run = runtime.start(
      planOf(Array.from({ length: 4 }, (_, index) => ({ id: `s${String(index)}`, tool: 'wait', input: { ms: 100 } }))),
    )
    await clock.runUntil(50)
    run.extend({ concurrency: 4 })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 150 } })
  })

  it('nothing that is said after the end changes anything', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(planOf([{ id: 'a', tool: 'echo' }]))
    const outcome = await run.result
    await settlePromises()
    const tooLate = [
      () => run.pause(),
      () => run.report('x', 1),
      () => run.skip('a'),
      () => run.extend({ tokens: 1 }),
    ] as const
    for (const say of tooLate) expect(say).toThrow(expect.objectContaining({ code: 'RUN_OVER' }))
    expect(run.state).toBe('completed')
    expect(run.outcome).toBe(outcome)
    expect(factsOf(run)).toEqual({})
  })
})
