// How runs end: every reason by a run that ends with it, and what it leaves readable.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createFixedPlanner, createRuntime, defineTool, type Planner } from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

describe('a run that completes', () => {
  it('is done when every step has succeeded, and keeps outputs by reference', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'echo', input: { rows: [1, 2] } },
        { id: 'b', tool: 'echo', input: { second: from('a', '/rows/1') } },
      ]),
    )
    const outcome = await run.result
    expect(outcome).toMatchObject({ status: 'completed', reason: 'done', counts: { succeeded: 2 }, revision: 1 })
    expect(run.output('b')).toEqual({ second: 2 })
    expect(run.state).toBe('completed')
    expect(run.outcome).toEqual(outcome)
  })

  it('is done at once when the plan is empty', async () => {
    await using runtime = createRuntime()
    expect(await runtime.start(planOf([])).result).toMatchObject({ status: 'completed', reason: 'done' })
  })

  it('is partial when the goal allows for it and a branch was lost', async () => {
    await using runtime = createRuntime({ tools: [echo, fail] })
    const run = runtime.start(
      planOf(
        [
          { id: 'bad', tool: 'fail' },
          { id: 'behind', tool: 'echo', after: ['bad'] },
          { id: 'good', tool: 'echo', input: { x: 1 } },
        ],
        { goal: { partial: 'allow' } },
      ),
    )
    expect(await run.result).toMatchObject({ status: 'completed', reason: 'partial' })
    expect(statusesOf(run)).toEqual({ bad: 'failed', behind: 'skipped', good: 'succeeded' })
    expect(run.step('behind')).toMatchObject({ causedBy: 'bad' })
    expect(run.output('good')).toEqual({ x: 1 })
  })

  it('is partial when a step that failed may be skipped', async () => {
    await using runtime = createRuntime({ tools: [echo, fail] })
    const run = runtime.start(
      planOf([
        { id: 'bad', tool: 'fail', onFailure: 'skip' },
        { id: 'behind', tool: 'echo', after: ['bad'], onSkipped: 'run' },
      ]),
    )
    expect(await run.result).toMatchObject({ status: 'completed', reason: 'partial' })
    expect(statusesOf(run)).toEqual({ bad: 'skipped', behind: 'succeeded' })
  })
})

describe('a run that fails', () => {
  it('gave_up, with what the planner said', async () => {
    const planner = createFixedPlanner(planOf([{ id: 'bad', tool: 'fail' }]), {
      replan: () => ({ giveUp: 'no other means' }),
    })
    await using runtime = createRuntime({ tools: [fail], planner })
    const outcome = await runtime.start('goal').result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'gave_up', stepId: 'bad', failure: { code: 'BROKEN' } })
    expect(outcome.message).toContain('no other means')
  })

  it('gave_up when no first plan is found', async () => {
    await using runtime = createRuntime({
      planner: { name: 'lost', plan: () => ({ giveUp: 'nothing gives "report"' }) },
    })
    const outcome = await runtime.start('goal').result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'gave_up', revision: 0 })
    expect(outcome.message).toContain('nothing gives "report"')
  })

  it('step_failed when the step says that its failure is the end', async () => {
    await using runtime = createRuntime({ tools: [echo, fail] })
    const run = runtime.start(
      planOf([
        { id: 'good', tool: 'echo', input: { x: 1 } },
        { id: 'bad', tool: 'fail', onFailure: 'fail', after: ['good'] },
        { id: 'behind', tool: 'echo', after: ['bad'] },
      ]),
    )
    expect(await run.result).toMatchObject({ status: 'failed', reason: 'step_failed', stepId: 'bad' })
    expect(statusesOf(run)).toEqual({ good: 'succeeded', bad: 'failed', behind: 'cancelled' })
    expect(run.output('good')).toEqual({ x: 1 })
  })

  it('step_failed when the planner keeps a plan that needed what failed', async () => {
    const planner = createFixedPlanner(planOf([{ id: 'bad', tool: 'fail' }]), { replan: () => ({ keep: 'so be it' }) })
    await using runtime = createRuntime({ tools: [fail], planner })
    expect(await runtime.start('goal').result).toMatchObject({ status: 'failed', reason: 'step_failed', stepId: 'bad' })
  })

  it('rejected, with the reason', async () => {
    await using runtime = createRuntime({ tools: [echo], approval: 'required' })
    const run = runtime.start(planOf([{ id: 'a', tool: 'echo' }]))
    expect(run.state).toBe('approving')
    run.reject('too expensive', { by: 'ann' })
    const outcome = await run.result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'rejected' })
    expect(outcome.message).toContain('too expensive')
    expect(statusesOf(run)).toEqual({ a: 'cancelled' })
  })

  it('planner_failed when the planner throws again and again', async () => {
    let asked = 0
    const planner: Planner = {
      name: 'broken',
      plan: () => {
        asked += 1
        throw new Error('no brain')
      },
    }
    await using runtime = createRuntime({ planner })
    const outcome = await runtime.start('goal').result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'planner_failed', failure: { code: 'PLANNER_THREW' } })
    expect(outcome.message).toContain('no brain')
    expect(asked).toBe(2)
  })

  it('planner_failed when the planner hangs past its time limit, and its signal fires', async () => {
    const clock = new VirtualClock()
    const signals: AbortSignal[] = []
    const planner: Planner = {
      name: 'sleeper',
      plan: (_request, { signal }) => {
        signals.push(signal)
        return new Promise<never>(() => undefined)
      },
    }
    await using runtime = createRuntime({ planner, clock, limits: { plannerMs: 1000 } })
    const outcome = await clock.until(runtime.start('goal').result)
    expect(outcome).toMatchObject({
      reason: 'planner_failed',
      failure: { code: 'PLANNER_TIMEOUT' },
      usage: { timeMs: 2000 },
    })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  it('invalid_plan when the planner cannot do better than a plan that does not fit', async () => {
    const planner: Planner = { name: 'dreamer', plan: () => ({ steps: [{ id: 'a', tool: 'ehco' }] }) }
    await using runtime = createRuntime({ tools: [echo], planner })
    const outcome = await runtime.start('goal').result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'invalid_plan' })
    expect(outcome.message).toContain('ehco')
  })
})

