// Commands that do not fit the state of a run or step: refused in words, with what would be possible, and nothing changes.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  PlanloomError,
  type CommandRefusedError,
  type Run,
  type Transition,
} from '../../src/index.ts'
import { from, planOf } from '../support/plans.ts'
import { collectTransitions, factsOf, statusesOf } from '../support/runs.ts'
import { echo, fail, hang, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const plan = planOf([
  { id: 'done', tool: 'echo', input: { n: 1 } },
  { id: 'running', tool: 'wait', input: { ms: 10_000 } },
  { id: 'waiting', tool: 'echo', after: ['running'] },
  { id: 'asks', instruction: 'Well?' },
  { id: 'held', tool: 'echo', approval: 'required' },
  { id: 'bad', tool: 'fail', onFailure: 'skip' },
  { id: 'behind', tool: 'echo', after: ['bad'] },
  { id: 'unmet', tool: 'echo', when: { value: from('done', '/n'), is: { const: 2 } } },
  { id: 'failed', tool: 'fail' },
])

/** A run with a step in each of these states; its planner goes on thinking. */
async function midway() {
  const clock = new VirtualClock()
  const planner = createFixedPlanner(plan, { replan: () => clock.wait(1_000_000).then(() => ({ keep: 'as it is' })) })
  const runtime = createRuntime({ tools: [echo, fail, waitTool(clock)], planner, clock, limits: { plannerMs: 1e9 } })
  const run = runtime.start('goal')
  await clock.runUntil(10)
  return { clock, runtime, run }
}

function refusalOf(command: () => void): CommandRefusedError {
  try {
    command()
  } catch (error) {
    expect(error).toBeInstanceOf(PlanloomError)
    return error as CommandRefusedError
  }
  throw new Error('it was taken')
}

function seen(run: Run): unknown {
  const { seen: transitions } = collectTransitions(run)
  return [run.state, run.plan, statusesOf(run), factsOf(run), run.troubles, run.questions, transitions.length]
}

const cases: readonly (readonly [string, (run: Run) => void, string, RegExp, readonly string[] | undefined])[] = [
  ['retry of what succeeded', (run) => run.retry('done'), 'step_status', /"done" cannot be retried: it is succeeded/, []],
  ['retry of what runs', (run) => run.retry('running'), 'step_status', /it is running/, ['skip']],
  ['retry of what waits', (run) => run.retry('waiting'), 'step_status', /it is waiting/, ['skip']],
  ['retry of what was skipped because of another', (run) => run.retry('behind'), 'step_status', /because of step "bad": retry that one/, []],
  ['retry of what has an unmet condition', (run) => run.retry('unmet'), 'step_status', /its condition does not hold/, []],
  ['retry of nobody', (run) => run.retry('nobody'), 'step_unknown', /There is no step "nobody"/, []],
  ['skip of what succeeded', (run) => run.skip('done'), 'step_status', /"done" cannot be skipped: it is succeeded/, []],
  ['skip of what was skipped', (run) => run.skip('bad'), 'step_status', /it is skipped/, ['retry']],
  ['skip of nobody', (run) => run.skip('nobody'), 'step_unknown', /no step "nobody"/, []],
  ['answer to what a tool does', (run) => run.answer('running', 1), 'step_status', /waits for no person/, ['skip']],
  ['answer to what waits', (run) => run.answer('waiting', 1), 'step_status', /it is waiting/, ['skip']],
  ['answer to what failed', (run) => run.answer('failed', 1), 'step_status', /it is failed/, ['retry', 'skip']],
  ['answer to what succeeded', (run) => run.answer('done', 1), 'step_status', /it is succeeded/, []],
  ['approval of a plan that needs none', (run) => run.approve(), 'nothing_to_approve', /Neither the plan nor an amendment/, ['edit', 'pause', 'resume', 'report', 'extend', 'cancel']],
  ['rejection of a plan that needs no approval', (run) => run.reject('no'), 'nothing_to_approve', /Neither the plan nor/, undefined],
  ['approval of a step that needs none', (run) => run.approve({ stepId: 'waiting' }), 'nothing_to_approve', /"waiting" needs no approval/, ['skip']],
  ['rejection of a step that needs no approval', (run) => run.reject('no', { stepId: 'waiting' }), 'nothing_to_approve', /"waiting" needs no approval/, ['skip']],
  ['rejection of nobody', (run) => run.reject('no', { stepId: 'nobody' }), 'step_unknown', /no step "nobody"/, []],
] // prettier-ignore

describe('a command that does not fit', () => {
  it.each(cases)('%s', async (_what, command, reason, words, possible) => {
    const { runtime, run } = await midway()
    const before = seen(run)
    const refusal = refusalOf(() => {
      command(run)
    })
    expect(refusal).toMatchObject({ name: 'CommandRefusedError', code: 'COMMAND_REFUSED', reason })
    expect(refusal.message).toMatch(words)
    if (possible) expect(refusal.possible).toEqual(possible)
    expect(refusal.where.runId).toBe(run.id)
    expect(seen(run)).toEqual(before)
    await runtime.close()
  })

  it('says what is possible for a step in each state, and that is so', async () => {
    const names = ['approve', 'reject', 'retry', 'skip', 'answer'] as const
    const say = (run: Run, name: (typeof names)[number], stepId: string): void => {
      if (name === 'approve') run.approve({ stepId })
      else if (name === 'reject') run.reject('no', { stepId })
      else if (name === 'answer') run.answer(stepId, {})
      else run[name](stepId)
    }
    const taken: Record<string, string[]> = {}
    for (const { id } of plan.steps) {
      for (const name of names) {
        const { runtime, run } = await midway()
        try {
          say(run, name, id)
          ;(taken[id] ??= []).push(name)
        } catch (error) {
          expect(error).toMatchObject({ code: 'COMMAND_REFUSED' })
        }
        await runtime.close()
      }
    }
    expect(taken).toEqual({
      running: ['skip'],
      waiting: ['skip'],
      asks: ['skip', 'answer'],
      held: ['approve', 'reject', 'skip'],
      bad: ['retry'],
      failed: ['retry', 'skip'],
    })
  })

  it('is an edit without operations', async () => {
    const { runtime, run } = await midway()
    const before = seen(run)
    expect(() => run.edit([])).toThrow(expect.objectContaining({ code: 'PATCH_REFUSED' }))
    expect(seen(run)).toEqual(before)
    await runtime.close()
  })

  it('is an edit before there is a plan', async () => {
    const clock = new VirtualClock()
    const planner = { name: 'slow', plan: () => clock.wait(100).then(() => ({ steps: [] })) }
    await using runtime = createRuntime({ tools: [echo], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(10)
    const refusal = refusalOf(() => run.edit([{ op: 'insert', step: { id: 'a', tool: 'echo' } }]))
    expect(refusal).toMatchObject({ code: 'COMMAND_REFUSED', reason: 'plan_not_there' })
    expect(refusalOf(() => run.approve())).toMatchObject({ reason: 'nothing_to_approve' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
  })

  it('is any but cancel while the run is being stopped, and the verdict stands', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [hang], clock, limits: { graceMs: 100 } })
    const run = runtime.start(planOf([{ id: 'a', tool: 'hang' }]))
    await clock.runUntil(10)
    run.cancel('enough')
    expect(run.state).toBe('stopping')
    const before = seen(run)
    const commands: (() => void)[] = [
      () => run.approve(),
      () => run.approve({ stepId: 'a' }),
      () => run.reject('no'),
      () => run.edit([{ op: 'abandon', id: 'a', because: 'no' }]),
      () => run.pause(),
      () => run.resume(),
      () => run.retry('a'),
      () => run.skip('a'),
      () => run.answer('a', 1),
      () => run.report('x', 1),
      () => run.extend({ timeMs: 5 }),
    ]
    for (const command of commands) {
      const refusal = refusalOf(command)
      expect(refusal).toMatchObject({ code: 'COMMAND_REFUSED', reason: 'run_stopping', possible: ['cancel'] })
      expect(refusal.message).toContain('enough')
    }
    expect(seen(run)).toEqual(before)
    run.cancel('really')
    expect(await clock.until(run.result)).toMatchObject({
      reason: 'cancelled',
      message: expect.stringContaining('enough'),
    })
  })
})

describe('a command that asks for what is so already', () => {
  it('is harmless: pause twice, resume twice, and never takes the refusal of another for its own', async () => {
    const { clock, runtime, run } = await midway()
    expect(() => run.retry('done')).toThrow()
    run.resume()
    run.pause()
    run.pause()
    expect(run.state).toBe('paused')
    run.resume()
    run.resume()
    expect(run.state).toBe('replanning')
    run.cancel()
    run.cancel()
    expect(await clock.until(run.result)).toMatchObject({ status: 'cancelled' })
    await runtime.close()
  })
})

describe('a command that comes too late to be refused at the door', () => {
  it('is an event that says why it was refused, and changes nothing', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(
      planOf([
        { id: 'ask', instruction: 'Well?' },
        { id: 'on', tool: 'wait', input: { ms: 100 } },
      ]),
    )
    const told: Transition[] = []
    // Both are said while an event is being told, so that neither knows of the other.
    const watching = run.transitions().subscribe((transition) => {
      told.push(transition)
      if (transition.event.type !== 'fact.reported') return
      run.answer('ask', 'first')
      run.answer('ask', 'second')
    })
    await clock.runUntil(10)
    run.report('go', 1)
    const [first, second] = told.filter(({ event }) => event.type === 'step.answered')
    expect(first?.refused).toBeUndefined()
    expect(second).toMatchObject({ refused: 'Step "ask" cannot be answered: it is succeeded.', steps: [], facts: [] })
    expect(run.output('ask')).toBe('first')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    watching.unsubscribe()
  })
})

describe('a step about which a person decides while the planner is asked about it', () => {
  it('leaves the question without object: it is withdrawn, and the run goes on at once', async () => {
    const clock = new VirtualClock()
    let signal: AbortSignal | undefined
    const planner = createFixedPlanner(planOf([{ id: 'bad', tool: 'fail' }, { id: 'on', tool: 'echo', after: ['bad'], onSkipped: 'run' }]), {
      replan: (_request, context) => {
        signal = context.signal
        return new Promise(() => undefined)
      },
    }) // prettier-ignore
    await using runtime = createRuntime({ tools: [fail, echo], planner, clock })
    const run = runtime.start('goal')
    await clock.runUntil(10)
    run.skip('bad')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'partial', usage: { timeMs: 10 } })
    expect(signal?.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })
})

describe('a plan that must be whole first', () => {
  it.each([{ dispatch: 'whole' }, { approval: 'required' }] as const)('with %o runs nothing before, whatever else happens', async (options) => {
    const clock = new VirtualClock()
    let rounds = 0
    const planner = {
      name: 'streamer',
      async *plan() {
        rounds += 1
        yield { id: 'a', tool: 'count' }
        await clock.wait(rounds === 1 ? 1e9 : 10)
        return {}
      },
    }
    let count = 0
    const tool = defineTool({
      name: 'count',
      description: 'Counts.',
      input: z.object({}),
      output: z.number(),
      run: () => ++count,
    })
    await using runtime = createRuntime({ tools: [tool], planner, clock, limits: { plannerMs: 100 }, ...options })
    const run = runtime.start('goal')
    await clock.runUntil(50)
    run.report('x', 1)
    await clock.runUntil(105) // the planner was too slow, and is asked again
    expect(run.step('a')?.status).toBe('ready')
    expect(count).toBe(0)
    await clock.runUntil(150)
    if (run.state === 'approving') run.approve()
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(count).toBe(1)
  }) // prettier-ignore
})
