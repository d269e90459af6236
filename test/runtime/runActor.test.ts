// A run as an actor in a user's own machine: done with its outcome, stopped with its parent.
import { describe, expect, it } from 'vitest'
import { createActor, setup } from '../../src/machines/xstate.ts'
import { createRuntime, runLogic, type Outcome, type Runtime } from '../../src/runtime/index.ts'
import type { Plan } from '../../src/plan/schema.ts'
import { planOf } from '../support/plans.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

/** What a user would write. */
function machineOf(runtime: Runtime, plan: Plan) {
  return setup({
    types: {
      context: {} as { outcome: Outcome | undefined; error: unknown },
      events: {} as { type: 'leave' },
    },
    actors: { audit: runLogic(runtime) },
  }).createMachine({
    id: 'shop',
    context: { outcome: undefined, error: undefined },
    initial: 'auditing',
    states: {
      auditing: {
        invoke: {
          id: 'audit',
          src: 'audit',
          input: { goal: plan },
          onDone: {
            target: 'reported',
            actions: ({ context, event }) => Object.assign(context, { outcome: event.output }),
          },
          onError: {
            target: 'broken',
            actions: ({ context, event }) => Object.assign(context, { error: event.error }),
          },
        },
        on: { leave: 'left' },
      },
      reported: { type: 'final' },
      broken: { type: 'final' },
      left: {},
    },
  })
}

describe('a run as an actor', () => {
  it('is done with its outcome', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const actor = createActor(machineOf(runtime, planOf([{ id: 'a', tool: 'echo' }]))).start()
    await settlePromises(10)
    expect(actor.getSnapshot().value).toBe('reported')
    expect(actor.getSnapshot().context.outcome).toMatchObject({ status: 'completed', reason: 'done' })
  })

  it('is done, not in error, when the run fails', async () => {
    await using runtime = createRuntime({ tools: [fail] })
    const actor = createActor(machineOf(runtime, planOf([{ id: 'a', tool: 'fail' }]))).start()
    await settlePromises(10)
    expect(actor.getSnapshot().value).toBe('reported')
    expect(actor.getSnapshot().context.outcome).toMatchObject({ status: 'failed' })
  })

  it('is in error when the plan is invalid, and says so', async () => {
    await using runtime = createRuntime()
    const actor = createActor(machineOf(runtime, planOf([{ id: 'a', tool: 'nothing' }])))
    actor.subscribe({ error: () => undefined })
    actor.start()
    await settlePromises()
    expect(actor.getSnapshot().value).toBe('broken')
    expect(actor.getSnapshot().context.error).toMatchObject({ code: 'PLAN_INVALID' })
    expect(runtime.runs).toEqual([])
  })

  it('cancels its run when its parent leaves the state', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const actor = createActor(machineOf(runtime, planOf([{ id: 'a', tool: 'wait', input: { ms: 1000 } }]))).start()
    await clock.runUntil(100)
    actor.send({ type: 'leave' })
    await clock.runUntilIdle()
    expect(actor.getSnapshot().value).toBe('left')
    expect(runtime.runs[0]?.outcome).toMatchObject({ status: 'cancelled', usage: { timeMs: 100 } })
  })

  it('cancels its run when the machine is stopped', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const actor = createActor(machineOf(runtime, planOf([{ id: 'a', tool: 'wait', input: { ms: 1000 } }]))).start()
    await clock.runUntil(100)
    actor.stop()
    await clock.runUntilIdle()
    expect(runtime.runs[0]?.outcome?.status).toBe('cancelled')
  })

  it('takes commands as events', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock, approval: 'required' })
    const actor = createActor(runLogic(runtime), {
      input: { goal: planOf([{ id: 'a', tool: 'wait', input: { ms: 10 } }]) },
    }).start()
    await settlePromises()
    actor.send({ type: 'run.approve' })
    await clock.runUntilIdle()
    expect(actor.getSnapshot().output).toMatchObject({ reason: 'done' })
  })
})
