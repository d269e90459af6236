// Plans that stream in: what has begun stands, whatever becomes of the rest.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRuntime, defineTool, type Planner, type PlanRequest } from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { from } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

const one: Step = { id: 'one', tool: 'echo', input: { n: 1 } }
const other: Step = { id: 'one', tool: 'echo', input: { n: 2 } }
const two: Step = { id: 'two', tool: 'echo', input: { n: from('one', '/n') } }

/** Streams `begins` and breaks off; asked again, it gives each of `then` in turn. */
function breaking(
  begins: readonly Step[],
  then: readonly (readonly Step[])[],
): Planner & { readonly requests: PlanRequest[] } {
  const requests: PlanRequest[] = []
  return {
    name: 'breaking',
    requests,
    async *plan(request) {
      requests.push(request)
      if (requests.length > 1) {
        yield* then[requests.length - 2] ?? then.at(-1) ?? []
        return
      }
      yield* begins
      await settlePromises()
      throw new Error('connection lost')
    },
  }
}

describe('a plan that broke off while it streamed in', () => {
  it('keeps the step that has succeeded, and the planner hears that another one in its place is refused', async () => {
    const planner = breaking(
      [one],
      [
        [other, two],
        [other, two],
        [one, two],
      ],
    )
    await using runtime = createRuntime({ tools: [echo], planner })
    const run = runtime.start('goal')
    expect(await run.result).toMatchObject({ reason: 'done', counts: { succeeded: 2 } })
    expect(run.output('one')).toEqual({ n: 1 })
    expect(run.output('two')).toEqual({ n: 1 })
    expect(run.plan?.steps).toEqual([one, two])
    expect(planner.requests.map(({ begun }) => begun)).toEqual([undefined, [one], [one, two], [one, two]])
    expect(planner.requests.map(({ findings }) => findings.map(({ code, stepId }) => [code, stepId]))).toEqual([
      [],
      [],
      [['PATCH_REFUSED', 'one']],
      [['PATCH_REFUSED', 'one']],
    ])
  })

  it('ends the run as invalid_plan where the planner will not keep what has begun', async () => {
    const planner = breaking([one], [[{ ...two, input: {} }]])
    await using runtime = createRuntime({ tools: [echo], planner })
    const run = runtime.start('goal')
    const outcome = await run.result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'invalid_plan' })
    expect(outcome.message).toContain('"one"')
    expect(run.output('one')).toEqual({ n: 1 })
  })

  it('may come otherwise as far as nothing of it has begun', async () => {
    const clock = new VirtualClock()
    const slow: Step = { id: 'slow', tool: 'wait', input: { ms: 100 } }
    const behind: Step = { id: 'behind', tool: 'echo', after: ['slow'], input: { n: 1 } }
    const planner = breaking(
      [slow, behind, { id: 'left', tool: 'echo', after: ['behind'] }],
      [[slow, { ...behind, input: { n: 2 } }]],
    )
    await using runtime = createRuntime({ tools: [echo, waitTool(clock)], planner, clock })
    const run = runtime.start('goal')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', counts: { succeeded: 2 } })
    expect(run.output('behind')).toEqual({ n: 2 })
    expect(run.plan?.steps.map(({ id }) => id)).toEqual(['slow', 'behind'])
  })

  it('may come wholly otherwise where steps wait for the whole plan', async () => {
    const planner = breaking([one, two], [[{ id: 'three', tool: 'echo', input: { n: 3 } }]])
    await using runtime = createRuntime({ tools: [echo], planner, dispatch: 'whole' })
    const run = runtime.start('goal')
    expect(await run.result).toMatchObject({ reason: 'done', counts: { succeeded: 1 } })
    expect(run.output('one')).toBeUndefined()
    expect(run.output('three')).toEqual({ n: 3 })
  })
})

