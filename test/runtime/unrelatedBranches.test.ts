// What a failing or slow branch does to others: nothing.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createFixedPlanner, createRuntime, defineTool, type Planner } from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

describe('branches that have nothing to do with each other', () => {
  it('go on and finish while a slow planner thinks about a failure', async () => {
    const clock = new VirtualClock()
    const planner: Planner = {
      ...createFixedPlanner(
        planOf([
          { id: 'bad', tool: 'fail' },
          { id: 'behind', tool: 'echo', after: ['bad'] },
          { id: 'long1', tool: 'wait', input: { ms: 100 } },
          { id: 'long2', tool: 'wait', after: ['long1'], input: { ms: 100 } },
          { id: 'long3', tool: 'wait', after: ['long2'], input: { ms: 100 } },
        ]),
      ),
      replan: async () => {
        await clock.wait(1000)
        return { patch: [{ op: 'replace', id: 'bad', step: { id: 'bad', tool: 'echo', input: { mended: true } } }] }
      },
    }
    await using runtime = createRuntime({ tools: [echo, fail, waitTool(clock)], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(500)
    expect(run.state).toBe('replanning')
    expect(run.troubles).toMatchObject([{ type: 'failed', stepId: 'bad' }])
    expect(statusesOf(run)).toEqual({
      bad: 'failed',
      behind: 'waiting',
      long1: 'succeeded',
      long2: 'succeeded',
      long3: 'succeeded',
    })
    expect(run.output('long3')).toEqual({ endedAt: 300 })
    expect(await clock.until(run.result)).toMatchObject({
      reason: 'done',
      revision: 2,
      usage: { timeMs: 1000, replans: 1 },
    })
    expect(run.output('bad')).toEqual({ mended: true })
  })

  it('do not wait for a slow sibling of what they need', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(
      planOf([
        { id: 'slow', tool: 'wait', input: { ms: 1000 } },
        { id: 'quick', tool: 'wait', input: { ms: 10 } },
        { id: 'next', tool: 'wait', input: { ms: 10, value: from('quick', '/endedAt') } },
      ]),
    )
    await clock.until(run.result)
    expect(run.output('next')).toEqual({ endedAt: 20, value: 10 })
  })

  it('lets streamed steps start before the plan is whole', async () => {
    const clock = new VirtualClock()
    const planner: Planner = {
      name: 'streaming',
      async *plan() {
        yield { id: 'first', tool: 'wait', input: { ms: 10 } }
        await clock.wait(500)
        yield { id: 'second', tool: 'wait', after: ['first'], input: { ms: 10 } }
      },
    }
    await using runtime = createRuntime({ tools: [waitTool(clock)], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(100)
    expect(run.state).toBe('planning')
    expect(run.output('first')).toEqual({ endedAt: 10 })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 510 } })
  })

  it('waits for the whole plan where the settings say so', async () => {
    const clock = new VirtualClock()
    const planner: Planner = {
      name: 'streaming',
      async *plan() {
        yield { id: 'first', tool: 'wait', input: { ms: 10 } }
        await clock.wait(500)
      },
    }
    await using runtime = createRuntime({ tools: [waitTool(clock)], planner, clock, dispatch: 'whole' })
    const run = runtime.start('goal')
    await clock.until(run.result)
    expect(run.output('first')).toEqual({ endedAt: 510 })
  })
})

describe('a step that fails while the planner is asked about another', () => {
  it('is asked about next when the planner breaks down and is asked again', async () => {
    const clock = new VirtualClock()
    const asked: string[][] = []
    const late = defineTool({
      name: 'late',
      description: 'Fails late.',
      input: z.object({}),
      output: z.object({}),
      run: () => clock.wait(10).then(() => Promise.reject(new Error('late'))),
    })
    const steps = [
      { id: 'early', tool: 'fail' },
      { id: 'late', tool: 'late' },
    ]
    const planner = createFixedPlanner(planOf(steps), {
      replan: async ({ troubles }) => {
        asked.push(troubles.map(({ stepId }) => stepId ?? ''))
        await clock.wait(20)
        if (asked.length === 1) throw new Error('no idea')
        return { patch: troubles.map(({ stepId: id = '' }) => ({ op: 'replace', id, step: { id, tool: 'echo' } })) }
      },
    })
    await using runtime = createRuntime({ tools: [echo, fail, late], planner, clock })
    expect(await clock.until(runtime.start('goal').result)).toMatchObject({ reason: 'done', counts: { succeeded: 2 } })
    expect(asked).toEqual([['early'], ['early'], ['late']])
  })
})
