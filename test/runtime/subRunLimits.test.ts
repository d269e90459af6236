// What a sub-run takes over from the run that began it, and what it gives back.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  replayJournal,
  type Executor,
  type Planner,
  type Run,
} from '../../src/runtime/index.ts'
import type { Runtime } from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { memoryJournal, type JournalEvent } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { echo, hang, waitTool } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

/** Plans by the words of the goal. */
function plannerOf(plans: Readonly<Record<string, readonly Step[]>>, name = 'words'): Planner {
  return { name, plan: ({ goal }) => ({ steps: plans[goal.text] ?? [], usage: { tokens: 10, cost: 1 } }) }
}

/** Answers every goal with another goal. */
const endless: Planner = {
  name: 'endless',
  plan: ({ goal }) => ({ steps: [{ id: 'on', goal: { text: `${goal.text}+` }, onFailure: 'fail' }] }),
}

/** Uses tokens, and fails where it is told to. */
const spender: Executor = {
  role: 'spender',
  execute: ({ input }) => {
    const usage = { tokens: Number(input['tokens']) }
    if (input['fails'] === true)
      return Promise.resolve({ failure: { code: 'NO', message: 'it would not', retryable: false }, usage })
    return Promise.resolve({ output: null, usage })
  },
}

const spend = (tokens: number, more: Partial<Step> = {}): Step => ({
  id: 'spend',
  tool: 'echo',
  executor: 'spender',
  input: { tokens },
  ...more,
})

function childrenOf(runtime: Runtime, { id }: Run): readonly Run[] {
  return runtime.runs.filter(({ parent }) => parent?.runId === id)
}

async function eventsOf(journal: ReturnType<typeof memoryJournal>, runId: string): Promise<JournalEvent[]> {
  const events: JournalEvent[] = []
  for await (const event of journal.read(runId)) events.push(event)
  return events
}

async function startOf(journal: ReturnType<typeof memoryJournal>, runId: string) {
  const [first] = await eventsOf(journal, runId)
  if (first?.type !== 'run.started') throw new Error('no beginning')
  return first
}

describe('a sub-run takes over', () => {
  it('the planner of its run, and gives it to its own sub-runs', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const planner = plannerOf({
      top: [{ id: 'a', goal: { text: 'middle' } }],
      middle: [{ id: 'b', goal: { text: 'bottom' } }],
      bottom: [{ id: 'c', tool: 'echo', input: { x: 1 } }],
    })
    const run = runtime.start('top', { planner })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('a')).toEqual({ b: { c: { x: 1 } } })
  })

  it('the planner of the runtime, where its run only carries out a plan', async () => {
    await using runtime = createRuntime({ tools: [echo], planner: plannerOf({ sub: [{ id: 'c', tool: 'echo' }] }) })
    expect(await runtime.start(planOf([{ id: 'a', goal: { text: 'sub' } }])).result).toMatchObject({ reason: 'done' })
  })

  it('the approval of its run, and waits for it', async () => {
    await using runtime = createRuntime({ tools: [echo], planner: plannerOf({ sub: [{ id: 'c', tool: 'echo' }] }) })
    const run = runtime.start(planOf([{ id: 'a', goal: { text: 'sub' } }]), { approval: 'required' })
    await settlePromises()
    run.approve()
    await settlePromises()
    const [child] = childrenOf(runtime, run)
    expect(child?.state).toBe('approving')
    child?.approve()
    expect(await run.result).toMatchObject({ reason: 'done' })
  })

  it('its labels and limits, and is told who began it', async () => {
    const journal = memoryJournal()
    await using runtime = createRuntime({ tools: [echo], planner: plannerOf({ sub: [] }), journal })
    const run = runtime.start(planOf([{ id: 'a', goal: { text: 'sub' } }]), {
      labels: { customer: 'ann' },
      limits: { concurrency: 3, roles: { tool: 2 }, steps: 50, sameFailure: 9, plannerMs: 77, graceMs: 100 },
    })
    await run.result
    const [child] = childrenOf(runtime, run)
    expect(child?.parent).toEqual({ runId: run.id, stepId: 'a' })
    expect(run.parent).toBeUndefined()
    const { labels, parentRunId, parentStepId, settings } = await startOf(journal, child!.id)
    expect({ labels, parentRunId, parentStepId }).toEqual({
      labels: { customer: 'ann' },
      parentRunId: run.id,
      parentStepId: 'a',
    })
    expect(settings.limits).toMatchObject({
      concurrency: 3,
      roles: { tool: 2 },
      steps: 50,
      sameFailure: 9,
      plannerMs: 77,
      graceMs: 90,
    })
  })

  it('what is left of tokens, money, planner calls, replannings, time and depth', async () => {
    const clock = new VirtualClock()
    const journal = memoryJournal()
    const planner = plannerOf({
      top: [
        { id: 'wait', tool: 'wait', input: { ms: 30 } },
        { id: 'a', goal: { text: 'sub' }, after: ['wait'] },
      ],
      sub: [],
    })
    await using runtime = createRuntime({ tools: [waitTool(clock)], planner, clock, journal })
    const run = runtime.start('top', {
      limits: { tokens: 100, cost: 5, plannerCalls: 4, replans: 2, timeMs: 1_000, depth: 3 },
    })
    await clock.until(run.result)
    const { settings } = await startOf(journal, childrenOf(runtime, run)[0]!.id)
    const left = { tokens: 90, cost: 4, plannerCalls: 3, replans: 2, timeMs: 970, depth: 2 }
    expect(settings.limits).toMatchObject(left)
  })
})

