// Surprises, broken assumptions, and facts that are taken back.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  type ReplanAnswer,
  type ReplanRequest,
  type Trouble,
} from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { factsOf, statusesOf } from '../support/runs.ts'
import { echo, waitTool } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

const measure = defineTool({
  name: 'measure',
  description: 'Gives a level, and the fact of it.',
  input: z.object({ level: z.number() }),
  output: z.object({ level: z.number() }),
  gives: { level: '/level' },
  run: ({ level }) => ({ level }),
})

const steps = [
  { id: 'measure', tool: 'measure', input: { level: 7 }, expect: { properties: { level: { maximum: 5 } } } },
  { id: 'use', tool: 'echo', input: { level: from('measure', '/level') } },
]

describe('a surprise', () => {
  async function surprise(replan: (request: ReplanRequest) => ReplanAnswer) {
    const troubles: Trouble[] = []
    const planner = createFixedPlanner(planOf(steps), {
      replan: (request) => {
        troubles.push(...request.troubles)
        return replan(request)
      },
    })
    await using runtime = createRuntime({ tools: [measure, echo], planner })
    const run = runtime.start('goal')
    const outcome = await run.result
    return { run, outcome, troubles }
  }

  it('is told to the planner with what came', async () => {
    const { troubles, run } = await surprise(() => ({ giveUp: 'no' }))
    expect(troubles).toMatchObject([
      {
        type: 'surprised',
        stepId: 'measure',
        output: { level: 7 },
        facts: [{ key: 'level', value: 7 }],
        failure: { code: 'EXPECTATION_BROKEN', path: '/level' },
      },
    ])
    expect(factsOf(run)).toEqual({})
    expect(run.output('measure')).toBeUndefined()
  })

  it('that the planner keeps becomes a success, with its facts', async () => {
    const { outcome, run } = await surprise(() => ({ keep: 'good enough' }))
    expect(outcome).toMatchObject({ reason: 'done', counts: { succeeded: 2 } })
    expect(run.output('use')).toEqual({ level: 7 })
    expect(factsOf(run)).toEqual({ level: 7 })
  })

  it('that the planner patches is worked around', async () => {
    const { outcome, run } = await surprise(() => ({
      patch: [{ op: 'replace', id: 'measure', step: { id: 'measure', tool: 'measure', input: { level: 3 } } }],
    }))
    expect(outcome).toMatchObject({ reason: 'done', revision: 2 })
    expect(run.output('use')).toEqual({ level: 3 })
    expect(factsOf(run)).toEqual({ level: 3 })
  })
})