describe('a plan that streams in', () => {
  it('is refused by the planner’s check where it says a step anew, and otherwise', async () => {
    let asked = 0
    const planner: Planner = {
      name: 'wavering',
      async *plan() {
        asked += 1
        yield one
        if (asked === 1) yield other
        else yield two
      },
    }
    await using runtime = createRuntime({ tools: [echo], planner })
    const run = runtime.start('goal')
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect([asked, run.output('one')]).toEqual([2, { n: 1 }])
  })

  it('is cut off as soon as it has more steps than are allowed', async () => {
    const clock = new VirtualClock()
    let given = 0
    const planner: Planner = {
      name: 'long-winded',
      async *plan() {
        while (given < 50) {
          yield { id: `step-${String(given++)}`, tool: 'echo', input: {} }
          await clock.wait(1)
        }
      },
    }
    await using runtime = createRuntime({ tools: [echo], planner, clock, limits: { steps: 3 } })
    const run = runtime.start('goal')
    const outcome = await clock.until(run.result)
    expect(outcome).toMatchObject({ status: 'failed', reason: 'budget_exhausted', counts: { succeeded: 3 } })
    expect(outcome.message).toContain('3 are allowed')
    expect(given).toBeLessThan(6)
  })

  it('goes on at once when it is resumed after a pause', async () => {
    const clock = new VirtualClock()
    const planner: Planner = {
      name: 'slow',
      async *plan() {
        await clock.wait(100)
        yield one
        await clock.wait(10_000)
        yield two
      },
    }
    await using runtime = createRuntime({ tools: [echo], planner, clock })
    const run = runtime.start('goal')
    run.pause()
    await clock.runUntil(200)
    expect(statusesOf(run)).toEqual({ one: 'ready' })
    run.resume()
    await clock.runUntil(300)
    expect(statusesOf(run)).toEqual({ one: 'succeeded' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
  })

  it('lets a step that a person retries go on at once', async () => {
    const clock = new VirtualClock()
    let isMended = false
    const fragile = defineTool({
      name: 'fragile',
      description: 'Fails until it is mended.',
      input: z.object({}),
      output: z.object({}),
      run: () => (isMended ? {} : Promise.reject(new Error('broken'))),
    })
    const planner: Planner = {
      name: 'slow',
      async *plan() {
        yield { id: 'fragile', tool: 'fragile' }
        await clock.wait(1000)
        yield one
      },
    }
    await using runtime = createRuntime({ tools: [echo, fragile], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(100)
    expect(statusesOf(run)).toEqual({ fragile: 'failed' })
    isMended = true
    run.retry('fragile')
    await clock.runUntil(200)
    expect(statusesOf(run)).toEqual({ fragile: 'succeeded' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { replans: 0 } })
  })

  it('runs nothing before it is whole where the settings say so, also when the planner had to be asked again', async () => {
    const clock = new VirtualClock()
    let asked = 0
    const planner: Planner = {
      name: 'hanging',
      async *plan() {
        asked += 1
        yield one
        await clock.wait(asked === 1 ? 5000 : 500)
      },
    }
    const limits = { plannerMs: 1000 }
    await using runtime = createRuntime({ tools: [echo], planner, clock, dispatch: 'whole', limits })
    const run = runtime.start('goal')
    await clock.runUntil(1200)
    expect([asked, run.output('one')]).toEqual([2, undefined])
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 1500 } })
  })

  it('expands a list only when it is whole, so that each revision is made from the one before', async () => {
    const clock = new VirtualClock()
    const planner: Planner = {
      name: 'slow',
      async *plan() {
        yield { id: 'list', tool: 'echo', input: { items: [1, 2] } }
        yield { id: 'each', tool: 'echo', forEach: from('list', '/items'), input: { n: { $item: '' } } }
        await clock.wait(100)
        yield { id: 'all', tool: 'echo', input: { all: from('each') } }
      },
    }
    await using runtime = createRuntime({ tools: [echo], planner, clock })
    const run = runtime.start('goal')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', counts: { succeeded: 5 }, revision: 2 })
    expect(run.output('all')).toEqual({ all: [{ n: 1 }, { n: 2 }] })
    expect(run.revisions.map(({ steps }) => steps.length)).toEqual([3, 5])
  })

  it('cannot be edited before it is whole', async () => {
    const clock = new VirtualClock()
    const planner: Planner = {
      name: 'slow',
      async *plan() {
        yield one
        await clock.wait(100)
        yield two
      },
    }
    await using runtime = createRuntime({ tools: [echo], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(50)
    expect(() => run.edit([{ op: 'insert', step: { id: 'three', tool: 'echo' } }])).toThrow()
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', revision: 1, counts: { succeeded: 2 } })
  })
})

describe('while the planner breaks down over one trouble', () => {
  it('another trouble is not forgotten', async () => {
    const clock = new VirtualClock()
    const asked: (string | undefined)[][] = []
    const planner: Planner = {
      name: 'shaky',
      plan: () => ({
        steps: [
          { id: 'a', tool: 'fail', input: { message: 'a' } },
          { id: 'wait', tool: 'wait', input: { ms: 50 } },
          { id: 'b', tool: 'fail', input: { message: 'b' }, after: ['wait'] },
          { id: 'behind', tool: 'echo', after: ['b'] },
        ],
      }),
      replan: async ({ troubles }) => {
        asked.push(troubles.map(({ stepId }) => stepId))
        await clock.wait(100)
        if (asked.length === 1) throw new Error('oh')
        const id = troubles[0]?.stepId ?? ''
        return { patch: [{ op: 'replace', id, step: { id, tool: 'echo' } }] }
      },
    }
    await using runtime = createRuntime({ tools: [echo, fail, waitTool(clock)], planner, clock })
    const run = runtime.start('goal')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', counts: { succeeded: 4 } })
    expect(asked).toEqual([['a'], ['a'], ['b']])
  })
})
