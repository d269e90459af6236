// Keys such as `__proto__` in plans, outputs, facts and answers: data like any other, that changes no prototype.
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  memoryJournal,
  replayJournal,
  type JournalEvent,
  type Run,
} from '../../src/runtime/index.ts'
import type { Plan } from '../../src/plan/schema.ts'
import { from, planOf } from '../support/plans.ts'
import { echo } from '../support/tools.ts'
import { settlePromises } from '../support/virtualClock.ts'

const evil = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"plain":1}'
const parse = (): Record<string, unknown> => JSON.parse(evil) as Record<string, unknown>
const give = defineTool({
  name: 'give',
  description: 'Gives what a hostile server might.',
  input: z.object({}),
  output: z.unknown(),
  gives: { hostile: '' },
  run: () => parse(),
})

afterEach(() => {
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(Object.prototype).not.toHaveProperty('polluted')
})

describe('prototype-polluting keys', () => {
  it('in an output pass through references unharmed', async () => {
    await using runtime = createRuntime({ tools: [give, echo] })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'give' },
        { id: 'b', tool: 'echo', input: { copy: from('a'), plain: from('a', '/plain') } },
      ]),
    )
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('b')).toMatchObject({ plain: 1 })
    expect((run.output('a') as Record<string, unknown>).polluted).toBeUndefined()
    expect((run.fact('hostile')?.value as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('are nothing that a reference can reach into', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'echo', input: { x: {} } },
        { id: 'b', tool: 'echo', input: { reach: from('a', '/x/constructor/prototype') }, onFailure: 'fail' },
      ]),
    )
    expect(await run.result).toMatchObject({ failure: { code: 'REFERENCE_UNRESOLVED' } })
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'are step ids, tools and facts that mean nothing special: %s',
    async (name) => {
      const tool = defineTool({
        name: 'give',
        description: 'Gives.',
        input: z.object({}),
        output: z.unknown(),
        run: () => 1,
      })
      await using runtime = createRuntime({ tools: [tool] })
      expect(() => runtime.start(planOf([{ id: 'a', tool: name }]))).toThrow(
        expect.objectContaining({ code: 'PLAN_INVALID' }),
      )
      if (!name.startsWith('_')) {
        const run = runtime.start(planOf([{ id: name, tool: 'give' }]))
        expect(await run.result).toMatchObject({ reason: 'done' })
        expect(run.output(name)).toBe(1)
      }
      const waiting: Run = runtime.start(planOf([{ id: 'ask', instruction: 'Well?' }]))
      await settlePromises()
      waiting.report(name, { x: 1 })
      waiting.answer('ask', JSON.parse(evil) as never)
      expect(await waiting.result).toMatchObject({ reason: 'done' })
      expect(waiting.fact(name)?.value).toEqual({ x: 1 })
    },
  )

  it('in a plan and in a patch change nothing but what they say', async () => {
    const journal = memoryJournal()
    const planner = createFixedPlanner(planOf([]), {
      replan: () => ({ patch: [{ op: 'insert', step: { id: 'b', tool: 'echo', input: parse() as never } }] }),
    })
    const plan: Plan = planOf([{ id: 'a', tool: 'echo', input: parse() as never, expect: { required: ['missing'] } }], {
      goal: { partial: 'allow' },
    })
    await using runtime = createRuntime({ tools: [echo], planner, journal })
    const run = runtime.start(plan)
    expect(await run.result).toMatchObject({ status: 'completed' })
    expect(run.output('b')).toMatchObject({ plain: 1 })
    const replay = replayJournal(
      JSON.parse(JSON.stringify([...(journal.read(run.id) as Iterable<JournalEvent>)])) as JournalEvent[],
    )
    expect(replay.outcome).toEqual(run.outcome)
    expect(replay.output('b')).toEqual(run.output('b'))
  })
})
