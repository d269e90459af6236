// Goals that say what they want: a run is done when the facts are there and as they should be, and not before.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createGoalPlanner,
  createRuntime,
  defineTool,
  type ReplanAnswer,
  type ReplanRequest,
} from '../../src/index.ts'
import { planOf } from '../support/plans.ts'
import { factsOf } from '../support/runs.ts'
import { echo, fail } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const measure = defineTool({
  name: 'measure',
  description: 'Gives a level, and the fact of it.',
  input: z.object({ level: z.number() }),
  output: z.object({ level: z.number().optional() }),
  gives: { level: '/level' },
  run: ({ level }) => (level === 0 ? {} : { level }),
})

const atLeast5 = { fact: 'level', is: { type: 'number', minimum: 5 } }
const measureAt = (level: number, id = 'measure') => ({ id, tool: 'measure', input: { level } })

async function reach({
  level = 7,
  want = [atLeast5],
  partial,
  replans,
  replan,
}: {
  readonly level?: number
  readonly want?: readonly { readonly fact: string; readonly is?: Record<string, unknown> }[]
  readonly partial?: 'allow'
  readonly replans?: number
  readonly replan?: (request: ReplanRequest) => ReplanAnswer
}) {
  const requests: ReplanRequest[] = []
  const planner = createFixedPlanner(planOf([measureAt(level)]), {
    ...(replan && {
      replan: (request) => {
        requests.push(request)
        return replan(request)
      },
    }),
  })
  await using runtime = createRuntime({
    tools: [measure, echo],
    planner,
    ...(replans !== undefined && { limits: { replans } }),
  })
  const goal = { text: 'know the level', want: [...want], ...(partial && { partial }) }
  const run = runtime.start(goal as Parameters<typeof runtime.start>[0])
  return { outcome: await run.result, run, troubles: requests.map(({ troubles }) => troubles) }
}

describe('a run whose goal wants a fact', () => {
  it('is done when the fact is there and satisfies its condition', async () => {
    const { outcome } = await reach({})
    expect(outcome).toMatchObject({ status: 'completed', reason: 'done', usage: { replans: 0 } })
  })

  it('is done when the fact was reported from outside, or held from the start', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const goal = { text: 'x', want: [{ fact: 'known' }], facts: { known: false } }
    expect(await runtime.start({ ...planOf([{ id: 'a', tool: 'echo' }]), goal }).result).toMatchObject({
      reason: 'done',
    })
  })

  it('has its planner asked where the fact is missing, and goes on with what it adds', async () => {
    const { outcome, troubles, run } = await reach({
      level: 0,
      replan: () => ({ patch: [{ op: 'insert', step: measureAt(6, 'again') }] }),
    })
    expect(troubles).toMatchObject([[{ type: 'goal_unmet', text: expect.stringContaining('"level"') as string }]])
    expect(outcome).toMatchObject({ reason: 'done', counts: { succeeded: 2 }, usage: { replans: 1 } })
    expect(factsOf(run)).toEqual({ level: 6 })
  })

  it('has its planner asked where the fact is not as it should be', async () => {
    const { outcome, troubles } = await reach({
      level: 3,
      replan: () => ({ patch: [{ op: 'insert', step: measureAt(6, 'again') }] }),
    })
    expect(troubles).toHaveLength(1)
    expect(troubles[0]?.[0]?.text).toMatch(/"level" .*5/)
    expect(outcome).toMatchObject({ reason: 'done' })
  })

  it.each([
    ['keeps the plan', (): ReplanAnswer => ({ keep: 'so be it' })],
    ['gives up', (): ReplanAnswer => ({ giveUp: 'no other means' })],
    ['cannot amend', undefined],
  ])('fails as goal_unmet, and names the fact, where the planner %s', async (_what, replan) => {
    const { outcome, run } = await reach({ level: 0, ...(replan && { replan }) })
    expect(outcome).toMatchObject({
      status: 'failed',
      reason: 'goal_unmet',
      failure: { code: 'GOAL_UNMET', hint: expect.stringContaining('gives') as string },
      counts: { succeeded: 1 },
    })
    expect(outcome.message).toContain('"level"')
    expect(run.output('measure')).toEqual({})
  })

  it('fails as goal_unmet where no replanning is left', async () => {
    const { outcome, troubles } = await reach({ level: 0, replans: 0, replan: () => ({ keep: 'never asked' }) })
    expect(outcome).toMatchObject({ reason: 'goal_unmet', usage: { replans: 0 } })
    expect(troubles).toEqual([])
  })

  it('ends in bounded time where each patch leaves the goal as far as it was', async () => {
    let patches = 0
    const { outcome } = await reach({
      level: 0,
      replans: 4,
      replan: () => ({ patch: [{ op: 'insert', step: measureAt(0, `again-${String(patches++)}`) }] }),
    })
    expect(outcome).toMatchObject({ status: 'failed', reason: 'goal_unmet', usage: { replans: 4 } })
  })

  it('is partial where the goal allows for it and another wanted fact is there', async () => {
    const partly = { partial: 'allow' as const, want: [{ fact: 'level' }, { fact: 'depth' }] }
    const { outcome } = await reach({ ...partly, replan: () => ({ keep: 'that is all' }) })
    expect(outcome).toMatchObject({ status: 'completed', reason: 'partial' })
    expect(outcome.message).toContain('"depth"')
    const nothing = await reach({ ...partly, level: 0, replan: () => ({ keep: 'that is all' }) })
    expect(nothing.outcome).toMatchObject({ status: 'failed', reason: 'goal_unmet' })
  })

  it('follows the goal that a patch has put in its place', async () => {
    const { outcome } = await reach({
      level: 3,
      replan: () => ({ patch: [{ op: 'regoal', goal: { text: 'any level', want: [{ fact: 'level' }] } }] }),
    })
    expect(outcome).toMatchObject({ status: 'completed', reason: 'done' })
  })

  it('fails because of the step that failed, and not of the fact that is missing for it', async () => {
    const planner = createFixedPlanner(planOf([{ id: 'bad', tool: 'fail' }]), { replan: () => ({ keep: 'fine' }) })
    await using runtime = createRuntime({ tools: [fail], planner })
    const outcome = await runtime.start({ text: 'x', want: [{ fact: 'level' }] }).result
    expect(outcome).toMatchObject({ reason: 'step_failed', stepId: 'bad', usage: { replans: 1 } })
  })
})