describe('an assumption', () => {
  it('broken by a reported fact holds back the steps that rest on it, until the planner has dealt with it', async () => {
    const clock = new VirtualClock()
    const troubles: Trouble[] = []
    const plan = planOf(
      [
        { id: 'first', tool: 'wait', input: { ms: 100 } },
        { id: 'inside', tool: 'wait', after: ['first'], input: { ms: 100 } },
        { id: 'outside', tool: 'wait', after: ['first'], input: { ms: 100 } },
      ],
      { assumptions: [{ id: 'dry', statement: 'it is dry', fact: 'rain', is: { const: false }, steps: ['outside'] }] },
    )
    const planner = createFixedPlanner(plan, {
      replan: async (request) => {
        troubles.push(...request.troubles)
        await clock.wait(500)
        return {
          patch: [
            { op: 'unassume', id: 'dry' },
            { op: 'replace', id: 'outside', step: { id: 'outside', tool: 'echo', input: { umbrella: true } } },
          ],
        }
      },
    })
    await using runtime = createRuntime({ tools: [waitTool(clock), echo], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(50)
    run.report('rain', true, { by: 'ann' })
    await clock.runUntil(300)
    expect(statusesOf(run)).toEqual({ first: 'succeeded', inside: 'succeeded', outside: 'held' })
    expect(troubles).toMatchObject([{ type: 'assumption_broken', assumption: { id: 'dry' } }])
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(run.output('outside')).toEqual({ umbrella: true })
    expect(run.fact('rain')).toMatchObject({ value: true, by: 'report:ann', at: 50 })
  })

  it('broken by the very step that gives a list holds back whoever goes over it, and lets it go later', async () => {
    const found = defineTool({
      name: 'found',
      description: 'Gives a list, and how long it is.',
      input: z.object({}),
      output: z.array(z.number()),
      gives: { found: '' },
      run: () => [1, 2, 3],
    })
    const plan = planOf(
      [
        { id: 'find', tool: 'found' },
        { id: 'each', tool: 'echo', forEach: from('find'), input: { n: { $item: '' } } },
      ],
      { assumptions: [{ id: 'few', statement: 'few', fact: 'found', is: { maxItems: 2 }, steps: ['each'] }] },
    )
    const stepsWhenAsked: (readonly string[])[] = []
    const planner = createFixedPlanner(plan, {
      replan: (request) => {
        stepsWhenAsked.push(request.plan.steps.map(({ id }) => id))
        return { keep: 'it can be done all the same' }
      },
    })
    await using runtime = createRuntime({ tools: [found, echo], planner })
    const run = runtime.start('goal')
    expect(await run.result).toMatchObject({ reason: 'done', counts: { succeeded: 5 } })
    expect(stepsWhenAsked).toEqual([['find', 'each']]) // and not once more when its children rest on it as well
    expect(run.output('each')).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('broken from the start holds its steps from the start', async () => {
    const started: string[] = []
    const note = defineTool({
      name: 'note',
      description: 'Notes.',
      input: z.object({}),
      output: z.object({}),
      run: (_, { stepId }) => (started.push(stepId), {}),
    })
    const planner = createFixedPlanner(
      planOf(
        [
          { id: 'a', tool: 'note' },
          { id: 'b', tool: 'note' },
        ],
        { assumptions: [{ id: 'dry', statement: 'it is dry', fact: 'rain', is: { const: false }, steps: ['a'] }] },
      ),
      { replan: async () => (await settlePromises(), { giveUp: 'wet' }) },
    )
    await using runtime = createRuntime({ tools: [note], planner })
    await runtime.start({ text: 'goal', facts: { rain: true } }).result
    expect(started).toEqual(['b'])
  })

  it('that the planner waives by keeping the plan no longer holds anybody', async () => {
    const planner = createFixedPlanner(
      planOf([{ id: 'a', tool: 'echo' }], {
        assumptions: [{ id: 'dry', statement: 'it is dry', fact: 'rain', is: { const: false }, steps: ['a'] }],
      }),
      { replan: () => ({ keep: 'a little rain' }) },
    )
    await using runtime = createRuntime({ tools: [echo], planner })
    expect(await runtime.start({ text: 'goal', facts: { rain: true } }).result).toMatchObject({ reason: 'done' })
  })

  it('about a fact that nobody knows breaks nothing', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const plan = planOf([{ id: 'a', tool: 'echo' }], {
      assumptions: [{ id: 'dry', statement: 'it is dry', fact: 'rain', is: { const: false }, steps: ['a'] }],
    })
    expect(await runtime.start(plan).result).toMatchObject({ reason: 'done' })
  })
})

describe('facts of a step that is given up', () => {
  it('are gone, and those that they had covered are back', async () => {
    const planner = createFixedPlanner(
      planOf(
        [
          { id: 'first', tool: 'measure', input: { level: 1 } },
          { id: 'second', tool: 'measure', after: ['first'], input: { level: 2 } },
          {
            id: 'check',
            tool: 'echo',
            after: ['second'],
            input: { ok: false },
            expect: { properties: { ok: { const: true } } },
          },
        ],
        { goal: { partial: 'allow' } },
      ),
      { replan: () => ({ patch: [{ op: 'abandon', id: 'second', because: 'it measured the wrong thing' }] }) },
    )
    await using runtime = createRuntime({ tools: [measure, echo], planner })
    const run = runtime.start({ text: 'goal', partial: 'allow' })
    expect(await run.result).toMatchObject({ status: 'completed', reason: 'partial' })
    expect(factsOf(run)).toEqual({ level: 1 })
    expect(run.fact('level')).toMatchObject({ by: 'first' })
    expect(run.output('second')).toBeUndefined()
  })
})
