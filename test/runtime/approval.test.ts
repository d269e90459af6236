// People in charge: approval of plans, patches and steps; edits by hand.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createFixedPlanner, createRuntime, defineTool, type Trouble } from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

const send = defineTool({
  name: 'send',
  description: 'Sends.',
  effects: 'external',
  input: z.object({}),
  output: z.object({}),
  run: () => ({}),
})

describe('approval of a plan', () => {
  it('is waited for, and nothing runs before it', async () => {
    await using runtime = createRuntime({ tools: [echo], approval: 'required' })
    const run = runtime.start(planOf([{ id: 'a', tool: 'echo' }]))
    await settlePromises()
    expect(run.state).toBe('approving')
    expect(run.output('a')).toBeUndefined()
    run.approve({ by: 'ann' })
    expect(await run.result).toMatchObject({ reason: 'done' })
  })

  it('is waited for after a pause as well', async () => {
    await using runtime = createRuntime({ tools: [send], approval: 'required' })
    const run = runtime.start(planOf([{ id: 'a', tool: 'send' }]))
    await settlePromises()
    run.pause()
    run.resume()
    await settlePromises()
    expect(run.state).toBe('approving')
    expect(run.step('a')).toMatchObject({ attempt: 0 })
    run.approve()
    expect(await run.result).toMatchObject({ reason: 'done' })
  })

  it('for effects is asked of plans that write or send, and of no other', async () => {
    await using runtime = createRuntime({ tools: [echo, send], approval: 'effects' })
    expect(await runtime.start(planOf([{ id: 'a', tool: 'echo' }])).result).toMatchObject({ reason: 'done' })
    const run = runtime.start(planOf([{ id: 'a', tool: 'send' }]))
    await settlePromises()
    expect(run.state).toBe('approving')
    run.approve()
    expect(await run.result).toMatchObject({ reason: 'done' })
  })

  it('is asked again for what the planner amends, and a refusal is trouble of its own', async () => {
    let round = 0
    const planner = createFixedPlanner(planOf([{ id: 'a', tool: 'fail' }]), {
      replan: ({ troubles }) => {
        round += 1
        return round === 1
          ? { patch: [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'echo', input: { round } } }] }
          : { giveUp: troubles.map(({ type }) => type).join() }
      },
    })
    await using runtime = createRuntime({ tools: [echo, fail], planner, approval: 'required' })
    const run = runtime.start('goal')
    await settlePromises()
    run.approve()
    await settlePromises()
    expect(run.state).toBe('approving')
    run.reject('not like this')
    const outcome = await run.result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'gave_up' })
    expect(outcome.message).toContain('rejected')
  })

  it('refused tells the planner what was refused, why, by whom, and what troubles it was for', async () => {
    const asked: (readonly Trouble[])[] = []
    const planner = createFixedPlanner(planOf([{ id: 'a', tool: 'fail' }]), {
      replan: ({ troubles }) => {
        asked.push(troubles)
        const step = { id: 'a', tool: 'echo', input: { round: asked.length } }
        return asked.length < 3 ? { patch: [{ op: 'replace', id: 'a', step }] } : { giveUp: 'enough' }
      },
    })
    await using runtime = createRuntime({ tools: [echo, fail], planner, approval: 'required' })
    const run = runtime.start('goal')
    await settlePromises()
    run.approve()
    for (const because of ['not like this', 'nor like this']) {
      await settlePromises()
      expect(run.state).toBe('approving')
      run.reject(because, { by: 'ann' })
    }
    await run.result
    const rejection = (round: number, because: string) => ({
      type: 'rejected',
      text: because,
      rejected: {
        because,
        by: 'ann',
        operations: [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'echo', input: { round } } }],
        troubles: [{ type: 'failed', stepId: 'a' }], // without former rejections, which stand beside it
      },
    })
    expect(asked[2]).toMatchObject([
      { type: 'failed', stepId: 'a' },
      rejection(1, 'not like this'),
      rejection(2, 'nor like this'),
    ])
    expect(asked[2]?.[2]?.rejected?.troubles).toHaveLength(1)
  })

  it('of an amendment answers the troubles that it was proposed for, and not those that came while it waited', async () => {
    const clock = new VirtualClock()
    const asked: string[][] = []
    const failLater = defineTool({
      name: 'failLater',
      description: 'Fails after a while.',
      input: z.object({}),
      output: z.object({}),
      run: () => clock.wait(100).then(() => Promise.reject(new Error('late'))),
    })
    const planner = createFixedPlanner(
      planOf([
        { id: 'a', tool: 'fail' },
        { id: 'b', tool: 'failLater' },
      ]),
      {
        replan: ({ troubles }) => {
          asked.push(troubles.map(({ stepId }) => stepId ?? ''))
          return { patch: troubles.map(({ stepId: id = '' }) => ({ op: 'replace', id, step: { id, tool: 'echo' } })) }
        },
      },
    )
    await using runtime = createRuntime({ tools: [echo, fail, failLater], planner, clock, approval: 'required' })
    const run = runtime.start('goal')
    await settlePromises()
    run.approve()
    await clock.runUntil(200)
    expect(run.state).toBe('approving')
    run.approve()
    await settlePromises()
    run.approve()
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', counts: { succeeded: 2 } })
    expect(asked).toEqual([['a'], ['b']])
  })

  it('is waited for by nobody whom the amendment does not touch', async () => {
    const planner = createFixedPlanner(
      planOf([
        { id: 'a', tool: 'fail' },
        { id: 'ask', instruction: 'Well?' },
        { id: 'on', tool: 'echo', after: ['ask'] },
      ]),
      { replan: () => ({ patch: [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'echo' } }] }) },
    )
    await using runtime = createRuntime({ tools: [echo, fail], planner, approval: 'required' })
    const run = runtime.start('goal')
    await settlePromises()
    run.approve()
    await settlePromises()
    expect(run.state).toBe('approving')
    run.answer('ask', 'yes')
    await settlePromises()
    expect(run.step('on')?.status).toBe('succeeded')
    run.approve()
    expect(await run.result).toMatchObject({ reason: 'done' })
  })

  it('of an amendment lets it run', async () => {
    const planner = createFixedPlanner(planOf([{ id: 'a', tool: 'fail' }]), {
      replan: () => ({ patch: [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'echo', input: { mended: true } } }] }),
    })
    await using runtime = createRuntime({ tools: [echo, fail], planner, approval: 'required' })
    const run = runtime.start('goal')
    await settlePromises()
    run.approve()
    await settlePromises()
    run.approve()
    expect(await run.result).toMatchObject({ reason: 'done', revision: 2 })
    expect(run.output('a')).toEqual({ mended: true })
  })
})

