// A run as an actor in a user's own machine: done with its outcome, stopped with its parent.
import { describe, expect, it } from 'vitest'
import { createActor, setup } from '../../src/machines/xstate.ts'
import {
  createRuntime,
  runLogic,
  type Outcome,
  type RunActorEvent,
  type RunRefused,
  type Runtime,
} from '../../src/runtime/index.ts'
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

  it('has its run in its snapshot from the start on', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const actor = createActor(machineOf(runtime, planOf([{ id: 'a', tool: 'wait', input: { ms: 10 } }]))).start()
    const { context } = (actor.getSnapshot().children['audit'] as ReturnType<typeof actorOf>).getSnapshot()
    expect(context.run).toBe(runtime.runs[0])
    expect(context.runId).toBe(runtime.runs[0]?.id)
    await clock.runUntilIdle()
  })
})

function actorOf(runtime: Runtime, plan: Plan) {
  return createActor(runLogic(runtime), { input: { goal: plan } })
}

describe('commands to a run as an actor', () => {
  it('are all those of a run, named as the coordinator hears them', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [echo, fail, waitTool(clock)], clock })
    const actor = actorOf(
      runtime,
      planOf([
        { id: 'wait', tool: 'wait', input: { ms: 1_000 } },
        { id: 'ask', instruction: 'How many?' },
        { id: 'dull', tool: 'wait', input: { ms: 1_000 } },
        { id: 'broken', tool: 'fail', onFailure: 'skip' },
        { id: 'careful', tool: 'echo', approval: 'required' },
        { id: 'refused', tool: 'echo', approval: 'required', onFailure: 'skip' },
      ]),
    ).start()
    await clock.runUntil(1)
    const { run } = actor.getSnapshot().context
    const commands: RunActorEvent[] = [
      { type: 'step.answered', stepId: 'ask', value: 7, by: 'ann' },
      { type: 'step.skip', stepId: 'dull', because: 'it is dull' },
      { type: 'step.retry', stepId: 'broken' },
      { type: 'run.approve', stepId: 'careful', by: 'ann' },
      { type: 'run.reject', stepId: 'refused', because: 'no' },
      { type: 'fact.reported', key: 'weather', value: 'fine', by: 'ann' },
      { type: 'budget.extend', limits: { tokens: 5 } },
      { type: 'run.edit', operations: [{ op: 'insert', step: { id: 'new', tool: 'echo' } }], by: 'ann' },
      { type: 'run.pause' },
      { type: 'run.resume' },
      { type: 'run.cancel', because: 'enough' },
    ]
    const taken: string[] = []
    run?.transitions(run.revisions.length).subscribe(({ event }) => taken.push(event.type))
    for (const command of commands) {
      actor.send(command)
      await clock.advance(1)
      expect(actor.getSnapshot().context.refused).toBeUndefined()
      expect(taken).toContain(command.type)
    }
    await clock.runUntilIdle()
    expect(run?.output('ask')).toBe(7)
    expect(run?.step('careful')?.status).toBe('succeeded')
    expect(run?.step('new')?.status).toBe('succeeded')
    expect(run?.fact('weather')).toMatchObject({ value: 'fine', by: 'report:ann' })
    expect(actor.getSnapshot().output).toMatchObject({
      status: 'cancelled',
      message: expect.stringContaining('enough'),
    })
  })

  it('that are refused are told to the machine, which goes on with its run', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const refusals: RunRefused[] = []
    const machine = setup({
      types: {
        events: {} as RunRefused | { readonly type: 'command'; readonly command: RunActorEvent },
        children: {} as { audit: 'audit' },
      },
      actors: { audit: runLogic(runtime) },
      actions: {
        note: ({ event }) => {
          if (event.type === 'run.refused') refusals.push(event)
        },
      },
    }).createMachine({
      initial: 'auditing',
      states: {
        auditing: {
          invoke: {
            id: 'audit',
            src: 'audit',
            input: { goal: planOf([{ id: 'a', tool: 'wait', input: { ms: 100 } }]) },
            onDone: 'reported',
            onError: 'broken',
          },
          on: { 'run.refused': { actions: 'note' } },
        },
        reported: { type: 'final' },
        broken: { type: 'final' },
      },
    })
    const actor = createActor(machine).start()
    const child = actor.getSnapshot().children.audit
    const emitted: RunRefused[] = []
    child?.on('run.refused', (event) => emitted.push(event))
    await clock.runUntil(1)
    const commands: RunActorEvent[] = [
      { type: 'step.retry', stepId: 'a' },
      { type: 'step.skip', stepId: 'nothing' },
      { type: 'run.edit', operations: [{ op: 'remove', id: 'nothing' }] },
      { type: 'run.edit', operations: 'nonsense' as never },
      { type: 'budget.extend', limits: { token: 5 } as never },
    ]
    for (const command of commands) child?.send(command)
    const codes = ['COMMAND_REFUSED', 'COMMAND_REFUSED', 'PATCH_REFUSED', 'PATCH_REFUSED', 'OPTIONS_INVALID']
    expect(refusals.map(({ error }) => (error as { code: string }).code)).toEqual(codes)
    expect(refusals.map(({ command }) => command)).toEqual(commands)
    expect(refusals[0]).toMatchObject({ actorId: 'audit', runId: runtime.runs[0]?.id })
    expect(emitted).toEqual(refusals)
    expect(child?.getSnapshot().context.refused).toBe(refusals.at(-1))
    child?.send({ type: 'fact.reported', key: 'x', value: 1 })
    expect(child?.getSnapshot().context.refused).toBeUndefined()
    await clock.runUntilIdle()
    expect(actor.getSnapshot().value).toBe('reported')
    expect(runtime.runs[0]?.outcome).toMatchObject({ reason: 'done' })
  })

  it('that come between the end of the run and its telling are refused as too late', async () => {
    const runtime = createRuntime({ tools: [echo] })
    const actor = actorOf(runtime, planOf([{ id: 'a', tool: 'echo' }])).start()
    const refusals: RunRefused[] = []
    actor.on('run.refused', (event) => refusals.push(event))
    const { run } = actor.getSnapshot().context
    run?.transitions().subscribe({
      complete: () => {
        actor.send({ type: 'run.pause' })
      },
    })
    await settlePromises(10)
    expect(refusals).toMatchObject([{ command: { type: 'run.pause' }, error: { code: 'RUN_OVER' } }])
    expect(actor.getSnapshot().output).toMatchObject({ reason: 'done' })
    await runtime.close()
  })

  it('that it does not know change nothing', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const actor = actorOf(runtime, planOf([{ id: 'a', tool: 'echo' }])).start()
    actor.send({ type: 'something.else' } as never)
    await settlePromises(10)
    expect(actor.getSnapshot()).toMatchObject({ status: 'done', context: { refused: undefined } })
  })
})

