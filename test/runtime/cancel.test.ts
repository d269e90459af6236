// Cancel: signals fire, nothing more goes out, and the run is over within its grace period whatever the tools do.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  memoryJournal,
  replayJournal,
  type JournalEvent,
  type Planner,
} from '../../src/runtime/index.ts'
import type { Effects } from '../../src/plan/toolDescription.ts'
import { planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { hang, waitTool } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

describe('cancel', () => {
  it('fires the signal of every attempt that is out, and sends nothing after it', async () => {
    const clock = new VirtualClock()
    const started: string[] = []
    const stopped: string[] = []
    const work = defineTool({
      name: 'work',
      description: 'Waits for its signal.',
      input: z.object({}),
      output: z.object({}),
      run: async (_, { signal, stepId }) => {
        started.push(stepId)
        signal.addEventListener('abort', () => stopped.push(stepId))
        await clock.wait(1000, signal)
        return {}
      },
    })
    await using runtime = createRuntime({ tools: [work], clock })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'work' },
        { id: 'b', tool: 'work' },
        { id: 'c', tool: 'work', after: ['a'] },
      ]),
    )
    await clock.runUntil(10)
    run.cancel('enough', { by: 'ann' })
    const outcome = await clock.until(run.result)
    expect(outcome).toMatchObject({ status: 'cancelled', reason: 'cancelled', usage: { timeMs: 10 } })
    expect(outcome.message).toContain('ann')
    expect(outcome.message).toContain('enough')
    expect(stopped.sort()).toEqual(['a', 'b'])
    expect(started.sort()).toEqual(['a', 'b'])
    expect(statusesOf(run)).toEqual({ a: 'cancelled', b: 'cancelled', c: 'cancelled' })
    expect(clock.pending).toBe(0)
  })

  it('does not wait longer than the grace period for a tool that ignores its signal', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [hang], clock, limits: { graceMs: 300 } })
    const run = runtime.start(planOf([{ id: 'a', tool: 'hang' }]))
    await clock.runUntil(50)
    run.cancel()
    await clock.runUntil(349)
    expect(run.state).toBe('stopping')
    await clock.runUntil(350)
    expect(run.outcome).toMatchObject({ status: 'cancelled', usage: { timeMs: 350 } })
    expect(clock.pending).toBe(0)
  })

  it.each<[Effects, 'cancelled' | 'uncertain']>([
    ['none', 'cancelled'],
    ['read', 'cancelled'],
    ['write', 'uncertain'],
    ['external', 'uncertain'],
  ])('leaves a step with effects "%s" that did not answer in time %s', async (effects, status) => {
    const clock = new VirtualClock()
    const tool = defineTool({
      name: 'hang',
      description: 'Hangs.',
      effects,
      input: z.object({}),
      output: z.object({}),
      run: () => new Promise<never>(() => undefined),
    })
    await using runtime = createRuntime({ tools: [tool], clock })
    const run = runtime.start(planOf([{ id: 'a', tool: 'hang' }]))
    await settlePromises()
    run.cancel()
    await clock.until(run.result)
    expect(run.step('a')?.status).toBe(status)
  })

  it('stops a planner that is thinking', async () => {
    let planning: AbortSignal | undefined
    const planner: Planner = {
      name: 'thinker',
      plan: (_request, { signal }) => {
        planning = signal
        return new Promise<never>(() => undefined)
      },
    }
    const clock = new VirtualClock()
    await using runtime = createRuntime({ planner, clock })
    const run = runtime.start('goal')
    await settlePromises()
    run.cancel()
    expect(await run.result).toMatchObject({ status: 'cancelled', revision: 0 })
    expect(planning?.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('by the signal given to start', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const controller = new AbortController()
    const run = runtime.start(planOf([{ id: 'a', tool: 'wait', input: { ms: 100 } }]), { signal: controller.signal })
    await clock.runUntil(10)
    controller.abort()
    expect(await clock.until(run.result)).toMatchObject({ status: 'cancelled' })
  })

  it('by a signal that had fired before: nothing begins, and the record says why', async () => {
    const begun: string[] = []
    const note = (what: string): Promise<never> => {
      begun.push(what)
      return new Promise(() => undefined)
    }
    const tool = defineTool({
      name: 'note',
      description: 'Notes that it was called.',
      input: z.object({}),
      output: z.object({}),
      run: () => note('tool'),
    })
    const planner: Planner = { name: 'noter', plan: () => note('planner') }
    const clock = new VirtualClock()
    const journal = memoryJournal()
    const runtime = createRuntime({ tools: [tool], planner, clock, journal, ask: () => note('person') })
    const plan = planOf([
      { id: 'a', tool: 'note' },
      { id: 'b', instruction: 'Well?' },
      { id: 'c', goal: { text: 'a goal' } },
      { id: 'd', tool: 'note', approval: 'required' },
    ])
    const signal = AbortSignal.abort()
    const runs = [
      runtime.start(plan, { signal }),
      runtime.start(plan, { signal, approval: 'required' }),
      runtime.start('a goal', { signal, limits: { timeMs: 1000 } }),
    ]
    expect(runs.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    for (const run of runs) {
      expect(await run.result).toMatchObject({ status: 'cancelled', reason: 'cancelled', usage: { plannerCalls: 0 } })
      expect((await run.result).message).toContain('the signal given to start() had fired')
      expect([...run.ledger()].map(({ status, attempt }) => `${status} ${String(attempt)}`)).toEqual(
        run.plan === undefined ? [] : plan.steps.map(() => 'cancelled 0'),
      )
      const replay = replayJournal(journal.read(run.id) as Iterable<JournalEvent>)
      expect(replay.outcome).toEqual(run.outcome)
    }
    await clock.until(runtime.close())
    expect(begun).toEqual([])
    expect(runtime.runs).toHaveLength(3)
    expect(clock.pending).toBe(0)
  })

  it('by a signal that fires while the run begins', async () => {
    const controller = new AbortController()
    const tool = defineTool({
      name: 'quit',
      description: 'Has the signal fire.',
      input: z.object({}),
      output: z.object({}),
      run: () => {
        controller.abort()
        return {}
      },
    })
    await using runtime = createRuntime({ tools: [tool] })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'quit' },
        { id: 'b', tool: 'quit', after: ['a'] },
      ]),
      { signal: controller.signal },
    )
    expect(await run.result).toMatchObject({ status: 'cancelled' })
    expect(run.step('b')?.attempt).toBe(0)
  })

  it('stops planning without running, also by a signal that had fired before', async () => {
    let asked = 0
    const planner: Planner = {
      name: 'thinker',
      plan: () => {
        asked += 1
        return new Promise<never>(() => undefined)
      },
    }
    await using runtime = createRuntime({ planner })
    await expect(runtime.plan('goal', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' })
    expect(asked).toBe(0)
    const controller = new AbortController()
    const planning = runtime.plan('goal', { signal: controller.signal })
    controller.abort()
    await expect(planning).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('twice is once, and after the end it changes nothing', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(planOf([{ id: 'a', tool: 'wait', input: { ms: 100 } }]))
    await clock.runUntil(10)
    run.cancel('first')
    run.cancel('second')
    const outcome = await clock.until(run.result)
    expect(outcome.message).toContain('first')
    run.cancel('third')
    expect(await run.result).toBe(outcome)
    expect(run.state).toBe('cancelled')
  })

  it('keeps what had succeeded', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'wait', input: { ms: 10 } },
        { id: 'b', tool: 'wait', after: ['a'], input: { ms: 100 } },
      ]),
    )
    await clock.runUntil(50)
    run.cancel()
    await clock.until(run.result)
    expect(statusesOf(run)).toEqual({ a: 'succeeded', b: 'cancelled' })
    expect(run.output('a')).toEqual({ endedAt: 10 })
  })
})