describe('approval of a step', () => {
  it('holds that step only, and is a question', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(
      planOf([
        { id: 'look', tool: 'echo', input: { amount: 5 } },
        {
          id: 'pay',
          title: 'Pay the bill',
          tool: 'echo',
          approval: 'required',
          input: { amount: from('look', '/amount') },
        },
        { id: 'other', tool: 'echo' },
      ]),
    )
    await settlePromises()
    expect(statusesOf(run)).toEqual({ look: 'succeeded', pay: 'held', other: 'succeeded' })
    expect(run.questions).toMatchObject([{ stepId: 'pay', kind: 'approval', text: 'Pay the bill' }])
    run.approve({ stepId: 'pay' })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('pay')).toEqual({ amount: 5 })
    expect(run.questions).toEqual([])
  })

  it('that is refused skips it and what needs it', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(
      planOf([
        { id: 'pay', tool: 'echo', approval: 'required' },
        { id: 'thank', tool: 'echo', after: ['pay'] },
      ]),
    )
    await settlePromises()
    run.reject('too much', { stepId: 'pay' })
    const outcome = await run.result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'gave_up', stepId: 'pay' })
    expect(outcome.message).toContain('Step "pay" was rejected: too much')
    expect(run.step('pay')).toMatchObject({ status: 'skipped', failure: { code: 'STEP_REJECTED' } })
    expect(run.step('thank')?.status).not.toBe('succeeded')
  })

  it.each([
    [
      'skip',
      'forbid',
      { status: 'completed', reason: 'partial' },
      { pay: 'skipped', thank: 'skipped', on: 'succeeded' },
    ],
    [
      'fail',
      'forbid',
      { status: 'failed', reason: 'rejected' },
      { pay: 'skipped', thank: 'cancelled', on: 'succeeded' },
    ],
    [
      'replan',
      'allow',
      { status: 'completed', reason: 'partial' },
      { pay: 'skipped', thank: 'skipped', on: 'succeeded' },
    ],
    [
      'replan',
      'forbid',
      { status: 'failed', reason: 'gave_up' },
      { pay: 'skipped', thank: 'cancelled', on: 'succeeded' },
    ],
  ] as const)(
    'refused means what its onFailure says: %s, where partial results are %s',
    async (onFailure, partial, end, steps) => {
      await using runtime = createRuntime({ tools: [echo] })
      const run = runtime.start(
        planOf(
          [
            { id: 'pay', tool: 'echo', approval: 'required', onFailure },
            { id: 'thank', tool: 'echo', after: ['pay'] },
            { id: 'on', tool: 'echo' },
          ],
          { goal: { partial } },
        ),
      )
      await settlePromises()
      run.reject('too much', { stepId: 'pay' })
      expect(await run.result).toMatchObject(end)
      expect(statusesOf(run)).toEqual(steps)
    },
  )

  it('that is refused is trouble that names it, so that the planner can put another in its place', async () => {
    const told: Trouble[] = []
    const planner = createFixedPlanner(planOf([]), {
      replan: ({ troubles }) => {
        told.push(...troubles)
        return { patch: [{ op: 'replace', id: 'pay', step: { id: 'pay', tool: 'echo', input: { cheap: true } } }] }
      },
    })
    await using runtime = createRuntime({ tools: [echo], planner })
    const run = runtime.start(
      planOf([
        { id: 'pay', tool: 'echo', approval: 'required' },
        { id: 'thank', tool: 'echo', after: ['pay'] },
      ]),
    )
    await settlePromises()
    run.reject('too much', { stepId: 'pay', by: 'ann' })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(told).toMatchObject([
      { type: 'rejected', stepId: 'pay', tool: 'echo', rejected: { because: 'too much', by: 'ann' } },
    ])
    expect(run.output('pay')).toEqual({ cheap: true })
  })

  it('may be given before its turn has come', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'wait', input: { ms: 100 } },
        { id: 'b', tool: 'wait', after: ['a'], approval: 'required', input: { ms: 1 } },
      ]),
    )
    run.approve({ stepId: 'b' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 101 } })
  })

  it.each(['nobody', 'done'])('of a step that does not wait for it (%s) is refused in words', async (stepId) => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(
      planOf([
        { id: 'done', tool: 'wait', input: { ms: 1 } },
        { id: 'on', tool: 'wait', input: { ms: 100 } },
      ]),
    )
    await clock.runUntil(50)
    expect(() => run.approve({ stepId })).toThrow(
      expect.objectContaining({ code: 'COMMAND_REFUSED', message: expect.stringContaining(stepId) }),
    )
    await clock.until(run.result)
  })
})

