// What docs/plan-format.md says happens when a plan runs, statement by statement.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  type Executor,
  type Outcome,
  type PlanDraft,
  type Planner,
  type ReplanAnswer,
  type Run,
  type Trouble,
} from '../../src/index.ts'
import type { Goal, Step } from '../../src/plan/index.ts'
import { from, planOf, type PlanParts } from '../support/plans.ts'
import { collectTransitions, factsOf, statusesOf } from '../support/runs.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

interface Played {
  readonly run: Run
  readonly outcome: Outcome
  readonly clock: VirtualClock
  /** When each attempt began, by step. */
  readonly starts: readonly (readonly [string, number])[]
  readonly asked: readonly Trouble[]
}

interface Means extends PlanParts {
  readonly replan?: (troubles: readonly Trouble[]) => ReplanAnswer
  readonly concurrency?: number
  readonly during?: (run: Run, clock: VirtualClock) => Promise<void>
  /** The plans of sub-goals. */
  readonly subPlan?: PlanDraft
}

/** Carries out a plan to its end, on a clock of its own. */
async function play(steps: readonly Step[], means: Means = {}): Promise<Played> {
  const { replan = () => ({ keep: 'as it is' }), concurrency = 64, during, subPlan } = means
  const clock = new VirtualClock()
  const asked: Trouble[] = []
  const fixed = createFixedPlanner(planOf(steps), {
    replan: ({ troubles }) => {
      asked.push(...troubles)
      return replan(troubles)
    },
  })
  const planner: Planner = subPlan === undefined ? fixed : { ...fixed, plan: () => subPlan }
  const flaky = defineTool({
    name: 'flaky',
    description: 'Fails, and says that trying again may help.',
    input: z.looseObject({}),
    output: z.object({}),
    retry: { attempts: 4, backoffMs: 1, factor: 1, maxBackoffMs: 1, jitter: 0 },
    timeoutMs: 500,
    run: () => Promise.reject(new Error('not now')),
  })
  const give = defineTool({
    name: 'give',
    description: 'Gives what it takes.',
    input: z.object({ level: z.number() }),
    output: z.object({ level: z.number() }),
    gives: { level: '/level' },
    run: (input) => input,
  })
  const judge: Executor = { role: 'judge', execute: ({ instruction = '' }) => Promise.resolve({ output: `judged: ${instruction}` }) }
  await using runtime = createRuntime({
    tools: [echo, fail, flaky, give, waitTool(clock)],
    executors: [judge],
    planner,
    clock,
    limits: { concurrency },
  })
  const run = runtime.start(planOf(steps, means))
  const { seen } = collectTransitions(run)
  await during?.(run, clock)
  const outcome = await clock.until(run.result)
  const starts = seen.flatMap(({ at, steps: changed }) =>
    changed.flatMap(({ id, status }): (readonly [string, number])[] => (status === 'running' ? [[id, at]] : [])),
  )
  return { run, outcome, clock, starts, asked }
} // prettier-ignore

const wait = (id: string, ms: number, more: Partial<Step> = {}): Step => ({ id, tool: 'wait', input: { ms }, ...more })
const say = (id: string, input: Step['input'] = {}, more: Partial<Step> = {}): Step => ({
  id,
  tool: 'echo',
  input,
  ...more,
})
const bad = (id: string, more: Partial<Step> = {}): Step => ({ id, tool: 'fail', ...more })

describe('the plan', () => {
  it('a step runs when all that it depends on is done, at once with every other step that can', async () => {
    const { starts } = await play([wait('a', 10), wait('b', 20), wait('c', 5, { after: ['a'] })])
    expect(starts).toEqual([['a', 0], ['b', 0], ['c', 10]]) // prettier-ignore
  })

  it('the order decides who goes first when there is not room for all', async () => {
    const { starts } = await play([wait('z', 10), wait('a', 10), wait('m', 10)], { concurrency: 1 })
    expect(starts).toEqual([['z', 0], ['a', 10], ['m', 20]]) // prettier-ignore
  })
})