describe('a goal that wants a fact of each item', () => {
  const list = (items: readonly string[]) =>
    defineTool({
      name: 'list',
      description: 'Lists words.',
      input: z.object({}),
      output: z.object({ words: z.array(z.string()) }),
      gives: { word: { from: '/words', each: true } },
      run: () => ({ words: [...items] }),
    })
  const count = defineTool({
    name: 'count',
    description: 'Counts the letters of a word.',
    input: z.object({ word: z.string() }),
    output: z.object({ letters: z.number() }),
    needs: { word: 'word' },
    gives: { letters: '/letters' },
    run: ({ word }) => ({ letters: word.length }),
  })

  it.each([[['one', 'three']], [[]]])('is reached when there is one for each of %j', async (items) => {
    await using runtime = createRuntime({ tools: [list(items), count], planner: createGoalPlanner() })
    for (const fact of ['letters', 'word']) {
      const run = runtime.start({ text: 'count', want: [{ fact }] })
      expect(await run.result).toMatchObject({ status: 'completed', reason: 'done' })
    }
  })

  it('is not reached where one of them is not as it should be', async () => {
    await using runtime = createRuntime({ tools: [list(['one', 'three']), count], planner: createGoalPlanner() })
    const run = runtime.start({ text: 'count', want: [{ fact: 'letters', is: { type: 'integer', maximum: 4 } }] })
    const outcome = await run.result
    expect(outcome.status).toBe('failed')
    expect(outcome.message).toContain('letters')
  })
})

describe('the goal planner', () => {
  it('adds other means where a tool succeeded and did not give what it promised', async () => {
    const empty = defineTool({
      name: 'quick',
      description: 'Promises a level and gives none.',
      input: z.object({}),
      output: z.object({ level: z.number().optional() }),
      gives: { level: '/level' },
      run: () => ({}),
    })
    const sure = defineTool({
      name: 'sure',
      description: 'Gives a level.',
      input: z.object({}),
      output: z.object({ level: z.number() }),
      gives: { level: '/level' },
      cost: 10,
      run: () => ({ level: 9 }),
    })
    await using runtime = createRuntime({ tools: [empty, sure], planner: createGoalPlanner() })
    const run = runtime.start({ text: 'know the level', want: [{ fact: 'level' }] })
    expect(await run.result).toMatchObject({ reason: 'done', usage: { replans: 1 }, counts: { succeeded: 2 } })
    expect(factsOf(run)).toEqual({ level: 9 })
  })

  it('goes on with every item of a list where another list becomes known meanwhile', async () => {
    const clock = new VirtualClock()
    const takes = (ms: number, signal: AbortSignal) => clock.wait(ms, signal)
    const listing = (name: string, fact: string, ms: number) =>
      defineTool({
        name,
        description: `Lists ${fact}.`,
        input: z.object({}),
        output: z.object({ all: z.array(z.number()) }),
        gives: { [fact]: { from: '/all', each: true } },
        run: async (_input, { signal }) => {
          await takes(ms, signal)
          return { all: [1, 2, 3, 4] }
        },
      })
    const making = (name: string, needed: string, given: string) =>
      defineTool({
        name,
        description: `Makes ${given} of ${needed}.`,
        input: z.object({ of: z.number() }),
        output: z.object({ made: z.number() }),
        needs: { of: needed },
        gives: { [given]: '/made' },
        run: async ({ of }, { signal }) => {
          await takes(100, signal)
          return { made: of }
        },
      })
    await using runtime = createRuntime({
      tools: [
        listing('list_files', 'file', 0),
        listing('list_rows', 'row', 150),
        making('draft', 'file', 'draft'), // comes before `file` in the alphabet
        making('finish', 'draft', 'final'),
        making('count', 'row', 'total'),
      ],
      planner: createGoalPlanner(),
      clock,
      limits: { concurrency: 2 },
    })
    const run = runtime.start({ text: 'all of it', want: [{ fact: 'final' }, { fact: 'total' }] })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    const given = Object.keys(factsOf(run)).filter((key) => /^(final|total)/.test(key))
    expect(given.sort()).toEqual(
      [0, 1, 2, 3].map((n) => `final[${String(n)}]`).concat([0, 1, 2, 3].map((n) => `total[${String(n)}]`)),
    )
  })
})