describe('an edit by hand', () => {
  const start = (clock: VirtualClock) => {
    const runtime = createRuntime({ tools: [waitTool(clock), echo], clock })
    const run = runtime.start(
      planOf([
        { id: 'done', tool: 'wait', input: { ms: 10 } },
        { id: 'running', tool: 'wait', after: ['done'], input: { ms: 100 } },
        { id: 'next', tool: 'wait', after: ['running'], input: { ms: 10 } },
      ]),
    )
    return { runtime, run }
  }

  it('changes what has not run, as a revision that says who', async () => {
    const clock = new VirtualClock()
    const { runtime, run } = start(clock)
    await clock.runUntil(50)
    run.edit(
      [
        { op: 'replace', id: 'next', step: { id: 'next', tool: 'echo', after: ['running'], input: { edited: true } } },
        { op: 'insert', step: { id: 'more', tool: 'echo' } },
      ],
      { because: 'better', by: 'ann' },
    )
    expect(run.plan).toMatchObject({ revision: 2, by: { planner: 'ann' }, because: { type: 'edited', text: 'better' } })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', counts: { succeeded: 4 } })
    expect(run.output('next')).toEqual({ edited: true })
    await runtime.close()
  })

  it.each([
    ['done', 'succeeded'],
    ['running', 'running'],
  ])('of step "%s", which is %s, is refused with the reason, and changes nothing', async (id, status) => {
    const clock = new VirtualClock()
    const { runtime, run } = start(clock)
    await clock.runUntil(50)
    const before = run.plan
    expect(() => run.edit([{ op: 'replace', id, step: { id, tool: 'echo' } }])).toThrow(
      expect.objectContaining({
        code: 'PATCH_REFUSED',
        message: expect.stringMatching(new RegExp(`"${id}".*${status}`)),
        hint: expect.any(String),
      }),
    )
    expect(() => run.edit([{ op: 'remove', id }])).toThrow(expect.objectContaining({ code: 'PATCH_REFUSED' }))
    expect(run.plan).toBe(before)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', revision: 1 })
    await runtime.close()
  })

  it('that gives an invalid plan is refused with all findings', async () => {
    const clock = new VirtualClock()
    const { runtime, run } = start(clock)
    await clock.runUntil(50)
    expect(() =>
      run.edit([
        { op: 'insert', step: { id: 'x', tool: 'ehco' } },
        { op: 'insert', step: { id: 'y', tool: 'wiat' } },
      ]),
    ).toThrow(
      expect.objectContaining({
        code: 'PLAN_INVALID',
        findings: expect.arrayContaining([
          expect.objectContaining({ stepId: 'x' }),
          expect.objectContaining({ stepId: 'y' }),
        ]),
      }),
    )
    expect(run.plan?.revision).toBe(1)
    await clock.until(run.result)
    await runtime.close()
  })

  it('with a step for a role that nobody serves is refused', async () => {
    const clock = new VirtualClock()
    const { runtime, run } = start(clock)
    await clock.runUntil(50)
    expect(() => run.edit([{ op: 'insert', step: { id: 'x', instruction: 'judge', executor: 'judge' } }])).toThrow(
      expect.objectContaining({
        code: 'PLAN_INVALID',
        findings: [expect.objectContaining({ code: 'EXECUTOR_UNKNOWN', stepId: 'x' })],
      }),
    )
    expect(run.plan?.revision).toBe(1)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', revision: 1 })
    await runtime.close()
  })

  it('with more steps than the run may have is refused', async () => {
    await using runtime = createRuntime({ tools: [echo], limits: { steps: 2 } })
    const run = runtime.start(planOf([{ id: 'ask', instruction: 'Well?' }]))
    await settlePromises()
    const insert = (id: string) => ({ op: 'insert', step: { id, tool: 'echo' } }) as const
    expect(() => run.edit([insert('a'), insert('b')])).toThrow(expect.objectContaining({ code: 'PLAN_INVALID' }))
    run.edit([insert('a')])
    expect(run.plan?.steps).toHaveLength(2)
  })

  it('whose dependency is skipped in the same revision waits for its others', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock), echo], clock })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'echo', input: { n: 1 } },
        { id: 'on', tool: 'wait', input: { ms: 50 } },
      ]),
    )
    await clock.runUntil(10)
    run.edit([
      { op: 'insert', step: { id: 'unmet', tool: 'echo', when: { value: from('a', '/n'), is: { const: 2 } } } },
      { op: 'insert', step: { id: 'last', tool: 'wait', input: { ms: 1 }, after: ['unmet', 'on'], onSkipped: 'run' } },
    ])
    await clock.runUntil(49)
    expect(statusesOf(run)).toMatchObject({ unmet: 'skipped', last: 'waiting' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 51 } })
  })

  it('that replaces what was given up leaves given up what was given up with it', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock), echo], clock })
    const run = runtime.start(
      planOf([
        { id: 'on', tool: 'wait', input: { ms: 50 } },
        { id: 'first', tool: 'wait', input: { ms: 50 } },
        { id: 'behind', tool: 'echo', after: ['first'] },
      ]),
    )
    await clock.runUntil(10)
    run.skip('first')
    run.edit([{ op: 'abandon', id: 'first', because: 'not needed' }])
    run.edit([{ op: 'replace', id: 'first', step: { id: 'first', tool: 'echo' } }])
    await clock.until(run.result)
    expect(statusesOf(run)).toEqual({ on: 'succeeded', first: 'succeeded', behind: 'skipped' })
  })

  it('stops a running step by abandoning it', async () => {
    const clock = new VirtualClock()
    const { runtime, run } = start(clock)
    await clock.runUntil(50)
    run.edit([{ op: 'abandon', id: 'running', because: 'not needed' }])
    expect(await clock.until(run.result)).toMatchObject({ usage: { timeMs: 50 } })
    expect(statusesOf(run)).toMatchObject({ done: 'succeeded', running: 'abandoned' })
    await runtime.close()
  })
})