describe('what a sub-run uses', () => {
  const plans = {
    top: [{ id: 'a', goal: { text: 'sub' } }],
    sub: [spend(25)],
  } satisfies Record<string, readonly Step[]>

  it('counts for the run that began it', async () => {
    await using runtime = createRuntime({ tools: [echo], executors: [spender], planner: plannerOf(plans) })
    const outcome = await runtime.start('top').result
    expect(outcome.usage).toMatchObject({ tokens: 10 + 10 + 25, cost: 2, plannerCalls: 2, replans: 0 })
  })

  it('counts also when it fails', async () => {
    await using runtime = createRuntime({
      tools: [echo],
      executors: [spender],
      planner: plannerOf({
        ...plans,
        top: [{ id: 'a', goal: { text: 'sub' }, onFailure: 'skip' }],
        sub: [spend(25, { input: { tokens: 25, fails: true }, onFailure: 'fail' })],
      }),
    })
    const outcome = await runtime.start('top').result
    expect(outcome).toMatchObject({ reason: 'partial', usage: { tokens: 45, plannerCalls: 2 } })
  })

  it('counts also when it is cancelled with its run', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({
      tools: [hang],
      clock,
      limits: { graceMs: 50 },
      planner: plannerOf({ ...plans, sub: [{ id: 'h', tool: 'hang' }] }),
    })
    const run = runtime.start('top')
    await clock.runUntil(5)
    run.cancel()
    expect((await clock.until(run.result)).usage).toMatchObject({ tokens: 20, plannerCalls: 2 })
  })

  it('is bounded by the budget of the whole: the sub-run stops, and its run with it', async () => {
    await using runtime = createRuntime({
      tools: [echo],
      executors: [spender],
      planner: plannerOf({ ...plans, sub: [spend(60), spend(60, { id: 'more', after: ['spend'] })] }),
      limits: { tokens: 100 },
    })
    const run = runtime.start('top')
    expect(await run.result).toMatchObject({ reason: 'budget_exhausted', usage: { tokens: 140 } })
    expect(childrenOf(runtime, run)[0]?.outcome).toMatchObject({ reason: 'budget_exhausted', usage: { tokens: 130 } })
  })

  it('may be less than nothing: without a planner call left it does not begin to plan', async () => {
    await using runtime = createRuntime({ tools: [echo], executors: [spender], planner: plannerOf(plans) })
    const run = runtime.start('top', { limits: { plannerCalls: 1 } })
    await run.result
    expect(childrenOf(runtime, run)[0]?.outcome).toMatchObject({
      reason: 'budget_exhausted',
      usage: { plannerCalls: 0 },
    })
  })

  it('of time ends with the time of its run', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({
      tools: [waitTool(clock)],
      clock,
      planner: plannerOf({ ...plans, sub: [{ id: 'w', tool: 'wait', input: { ms: 10_000 } }] }),
    })
    const run = runtime.start('top', { limits: { timeMs: 300 } })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'budget_exhausted', usage: { timeMs: 300 } })
    expect(childrenOf(runtime, run)[0]?.outcome).toMatchObject({ usage: { timeMs: 300 } })
  })
})

