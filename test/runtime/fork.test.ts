// Forks: a new run from a moment of another one, with something changed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  exportJournal,
  importJournal,
  memoryJournal,
  replayJournal,
  type Journal,
  type Replay,
  type Run,
  type RunSummary,
  type RuntimeOptions,
  type Tool,
} from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { plans } from '../arbitraries/plans.ts'
import { eventsOf } from '../support/lostProcess.ts'
import { from, planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { echo } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'
import { createProgressBook } from '../../src/cli/progress/progressBook.ts'

/** Adds one, gives a fact, and notes who called it. */
function adder(calls: string[] = []): Tool {
  return defineTool({
    name: 'add',
    description: 'Adds one.',
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
    gives: { latest: '/n' },
    run: ({ n }, { idempotencyKey }) => {
      calls.push(idempotencyKey)
      return { n: n + 1 }
    },
  })
}

const chain: readonly Step[] = [
  { id: 'a', tool: 'add', input: { n: 0 } },
  { id: 'b', tool: 'add', input: { n: from('a', '/n') } },
  { id: 'c', tool: 'add', input: { n: from('b', '/n') } },
]

/** A finished run "parent", its journal, and its runtime. */
async function parentOf(steps: readonly Step[], options: RuntimeOptions = {}) {
  const calls: string[] = []
  const journal = memoryJournal()
  const runtime = createRuntime({ tools: [adder(calls), echo], journal, ...options })
  const run = runtime.start(planOf(steps), { runId: 'parent' })
  await run.result
  return { runtime, run, journal, calls }
}

/** Number of the event that tells of a step's end. */
function endOf(journal: Journal, stepId: string): number {
  return eventsOf(journal, 'parent').findIndex((event) => 'stepId' in event && event.stepId === stepId)
}

const whole = (run: Run | Replay) => ({
  statuses: [...run.ledger()].map(({ id, status }) => [id, status]),
  outputs: [...run.ledger()].map(({ id }) => run.output(id)),
  facts: [...run.facts()].map(({ key, value }) => [key, value]),
  reason: run.outcome?.reason,
})

describe('a fork', () => {
  it('keeps what had succeeded, carries out the rest in its own name, and says where it comes from', async () => {
    const { runtime, run, journal, calls } = await parentOf(chain)
    const at = endOf(journal, 'a')
    const fork = await runtime.fork('parent', at, { runId: 'child', by: 'me' })
    await fork.result
    expect(calls).toEqual(['parent/a', 'parent/b', 'parent/c', 'child/b', 'child/c'])
    expect(whole(fork)).toEqual(whole(run))
    expect(fork.forkedFrom).toMatchObject({ runId: 'parent', seq: at })
    const summary = [...(journal.runs() as Iterable<object>)][0]
    expect(summary).toMatchObject({ runId: 'child', forkedFrom: { runId: 'parent', seq: at } })
    expect(run.forkedFrom).toBeUndefined()
    await runtime.close()
  })

  it('has a record that is whole by itself', async () => {
    const { runtime, journal } = await parentOf(chain)
    const fork = await runtime.fork('parent', endOf(journal, 'b'), { runId: 'child', facts: { other: 7 } })
    await fork.result
    let text = ''
    for await (const line of exportJournal(journal.read('child'))) text += line
    const alone = replayJournal(importJournal(text))
    expect(whole(alone)).toEqual(whole(fork))
    expect(alone.fact('other')?.value).toBe(7)
    await runtime.close()
  })

  it('comes to the same end as its parent at every moment, where nothing is changed', { timeout: 60_000 }, async () => {
    const tools = ['noop', 'rest', 'think'].map((name) =>
      defineTool({
        name,
        description: 'Says what it was given.',
        input: z.record(z.string(), z.unknown()),
        output: z.record(z.string(), z.unknown()),
        run: (input) => ({ ...input, items: [1, 2], by: name }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(plans(), fc.nat(), async (plan, any) => {
        const journal = memoryJournal()
        await using runtime = createRuntime({ tools, journal, ask: () => Promise.resolve({ items: [1] }) })
        const run = runtime.start(plan, { runId: 'parent' })
        await run.result
        const events = eventsOf(journal, 'parent')
        const at = any % events.length
        const isFailed = run.outcome?.status === 'failed'
        if (run.at(at).outcome !== undefined) return // nothing comes after the end
        const fork = await runtime.fork('parent', at).catch((error: unknown) => {
          if (!isFailed) throw error
          expect(error).toMatchObject({ code: 'FORK_REFUSED' }) // nor after what has failed it
        })
        if (fork === undefined) return
        await fork.result
        // What else was out when a run failed is a matter of time.
        if (isFailed) expect(fork.outcome?.status).toBe('failed')
        else expect(whole(fork)).toEqual(whole(run))
      }),
      { numRuns: 60 },
    )
  })

  it('has another outcome for the step whose end it is forked at', async () => {
    const { runtime, journal } = await parentOf(chain)
    const fork = await runtime.fork('parent', endOf(journal, 'a'), { outcomes: { a: { output: { n: 100 } } } })
    await fork.result
    expect([fork.output('a'), fork.output('c'), fork.fact('latest')?.value]).toEqual([{ n: 100 }, { n: 102 }, 102])
    const failed = await runtime.fork('parent', endOf(journal, 'a'), {
      outcomes: { a: { failure: 'the disk is gone' } },
    })
    await failed.result
    expect(failed.step('a')).toMatchObject({
      status: 'failed',
      failure: { code: 'FORKED', message: 'the disk is gone' },
    })
    expect(failed.step('b')?.status).not.toBe('succeeded')
    await runtime.close()
  })

  it('has other facts: reported ones, and without those that are withdrawn', async () => {
    const { runtime, journal } = await parentOf(chain)
    const at = endOf(journal, 'a')
    const fork = await runtime.fork('parent', at, { facts: { weather: 'fine' }, withdrawn: ['latest'], by: 'me' })
    expect(fork.at(at + 1).fact('latest')).toBeUndefined()
    await fork.result
    expect(fork.fact('weather')).toMatchObject({ value: 'fine', by: 'report:me' })
    await runtime.close()
  })

  it('has another plan', async () => {
    const { runtime, journal, calls } = await parentOf(chain)
    const d: Step = { id: 'd', tool: 'add', input: { n: from('b', '/n') } }
    const fork = await runtime.fork('parent', endOf(journal, 'a'), {
      runId: 'child',
      operations: [
        { op: 'insert', step: d },
        { op: 'remove', id: 'c' },
      ] as never,
    })
    await fork.result
    expect(calls.slice(3)).toEqual(['child/b', 'child/d'])
    expect(fork.plan?.steps.map(({ id }) => id)).toEqual(['a', 'b', 'd'])
    await runtime.close()
  })

  it('asks another planner', async () => {
    const broken: Step = { id: 'x', tool: 'echo', input: { n: 1 }, expect: { type: 'string' } }
    const { runtime, run, journal } = await parentOf([broken])
    expect(run.outcome?.status).not.toBe('completed')
    const asked = eventsOf(journal, 'parent').findIndex(({ type }) => type === 'plan.givenUp' || type === 'plan.failed')
    const fork = await runtime.fork('parent', asked - 1, {
      planner: {
        ...createFixedPlanner(planOf([])),
        name: 'lenient',
        replan: () => ({ keep: 'it will do' }),
      },
    })
    await fork.result
    expect(eventsOf(journal, fork.id).some(({ type }) => type === 'plan.kept')).toBe(true)
    await runtime.close()
  })

  it('takes its time limit, backoffs and deadlines along, without the time in between', async () => {
    const clock = new VirtualClock()
    const journal = memoryJournal()
    const runtime = createRuntime({ clock, journal, tools: [echo], ask: () => new Promise(() => undefined) })
    const run = runtime.start(planOf([{ id: 'ask', instruction: 'Well?', timeoutMs: 1_000 }]), {
      runId: 'parent',
      limits: { timeMs: 5_000 },
    })
    await clock.runUntil(400)
    run.report('k', 1)
    await clock.runUntil(60_000)
    expect(run.outcome).toBeDefined()
    const at = eventsOf(journal, 'parent').findIndex(({ type }) => type === 'fact.reported')
    const fork = await runtime.fork('parent', at)
    const forkedAt = clock.now()
    await clock.until(fork.result)
    const timedOut = eventsOf(journal, fork.id).find(({ type }) => type === 'step.timedOut')
    expect((timedOut?.at ?? 0) - forkedAt).toBe(600)
    expect(fork.outcome?.usage.timeMs).toBeLessThan(5_001)
    await clock.until(runtime.close())
  })

  it('tells one time, in progress, lists and outcome, and leaves its sub-runs what is left of it', async () => {
    const clock = new VirtualClock()
    const journal = memoryJournal()
    const runtime = createRuntime({ clock, journal, tools: [echo], ask: () => new Promise(() => undefined) })
    const steps = [
      { id: 'ask', instruction: 'Well?', timeoutMs: 1_000 },
      { id: 'below', goal: { text: 'nothing' }, onFailure: 'skip' as const },
    ]
    const run = runtime.start(planOf(steps), { runId: 'parent', limits: { timeMs: 5_000 } })
    await clock.runUntil(60_000)
    expect(run.outcome).toBeDefined()
    const at = eventsOf(journal, 'parent').findIndex(({ type }) => type === 'step.delegated') - 1
    const fork = await runtime.fork('parent', Math.max(0, at))
    const book = createProgressBook(fork)
    fork.transitions().subscribe((transition) => void book.take(transition))
    await clock.runUntil(60_300)
    fork.report('k', 1)
    await clock.runUntil(60_310)
    expect(book.elapsedMs(60_300)).toBe(300)
    expect([...(journal.runs() as Iterable<RunSummary>)].find(({ runId }) => runId === fork.id)?.used?.timeMs).toBe(300)
    const below = [...(journal.runs() as Iterable<RunSummary>)].find(({ parentRunId }) => parentRunId === fork.id)
    const [begun] = eventsOf(journal, below?.runId ?? '')
    expect(begun).toMatchObject({ settings: { limits: { timeMs: 5_000 } } })
    await clock.until(fork.result)
    expect(fork.outcome?.usage.timeMs).toBe(book.elapsedMs(clock.now()))
    await clock.until(runtime.close())
  })

  it('does not repeat what may have had its effect in the run that it comes from', async () => {
    const clock = new VirtualClock()
    const calls: string[] = []
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({}),
      output: z.object({}),
      effects: 'external',
      idempotent: false,
      run: async (_, { idempotencyKey, signal }) => {
        calls.push(idempotencyKey)
        await clock.wait(100, signal)
        return {}
      },
    })
    const journal = memoryJournal()
    const runtime = createRuntime({ clock, journal, tools: [pay], uncertain: 'ask' })
    const run = runtime.start(planOf([{ id: 'pay', tool: 'pay' }]), { runId: 'parent' })
    await clock.until(run.result)
    const fork = await runtime.fork('parent', 0)
    await clock.runUntil(clock.now() + 1_000)
    expect(calls).toEqual(['parent/pay'])
    expect(statusesOf(fork)).toEqual({ pay: 'uncertain' })
    await clock.until(runtime.close())
  })

  it.each<[string, number | ((end: number) => number), object, string, RegExp]>([
    ['there is no such event', 99, {}, 'EVENT_UNKNOWN', /its last one is \d/],
    ['the run was over', (end) => end + 2, {}, 'FORK_REFUSED', /was over after event/],
    ['a step had ended, and others have used it', (end) => end + 1, { outcomes: { a: { output: { n: 1 } } } }, 'FORK_REFUSED', /had ended with event \d+, and others may have used/],
    ['there is no such step', (end) => end, { outcomes: { z: { failure: 'x' } } }, 'FORK_REFUSED', /Step "z" was not running/],
    ['an output is not what the tool gives', (end) => end, { outcomes: { a: { output: 'five' } } }, 'ANSWER_INVALID', /does not fit/],
    ['a patch touches what is done', (end) => end + 1, { operations: [{ op: 'remove', id: 'a' }] }, 'PATCH_REFUSED', /has succeeded/],
    ['an option is none', (end) => end, { fact: {} }, 'OPTIONS_INVALID', /no option "fact"/],
  ])('is refused where %s, and leaves nothing behind', async (_, at, changes, code, words) => {
    const { runtime, journal } = await parentOf(chain)
    const n = typeof at === 'number' ? at : at(endOf(journal, 'a'))
    const refusal = expect(runtime.fork('parent', n, changes)).rejects
    await refusal.toMatchObject({ code, message: expect.stringMatching(words) as unknown })
    expect([...(journal.runs() as Iterable<object>)]).toHaveLength(1)
    await runtime.close()
  }) // prettier-ignore
})