describe('the goal', () => {
  it.each<[Goal['partial'], Partial<Outcome>]>([
    ['allow', { status: 'completed', reason: 'partial' }],
    ['forbid', { status: 'failed', reason: 'step_failed' }],
    [undefined, { status: 'failed', reason: 'step_failed' }],
  ])('partial %s: what a result without a branch is worth', async (partial, end) => {
    const { outcome } = await play([bad('a'), say('b')], { goal: partial ? { partial } : {} })
    expect(outcome).toMatchObject(end)
  })

  it('facts hold at the start', async () => {
    const { run } = await play([], { goal: { facts: { level: 1 } } })
    expect(run.fact('level')).toMatchObject({ value: 1, by: 'goal' })
  })
})

describe('a step', () => {
  it('has an input of {} if none is given, and no title but its id', async () => {
    const { run } = await play([{ id: 'a', tool: 'echo' }])
    expect(run.output('a')).toEqual({})
    const { run: asking } = await play([{ id: 'a', instruction: 'Well?' }], {
      during: async (waiting, clock) => {
        await clock.advance(1)
        expect(waiting.questions).toEqual([{ stepId: 'a', kind: 'answer', text: 'Well?', input: {} }])
        waiting.answer('a', 1)
      },
    })
    expect(asking.output('a')).toBe(1)
  })

  it('with a goal is carried out by a plan of its own', async () => {
    const { run, outcome } = await play([{ id: 'sub', goal: { text: 'below' } }], { subPlan: { steps: [say('x', { n: 1 })] } })
    expect(outcome).toMatchObject({ reason: 'done' })
    expect(run.output('sub')).toEqual({ x: { n: 1 } })
  }) // prettier-ignore

  it('is carried out by the role that it names', async () => {
    const { run } = await play([{ id: 'a', instruction: 'is it good?', executor: 'judge' }])
    expect(run.output('a')).toBe('judged: is it good?')
  })

  it('after: is finished first, and nothing of its output is used', async () => {
    const { starts } = await play([wait('a', 7), say('b', {}, { after: ['a'] })])
    expect(starts).toEqual([['a', 0], ['b', 7]]) // prettier-ignore
  })

  it.each([[3, 'succeeded'], [4, 'skipped']] as const)('when: of a value of 3, with the schema {const: %i}, it is %s', async (value, status) => {
    const { run, outcome } = await play([say('a', { n: 3 }), say('b', {}, { when: { value: from('a', '/n'), is: { const: value } } }), say('c', {}, { after: ['b'] })])
    expect(statusesOf(run)).toEqual({ a: 'succeeded', b: status, c: status })
    expect(outcome).toMatchObject({ reason: 'done' }) // nothing was lost: the plan says so itself
  }) // prettier-ignore

  it('expect: what does not satisfy it is a surprise, and the planner is asked', async () => {
    const expecting = say('a', { n: 1 }, { expect: { properties: { n: { const: 2 } } } })
    const { run, asked, outcome } = await play([expecting])
    expect(asked).toMatchObject([{ type: 'surprised', stepId: 'a', output: { n: 1 }, failure: { path: '/n' } }])
    expect([run.step('a')?.status, outcome.reason]).toEqual(['succeeded', 'done']) // the planner kept it
    const patched = await play([expecting], { replan: () => ({ patch: [{ op: 'replace', id: 'a', step: say('a', { n: 3 }) }] }) })
    expect(patched.run.output('a')).toEqual({ n: 3 })
  }) // prettier-ignore

  it.each<[string, Step['retry'], readonly number[]]>([
    ['attempts in all, with growing waits up to the longest', { attempts: 5, backoffMs: 100, factor: 3, maxBackoffMs: 500, jitter: 0 }, [0, 100, 400, 900, 1400]],
    ['the retry of its tool where it names none', undefined, [0, 1, 2, 3]],
    ['waits of 200 and twice as long each, if they are not given', { attempts: 3, jitter: 0 } as never, [0, 200, 600]],
    ['one attempt', { attempts: 1 } as never, [0]],
  ])('retry: %s', async (_what, retry, times) => {
    const { starts, asked } = await play([{ id: 'a', tool: 'flaky', ...(retry && { retry }) }])
    expect(starts).toEqual(times.map((at) => ['a', at]))
    expect(asked).toMatchObject([{ type: 'failed', stepId: 'a', attempts: times.length }])
  }) // prettier-ignore

  it('retry: jitter is the share that is random: 0.2 of each wait', async () => {
    const { starts } = await play([{ id: 'a', tool: 'flaky', retry: { attempts: 2, backoffMs: 1000 } as never }])
    const waited = starts[1]?.[1] ?? 0
    expect(waited).toBeGreaterThanOrEqual(800)
    expect(waited).toBeLessThanOrEqual(1200)
  })

  it('without a retry, of its own or its tool, has one attempt', async () => {
    const { starts } = await play([wait('a', 100, { timeoutMs: 10 })])
    expect(starts).toEqual([['a', 0]])
  })

  it.each<[string, Partial<Step>, number]>([
    ['its own', { timeoutMs: 10 }, 10],
    ['none, if neither it nor its tool has one', {}, 1000],
  ])('timeoutMs: one attempt takes no longer than %s', async (_what, more, ms) => {
    const { outcome } = await play([wait('a', 1000, { ...more, onFailure: 'fail' })])
    expect(outcome.usage.timeMs).toBe(ms)
    if (ms === 10) expect(outcome).toMatchObject({ stepId: 'a', failure: { code: 'STEP_TIMEOUT' } })
  })

  it.each<[Step['onFailure'], number, Partial<Outcome>, Record<string, string>]>([
    [undefined, 1, { status: 'failed', reason: 'step_failed' }, { a: 'failed', b: 'skipped', c: 'succeeded' }],
    ['replan', 1, { status: 'failed', reason: 'step_failed' }, { a: 'failed', b: 'skipped', c: 'succeeded' }],
    ['skip', 0, { status: 'completed', reason: 'partial' }, { a: 'skipped', b: 'skipped', c: 'succeeded' }],
    ['fail', 0, { status: 'failed', reason: 'step_failed' }, { a: 'failed', b: 'cancelled', c: 'cancelled' }],
  ])('onFailure %s: what a final failure means', async (onFailure, times, end, statuses) => {
    const { run, outcome, asked } = await play([bad('a', onFailure ? { onFailure } : {}), say('b', {}, { after: ['a'] }), wait('c', 5)])
    expect(asked).toHaveLength(times)
    expect(outcome).toMatchObject(end)
    expect(statusesOf(run)).toEqual(statuses)
  }) // prettier-ignore

  it.each<[string, Step]>([
    ['skipped', bad('a', { onFailure: 'skip' })],
    ['failed', bad('a')],
  ])('onSkipped: run, with null in its place, when a dependency was %s', async (_what, first) => {
    const { run } = await play([first, say('b', { x: from('a') }, { onSkipped: 'run' }), say('c', { x: from('a') })])
    expect(run.output('b')).toEqual({ x: null })
    expect(run.step('c')?.status).toBe('skipped')
  }) // prettier-ignore

  it('onSkipped: run, when a dependency was abandoned', async () => {
    const { run } = await play([wait('a', 1000), say('b', { x: from('a') }, { onSkipped: 'run' })], {
      during: async (running, clock) => {
        await clock.advance(5)
        running.edit([{ op: 'abandon', id: 'a', because: 'too slow' }])
      },
    })
    expect(statusesOf(run)).toEqual({ a: 'abandoned', b: 'succeeded' })
    expect(run.output('b')).toEqual({ x: null })
  })

  it('approval: required: somebody must approve it before it runs, and nobody else waits', async () => {
    const { run, starts } = await play([say('a', {}, { approval: 'required' }), say('b')], {
      during: async (waiting, clock) => {
        await clock.runUntil(50)
        expect(statusesOf(waiting)).toEqual({ a: 'held', b: 'succeeded' })
        waiting.approve({ stepId: 'a' })
      },
    })
    expect(starts).toEqual([['b', 0], ['a', 50]]) // prettier-ignore
    expect(run.step('a')?.status).toBe('succeeded')
  })
})

