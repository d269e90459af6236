// Going over lists: one child per item, gathered in order, without barriers between chained lists. And `when`.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createFixedPlanner, createRuntime, defineTool } from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const list = defineTool({
  name: 'list',
  description: 'Gives numbers from 0 on.',
  input: z.object({ length: z.number() }),
  output: z.array(z.number()),
  run: ({ length }) => Array.from({ length }, (_, index) => index),
})

const double = defineTool({
  name: 'double',
  description: 'Doubles.',
  input: z.object({ n: z.number() }),
  output: z.number(),
  run: ({ n }) => 2 * n,
})

const picky = defineTool({
  name: 'picky',
  description: 'Doubles a number, but not 13.',
  input: z.object({ n: z.number() }),
  output: z.number(),
  run: ({ n }) => {
    if (n === 13) throw new Error('not 13')
    return 2 * n
  },
})

describe('forEach', () => {
  it.each([0, 1, 2, 100])('over %i items gives their outputs in order', async (length) => {
    await using runtime = createRuntime({ tools: [list, double, echo] })
    const run = runtime.start(
      planOf([
        { id: 'list', tool: 'list', input: { length } },
        { id: 'each', tool: 'double', forEach: from('list'), input: { n: { $item: '' } } },
        { id: 'all', tool: 'echo', input: { all: from('each') } },
      ]),
    )
    expect(await run.result).toMatchObject({ reason: 'done', counts: { succeeded: length + 3 }, revision: 2 })
    expect(run.output('all')).toEqual({ all: Array.from({ length }, (_, index) => 2 * index) })
    expect(run.plan?.steps.map(({ id }) => id).filter((id) => id.startsWith('each['))).toHaveLength(length)
    expect(run.revisions.map(({ because }) => because.type)).toEqual(['first', 'expanded'])
  })

  it('whose children would have the names of steps that are there fails, and the run ends in order', async () => {
    const taken = planOf([
      { id: 'each[0]', tool: 'echo' },
      { id: 'list', tool: 'list', input: { length: 2 } },
      { id: 'each', tool: 'double', forEach: from('list'), input: { n: { $item: '' } } },
    ])
    const again = planOf([
      { id: 'list', tool: 'list', input: { length: 14 } },
      { id: 'each', tool: 'picky', forEach: from('list'), input: { n: { $item: '' } } },
    ])
    const replan = ({ plan }: { readonly plan: { readonly steps: readonly { readonly id: string }[] } }) => ({
      patch: [{ op: 'replace' as const, id: 'each', step: { ...again.steps[1]!, id: 'each' } }],
      because: `${String(plan.steps.length)} steps`,
    })
    const planner = createFixedPlanner(again, { replan })
    await using runtime = createRuntime({ tools: [list, double, picky, echo], limits: { replans: 2 } })
    for (const run of [runtime.start(taken), runtime.start('again', { planner })]) {
      expect((await run.result).reason).not.toBe('internal_error')
      const settled = ['succeeded', 'failed', 'skipped', 'abandoned', 'cancelled', 'uncertain']
      for (const { status } of run.ledger()) expect(settled).toContain(status)
      expect(run.step('each')?.failure?.code).toBe('FOREACH_IDS_TAKEN')
    }
  })

  it('over the children of another forEach lets each item go on by itself', async () => {
    const clock = new VirtualClock()
    const waits = defineTool({
      name: 'waits',
      description: 'How long.',
      input: z.object({}),
      output: z.array(z.number()),
      run: () => [10, 500, 20],
    })
    await using runtime = createRuntime({ tools: [waits, waitTool(clock)], clock })
    const run = runtime.start(
      planOf([
        { id: 'waits', tool: 'waits' },
        { id: 'one', tool: 'wait', forEach: from('waits'), input: { ms: { $item: '' } } },
        { id: 'two', tool: 'wait', forEach: from('one'), input: { ms: 1, value: { $item: '/endedAt' } } },
      ]),
    )
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 501 } })
    expect(run.output('two')).toEqual([
      { endedAt: 11, value: 10 },
      { endedAt: 501, value: 500 },
      { endedAt: 21, value: 20 },
    ])
  })

  it('whose item fails loses that item, and what follows gets null in its place where it may', async () => {
    await using runtime = createRuntime({ tools: [list, picky, echo] })
    const run = runtime.start(
      planOf(
        [
          { id: 'list', tool: 'list', input: { length: 15 } },
          {
            id: 'each',
            tool: 'picky',
            forEach: from('list'),
            input: { n: { $item: '' } },
            onFailure: 'skip',
            onSkipped: 'run',
          },
          { id: 'all', tool: 'echo', input: { all: from('each') }, onSkipped: 'run' },
        ],
        { goal: { partial: 'allow' } },
      ),
    )
    expect(await run.result).toMatchObject({ reason: 'partial' })
    expect(run.step('each[13]')).toMatchObject({
      status: 'skipped',
      failure: { message: expect.stringContaining('not 13') },
    })
    const all = (run.output('all') as { all: unknown[] }).all
    expect(all).toHaveLength(15)
    expect(all[12]).toBe(24)
    expect(all[13]).toBeNull()
    expect(all[14]).toBe(28)
  })

  it('over what is no array fails its step with the place', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'echo', input: { rows: 'many' } },
        { id: 'each', tool: 'echo', forEach: from('a', '/rows'), input: { row: { $item: '' } }, onFailure: 'fail' },
      ]),
    )
    expect(await run.result).toMatchObject({ reason: 'step_failed', failure: { code: 'FOREACH_NOT_ARRAY' } })
  })

  it('over more items than a plan may have steps fails its step with the limit', async () => {
    await using runtime = createRuntime({ tools: [list, double], limits: { steps: 50 } })
    const run = runtime.start(
      planOf([
        { id: 'list', tool: 'list', input: { length: 49 } },
        { id: 'each', tool: 'double', forEach: from('list'), input: { n: { $item: '' } }, onFailure: 'fail' },
      ]),
    )
    const outcome = await run.result
    expect(outcome).toMatchObject({ reason: 'step_failed', failure: { code: 'PLAN_TOO_LARGE' } })
    expect(outcome.failure?.message).toContain('49')
  })
})

describe('when', () => {
  const plan = (go: boolean, onSkipped?: 'run') =>
    planOf([
      { id: 'look', tool: 'echo', input: { go } },
      { id: 'act', tool: 'echo', input: { acted: true }, when: { value: from('look', '/go'), is: { const: true } } },
      { id: 'tell', tool: 'echo', input: { got: from('act') }, ...(onSkipped && { onSkipped }) },
    ])

  it('that holds lets the step run', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(plan(true))
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('tell')).toEqual({ got: { acted: true } })
  })

  it('that does not hold skips the step and what needs it, and the run is done all the same', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(plan(false))
    expect(await run.result).toMatchObject({ status: 'completed', reason: 'done' })
    expect(statusesOf(run)).toEqual({ look: 'succeeded', act: 'skipped', tell: 'skipped' })
  })

  it('that does not hold gives null to a step that can do without', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(plan(false, 'run'))
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('tell')).toEqual({ got: null })
  })
})