describe('a machine with a run that is persisted and restored', () => {
  it('is told that a live run does not go on, and nothing is started again', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const machine = machineOf(runtime, planOf([{ id: 'a', tool: 'wait', input: { ms: 1_000 } }]))
    const actor = createActor(machine).start()
    await clock.runUntil(100)
    const written = JSON.stringify(actor.getPersistedSnapshot())
    const runId = runtime.runs[0]?.id
    actor.stop()
    await clock.runUntilIdle()
    const restored = createActor(machine, { snapshot: JSON.parse(written) as never })
    restored.subscribe({ error: () => undefined })
    restored.start()
    await settlePromises()
    expect(restored.getSnapshot().value).toBe('broken')
    expect(restored.getSnapshot().context.error).toMatchObject({ code: 'RUN_NOT_RESTORED', where: { runId } })
    expect((restored.getSnapshot().context.error as Error).message).toContain(runId)
    expect(runtime.runs).toHaveLength(1)
  })

  it('keeps the outcome of a run that is over', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const actor = actorOf(runtime, planOf([{ id: 'a', tool: 'echo' }])).start()
    await settlePromises(10)
    const written = JSON.stringify(actor.getPersistedSnapshot())
    const restored = createActor(runLogic(runtime), {
      snapshot: JSON.parse(written) as never,
      input: undefined as never,
    })
    restored.start()
    expect(restored.getSnapshot()).toMatchObject({ status: 'done', output: { reason: 'done' } })
    expect(restored.getSnapshot().context.runId).toBe(runtime.runs[0]?.id)
    expect(runtime.runs).toHaveLength(1)
  })
})