describe('references', () => {
  it('stand for values anywhere inside the input; without a path, for the whole output', async () => {
    const { run } = await play([say('a', { rows: [{ n: 5 }] }), say('b', { deep: [{ n: from('a', '/rows/0/n') }], all: { $from: 'a' } as never })])
    expect(run.output('b')).toEqual({ deep: [{ n: 5 }], all: { rows: [{ n: 5 }] } })
  }) // prettier-ignore

  it('are dependencies', async () => {
    const { starts } = await play([wait('a', 9), say('b', { x: from('a', '/endedAt') })])
    expect(starts).toEqual([['a', 0], ['b', 9]]) // prettier-ignore
  })

  it('are never searched for in text', async () => {
    const { run } = await play([say('a', { text: '${list} {{list}}' })])
    expect(run.output('a')).toEqual({ text: '${list} {{list}}' })
  })
})

describe('forEach', () => {
  const list = say('list', { of: [{ n: 1 }, { n: 2 }, { n: 3 }] })

  it('is expanded, as a recorded revision: a child per item right before it, and it gathers their outputs in order', async () => {
    const { run } = await play([list, say('read', { n: { $item: '/n' } as never }, { forEach: from('list', '/of'), timeoutMs: 9 }), say('all', { it: from('read'), one: from('read', '/2/n') })])
    expect(run.plan?.steps.map(({ id }) => id)).toEqual(['list', 'read[0]', 'read[1]', 'read[2]', 'read', 'all'])
    expect(run.plan).toMatchObject({ revision: 2, because: { type: 'expanded', steps: ['read'] } })
    expect(run.plan?.steps[1]).toMatchObject({ item: '0', timeoutMs: 9, input: { n: from('list', '/of/0/n') } })
    expect(run.plan?.steps[4]).toMatchObject({ expanded: 3 })
    expect(run.output('all')).toEqual({ it: [{ n: 1 }, { n: 2 }, { n: 3 }], one: 3 })
  }) // prettier-ignore

  it('gathers null for children that were skipped', async () => {
    const when = { value: { $item: '/n' }, is: { not: { const: 2 } } }
    const { run } = await play([list, say('read', { n: { $item: '/n' } as never }, { forEach: from('list', '/of'), when })])
    expect(run.output('read')).toEqual([{ n: 1 }, null, { n: 3 }])
  }) // prettier-ignore

  it('over another one as a whole: each child waits for its own item, and for no other', async () => {
    const { starts } = await play([
      say('list', { of: [{ ms: 30 }, { ms: 10 }] }),
      { id: 'a', tool: 'wait', forEach: from('list', '/of'), input: { ms: { $item: '/ms' } as never } },
      { id: 'b', tool: 'echo', forEach: { $from: 'a' } as never, input: { x: { $item: '/endedAt' } as never } },
    ])
    expect(starts.filter(([id]) => id.startsWith('b['))).toEqual([['b[1]', 10], ['b[0]', 30]]) // prettier-ignore
  })

  it('over nothing is done at once, with an empty array', async () => {
    const { run } = await play([say('list', { of: [] }), say('read', {}, { forEach: from('list', '/of') })])
    expect(run.output('read')).toEqual([])
  })
})