describe('a budget', () => {
  const spender = (usage: { readonly tokens?: number; readonly cost?: number }): Planner => ({
    name: 'spender',
    plan: () => ({ steps: [{ id: 'a', tool: 'echo' }], usage }),
  })

  it.each([
    ['tokens', { tokens: 11 }, { tokens: 10 }],
    ['money', { cost: 0.6 }, { cost: 0.5 }],
  ])('of %s ends the run before another step goes out', async (_what, usage, limits) => {
    await using runtime = createRuntime({ tools: [echo], planner: spender(usage), limits })
    const run = runtime.start('goal')
    expect(await run.result).toMatchObject({ status: 'failed', reason: 'budget_exhausted', usage })
    expect(run.output('a')).toBeUndefined()
  })

  it('that is used to the last token is not exhausted', async () => {
    await using runtime = createRuntime({ tools: [echo], planner: spender({ tokens: 10 }), limits: { tokens: 10 } })
    expect(await runtime.start('goal').result).toMatchObject({ reason: 'done', usage: { tokens: 10 } })
  })

  it('of replans ends the run with the trouble that is left', async () => {
    await using runtime = createRuntime({ tools: [fail], planner: stubborn(), limits: { replans: 3 } })
    const outcome = await runtime.start('goal').result
    expect(outcome).toMatchObject({ reason: 'budget_exhausted', usage: { replans: 3 }, failure: { code: 'BROKEN' } })
  })

  it('of planner calls ends the run', async () => {
    await using runtime = createRuntime({ tools: [fail], planner: stubborn(), limits: { plannerCalls: 2 } })
    expect(await runtime.start('goal').result).toMatchObject({ reason: 'budget_exhausted', usage: { plannerCalls: 2 } })
  })

  it('of time ends the run at that time', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock, limits: { timeMs: 1500 } })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'wait', input: { ms: 1000 } },
        { id: 'b', tool: 'wait', after: ['a'], input: { ms: 1000 } },
      ]),
    )
    expect(await clock.until(run.result)).toMatchObject({ reason: 'budget_exhausted', usage: { timeMs: 1500 } })
    expect(statusesOf(run)).toEqual({ a: 'succeeded', b: 'cancelled' })
  })

  /** Puts another failing step in the place of each that failed. */
  function stubborn(): Planner {
    return createFixedPlanner(planOf([{ id: 'a', tool: 'fail', input: { message: 'first' } }]), {
      replan: ({ plan, troubles }) => ({
        patch: [
          {
            op: 'replace',
            id: 'a',
            step: {
              id: 'a',
              tool: 'fail',
              input: { message: `${String(plan.revision)} after ${troubles[0]?.text.length ?? 0}` },
            },
          },
        ],
      }),
    })
  }
})

describe('a run that goes in circles', () => {
  it('is stuck when the same step fails in the same way again and again, and names it', async () => {
    const planner = createFixedPlanner(planOf([{ id: 'a', tool: 'fail' }]), {
      replan: ({ plan }) => ({
        patch: [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'fail', title: `try ${String(plan.revision)}` } }],
      }),
    })
    await using runtime = createRuntime({ tools: [fail], planner })
    expect(await runtime.start('goal').result).toMatchObject({
      status: 'failed',
      reason: 'stuck',
      cycle: ['a', 'a', 'a'],
      stepId: 'a',
    })
  })

  it('is stuck when a plan comes back with no new facts, and names the revisions', async () => {
    let round = 0
    const flaky = defineTool({
      name: 'flaky',
      description: 'Fails in another way each time.',
      input: z.object({ way: z.string() }),
      output: z.object({}),
      run: ({ way }) => {
        throw new Error(`${way} ${String(round++)}`)
      },
    })
    const ways = ['left', 'right']
    const planner = createFixedPlanner(planOf([{ id: 'a', tool: 'flaky', input: { way: 'left' } }]), {
      replan: ({ plan }) => ({
        patch: [
          { op: 'replace', id: 'a', step: { id: 'a', tool: 'flaky', input: { way: ways[plan.revision % 2] ?? '' } } },
        ],
      }),
    })
    await using runtime = createRuntime({ tools: [flaky], planner, limits: { sameFailure: 100 } })
    const outcome = await runtime.start('goal').result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'stuck' })
    expect(outcome.message).toContain('circles')
    expect(outcome.cycle?.length).toBeGreaterThan(0)
    expect(outcome.usage.replans).toBeLessThan(5)
  })

  it('is stuck when nothing can happen any more', async () => {
    const planner: Planner = {
      name: 'half',
      plan: () => ({
        steps: [{ id: 'a', tool: 'echo' }],
        assumptions: [{ id: 'dry', statement: 'it is dry', fact: 'rain', is: { const: false }, steps: ['a'] }],
      }),
      // It deals with the trouble, but leaves the assumption broken.
      replan: () => ({ patch: [{ op: 'insert', step: { id: 'b', tool: 'echo' } }] }),
    }
    await using runtime = createRuntime({ tools: [echo], planner })
    const outcome = await runtime.start({ text: 'goal', facts: { rain: true } }).result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'stuck' })
    expect(outcome.message).toContain('"a"')
    expect(outcome.message).toContain('dry')
  })
})
