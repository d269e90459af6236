// Steps with a goal of their own: a run below the run.
import { describe, expect, it } from 'vitest'
import { createRuntime, type Planner, type Runtime } from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { echo, fail, hang, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

/** Plans by the words of the goal. */
const planner: Planner = {
  name: 'words',
  plan: ({ goal, facts }) => {
    if (goal.text === 'echo')
      return {
        steps: [
          { id: 'inner', tool: 'echo', input: { given: facts.find(({ key }) => key === 'given')?.value ?? null } },
        ],
      }
    if (goal.text === 'fail') return { steps: [{ id: 'inner', tool: 'fail' }] }
    if (goal.text === 'hang') return { steps: [{ id: 'inner', tool: 'hang' }] }
    if (goal.text === 'wait') return { steps: [{ id: 'inner', tool: 'wait', input: { ms: 1000 } }] }
    return { giveUp: `no plan for "${goal.text}"` }
  },
}

function childOf(runtime: Runtime, parentId: string) {
  return runtime.runs.find((run) => run.id !== parentId)
}

describe('a step with a goal', () => {
  it('is a run of its own, and its output is what that run gave', async () => {
    await using runtime = createRuntime({ tools: [echo], planner })
    const run = runtime.start(
      planOf([
        { id: 'first', tool: 'echo', input: { x: 1 } },
        { id: 'sub', goal: { text: 'echo' }, input: { given: from('first', '/x') } },
        { id: 'last', tool: 'echo', input: { got: from('sub', '/inner/given') } },
      ]),
    )
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('last')).toEqual({ got: 1 })
    expect(runtime.runs).toHaveLength(2)
    expect(childOf(runtime, run.id)?.goal.text).toBe('echo')
  })

  it('fails when its run fails, and says how it ended', async () => {
    await using runtime = createRuntime({ tools: [fail], planner })
    const run = runtime.start(planOf([{ id: 'sub', goal: { text: 'fail' }, onFailure: 'fail' }]))
    const outcome = await run.result
    expect(outcome).toMatchObject({ reason: 'step_failed', failure: { code: 'SUB_RUN_FAILED', retryable: false } })
    expect(outcome.failure?.message).toContain('it broke')
  })

  it('is cancelled with its parent', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], planner, clock })
    const run = runtime.start(planOf([{ id: 'sub', goal: { text: 'wait' } }]))
    await clock.runUntil(100)
    const child = childOf(runtime, run.id)!
    expect(child.step('inner')?.status).toBe('running')
    run.cancel('enough')
    await clock.runUntil(101)
    expect(run.outcome).toMatchObject({ status: 'cancelled', usage: { timeMs: 100 } })
    expect(child.outcome).toMatchObject({ status: 'cancelled', usage: { timeMs: 100 } })
    expect(clock.pending).toBe(0)
  })

  it('whose tool ignores its signal is over within the grace period, parent and child', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [hang], planner, clock, limits: { graceMs: 500 } })
    const run = runtime.start(planOf([{ id: 'sub', goal: { text: 'hang' } }]))
    await clock.runUntil(100)
    run.cancel()
    await clock.runUntil(600)
    expect(runtime.runs.map(({ outcome }) => outcome?.status)).toEqual(['cancelled', 'cancelled'])
    expect(clock.pending).toBe(0)
  })

  it('is stopped by its time limit, and so is its run', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], planner, clock })
    const run = runtime.start(planOf([{ id: 'sub', goal: { text: 'wait' }, timeoutMs: 200, onFailure: 'skip' }]))
    expect(await clock.until(run.result)).toMatchObject({ reason: 'partial', usage: { timeMs: 200 } })
    await clock.runUntilIdle()
    expect(childOf(runtime, run.id)?.outcome).toMatchObject({ status: 'cancelled', usage: { timeMs: 200 } })
  })

  it('does not starve: parents that hold every place still let their children work', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], planner, clock, limits: { totalConcurrency: 2 } })
    const run = runtime.start(planOf(['a', 'b', 'c'].map((id) => ({ id, goal: { text: 'wait' } }))))
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
  })
})