describe('assumptions', () => {
  const low = { id: 'low', statement: 'the level is low', fact: 'level', is: { maximum: 5 }, steps: ['rests'] }
  const steps: Step[] = [
    { id: 'first', tool: 'give', input: { level: 3 } },
    { id: 'second', tool: 'give', input: { level: 9 }, after: ['first'] },
    say('rests', {}, { after: ['second'] }),
    say('other', {}, { after: ['second'] }),
  ]

  it('are checked whenever the fact changes: the steps that rest on them are held, and the planner is asked', async () => {
    let atTheTime: Record<string, string> = {}
    const { run, asked, outcome } = await play(steps, {
      assumptions: [low],
      during: async (running, clock) => {
        const watching = running.transitions().subscribe(({ state, event }) => {
          if (state === 'replanning' && event.type === 'step.succeeded') queueMicrotask(() => (atTheTime = { ...atTheTime, ...statusesOf(running) }))
        })
        await clock.advance(0)
        watching.unsubscribe()
      },
    })
    expect(asked).toMatchObject([{ type: 'assumption_broken', stepId: 'second', assumption: { id: 'low' } }])
    expect(atTheTime).toMatchObject({ rests: 'held' })
    expect(statusesOf(run)).toMatchObject({ rests: 'succeeded', other: 'succeeded' }) // the planner let it stand
    expect(outcome).toMatchObject({ reason: 'done' })
    expect(factsOf(run)).toEqual({ level: 9 })
  }) // prettier-ignore

  it('that hold trouble nobody', async () => {
    const { asked } = await play(steps, { assumptions: [{ ...low, is: { maximum: 10 } }] })
    expect(asked).toEqual([])
  })
})