describe('a watcher follows sub-runs', () => {
  it('by the ledger of the run, its transitions, and its journal alone', async () => {
    const journal = memoryJournal()
    await using runtime = createRuntime({ tools: [echo], planner: plannerOf({ sub: [] }), journal })
    const run = runtime.start(planOf([{ id: 'a', goal: { text: 'sub' } }]))
    const seen: unknown[] = []
    run.transitions().subscribe(({ event, steps }) => {
      if (event.type === 'step.delegated') seen.push(steps)
    })
    await run.result
    const [child] = childrenOf(runtime, run)
    expect(child).toBeDefined()
    expect(run.step('a')?.subRunId).toBe(child?.id)
    expect(seen).toMatchObject([[{ id: 'a', status: 'running', subRunId: child?.id }]])
    const replay = replayJournal(await eventsOf(journal, run.id))
    expect([...replay.ledger()]).toMatchObject([{ id: 'a', subRunId: child?.id }])
  })

  it('attempt by attempt', async () => {
    const retry = { attempts: 2, backoffMs: 0, factor: 1, maxBackoffMs: 0, jitter: 0 }
    const clock = new VirtualClock()
    await using runtime = createRuntime({
      tools: [waitTool(clock)],
      clock,
      planner: plannerOf({ sub: [{ id: 'w', tool: 'wait', input: { ms: 10_000 } }] }),
    })
    const run = runtime.start(planOf([{ id: 'a', goal: { text: 'sub' }, timeoutMs: 100, retry, onFailure: 'skip' }]))
    await clock.runUntil(50)
    const first = run.step('a')?.subRunId
    await clock.runUntil(150)
    const second = run.step('a')?.subRunId
    expect(childrenOf(runtime, run).map(({ id }) => id)).toEqual([first, second])
    expect(first).not.toBe(second)
  })
})

describe('depth', () => {
  it('is 8 levels of sub-runs unless it is set, and the step that would go deeper says so', async () => {
    await using runtime = createRuntime({ planner: endless })
    const outcome = await runtime.start('go').result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'step_failed' })
    expect(runtime.runs).toHaveLength(1 + 8)
    const deepest = runtime.runs.at(-1)
    expect(deepest?.outcome?.failure).toMatchObject({ code: 'SUB_RUN_TOO_DEEP', retryable: false })
    expect(deepest?.outcome?.failure?.hint).toContain('limits.depth')
  })

  it('0 lets no sub-run begin', async () => {
    await using runtime = createRuntime({ planner: endless })
    const run = runtime.start('go', { limits: { depth: 0 } })
    expect(await run.result).toMatchObject({ failure: { code: 'SUB_RUN_TOO_DEEP' } })
    expect(runtime.runs).toHaveLength(1)
  })

  it.each(['cancel', 'close'] as const)('however great, is no trouble for a %s', async (how) => {
    const levels = 1_500
    const planner: Planner = {
      name: 'deep',
      plan: ({ goal }) => ({
        steps: [
          Number(goal.text) < levels
            ? { id: 'on', goal: { text: String(Number(goal.text) + 1) } }
            : { id: 'end', tool: 'signal' },
        ],
      }),
    }
    let reached = (): void => undefined
    let isStopped = false
    const atTheEnd = new Promise<void>((resolve) => {
      reached = resolve
    })
    const signal = defineTool({
      name: 'signal',
      description: 'Waits for its signal.',
      input: z.object({}),
      output: z.null(),
      run: (_, context) =>
        new Promise<null>((_resolve, reject) => {
          context.signal.addEventListener('abort', () => {
            isStopped = true
            reject(new Error('stopped'))
          })
          reached()
        }),
    })
    const runtime = createRuntime({
      tools: [signal],
      planner,
      limits: { depth: levels, plannerCalls: 2 * levels },
      keepRuns: levels + 1,
    })
    const run = runtime.start('0')
    await atTheEnd
    if (how === 'cancel') run.cancel()
    await runtime.close()
    expect(isStopped).toBe(true)
    expect(runtime.runs).toHaveLength(levels + 1)
    expect(new Set(runtime.runs.map(({ outcome }) => outcome?.status))).toEqual(new Set(['cancelled']))
  })
})
