// Going on with a run whose process has ended. What a dead process is here: a runtime that nobody listens to any more.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  memoryJournal,
  replayJournal,
  type Journal,
  type JournalEvent,
  type Planner,
  type RunChange,
  type RuntimeOptions,
  type Tool,
} from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { eventsOf, journalLeft } from '../support/lostProcess.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

/** Carries a run out until some time, then drops its process: what it had recorded is all that is left. */
async function recordedUntil(
  untilMs: number,
  options: (clock: VirtualClock) => RuntimeOptions,
  start: Parameters<ReturnType<typeof createRuntime>['start']>[0],
): Promise<Journal> {
  const clock = new VirtualClock()
  const lost = memoryJournal()
  const runtime = createRuntime({ ...options(clock), clock, journal: lost })
  runtime.start(start, { runId: 'run' })
  await clock.runUntil(untilMs)
  const journal = memoryJournal()
  const writer = journal.create('run')
  for (const event of lost.read('run') as Iterable<JournalEvent>) writer.append(event)
  void writer.close()
  await clock.until(runtime.close())
  return journal
}

interface Call {
  readonly stepId: string
  readonly attempt: number
  readonly key: string
}

/** Notes how it is called, and takes 100 ms. */
function noted(clock: VirtualClock, calls: Call[], more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool {
  return defineTool({
    description: 'Notes.',
    name: 'note',
    ...(more as object),
    input: z.object({}),
    output: z.object({ by: z.string() }),
    run: async (_, { stepId, attempt, idempotencyKey: key, signal }) => {
      calls.push({ stepId, attempt, key })
      await clock.wait(100, signal)
      return { by: stepId }
    },
  })
}

const chain = planOf([
  { id: 'a', tool: 'note' },
  { id: 'b', tool: 'note', after: ['a'] },
  { id: 'c', tool: 'note', after: ['b'] },
])

describe('a run that is gone on with', () => {
  it('runs nothing again that has succeeded, and sends out again what was out, with the same key', async () => {
    const [before, after]: [Call[], Call[]] = [[], []]
    const journal = await recordedUntil(150, (clock) => ({ tools: [noted(clock, before)] }), chain)
    const clock = new VirtualClock({ startAt: 10_000 })
    await using runtime = createRuntime({ tools: [noted(clock, after)], journal, clock })
    const run = await runtime.resume('run', { by: 'ann' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', counts: { succeeded: 3 } })
    expect(before.map(({ stepId }) => stepId)).toEqual(['a', 'b'])
    expect(after).toEqual([
      { stepId: 'b', attempt: 2, key: before[1]?.key },
      { stepId: 'c', attempt: 1, key: 'run/c' },
    ])
    const events = [...(journal.read('run') as Iterable<JournalEvent>)]
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index))
    expect(events).toContainEqual(expect.objectContaining({ type: 'run.recovered', by: 'ann' }))
    expect(replayJournal(events).outcome).toEqual(run.outcome)
  })

  it('has an uncertain step where the effect must not happen twice, and its planner is asked', async () => {
    const calls: Call[] = []
    const effects = { effects: 'external', idempotent: false } as const
    const journal = await recordedUntil(50, (clock) => ({ tools: [noted(clock, calls, effects)] }), chain)
    const clock = new VirtualClock()
    const planner = createFixedPlanner(chain, { replan: () => ({ keep: 'leave it' }) })
    await using runtime = createRuntime({ tools: [noted(clock, calls, effects)], journal, clock })
    const run = await runtime.resume('run', { planner })
    expect(await clock.until(run.result)).toMatchObject({ status: 'failed', failure: { code: 'PROCESS_ENDED' } })
    expect(statusesOf(run)).toMatchObject({ a: 'uncertain' })
    expect(calls).toHaveLength(1)
  })

  it('judges what was out by the tools that it was sent with, and sends it again only where those of now do no harm, too', async () => {
    const [mail, safe, read]: Partial<Parameters<typeof defineTool>[0]>[] = [
      { effects: 'external', idempotent: false },
      { effects: 'external', idempotent: true },
      { effects: 'read' },
    ]
    const cases = [
      { then: mail, now: undefined, sentAgain: false },
      { then: mail, now: safe, sentAgain: false },
      { then: mail, now: read, sentAgain: false },
      { then: safe, now: undefined, sentAgain: false },
      { then: safe, now: mail, sentAgain: false },
      { then: safe, now: safe, sentAgain: true },
      { then: safe, now: read, sentAgain: true },
      { then: read, now: mail, sentAgain: true },
    ]
    for (const { then, now, sentAgain } of cases) {
      const calls: Call[] = []
      const journal = await recordedUntil(50, (clock) => ({ tools: [noted(clock, calls, then)] }), chain)
      const clock = new VirtualClock()
      const planner = createFixedPlanner(chain, { replan: () => ({ keep: 'leave it' }) })
      const tools = now === undefined ? [] : [noted(clock, calls, now)]
      await using runtime = createRuntime({ tools, journal, clock })
      const run = await runtime.resume('run', { planner, changes: 'accept' })
      const outcome = await clock.until(run.result)
      const attempts = calls.filter(({ stepId }) => stepId === 'a').length
      expect({ then, now, attempts, status: statusesOf(run).a }).toEqual({
        then,
        now,
        attempts: sentAgain ? 2 : 1,
        status: sentAgain ? 'succeeded' : 'uncertain',
      })
      if (!sentAgain) expect(outcome).toMatchObject({ failure: { code: 'PROCESS_ENDED' } })
    }
  })

  it('asks the planner where the policy is to send it again, and there is no tool any more that could', async () => {
    const calls: Call[] = []
    const effects = { effects: 'external', idempotent: false } as const
    const journal = await recordedUntil(50, (clock) => ({ tools: [noted(clock, calls, effects)] }), chain)
    const clock = new VirtualClock()
    const troubles: string[] = []
    const planner = createFixedPlanner(chain, {
      replan: (request) => {
        troubles.push(...request.troubles.map(({ type }) => type))
        return { giveUp: 'nobody knows' }
      },
    })
    await using runtime = createRuntime({ tools: [], journal, clock })
    const run = await runtime.resume('run', { planner, changes: 'accept', uncertain: 'retry' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'gave_up' })
    expect(troubles).toEqual(['uncertain'])
  })

  it('is uncertain of what was out when it was being stopped, although the tool is gone since', async () => {
    const calls: Call[] = []
    const effects = { effects: 'external', idempotent: false } as const
    const journal = await recordedUntil(50, (clock) => ({ tools: [noted(clock, calls, effects)] }), chain)
    const clock = new VirtualClock()
    await journal.request?.('run', { type: 'run.cancel' })
    await using runtime = createRuntime({ tools: [], journal, clock })
    const run = await runtime.resume('run', { changes: 'accept' })
    expect(await clock.until(run.result)).toMatchObject({ status: 'cancelled' })
    expect(statusesOf(run)).toMatchObject({ a: 'uncertain' })
  })

  it('has what waits for its turn go, although its tool has other limits since', async () => {
    const calls: Call[] = []
    const free = planOf(['a', 'b', 'c'].map((id) => ({ id, tool: 'note' })))
    const one = (clock: VirtualClock): Tool => noted(clock, calls, { concurrency: 1 })
    const journal = await recordedUntil(50, (clock) => ({ tools: [one(clock)] }), free)
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [noted(clock, calls)], journal, clock })
    const run = await runtime.resume('run')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', counts: { succeeded: 3 } })
    expect(calls.map(({ stepId }) => stepId).sort()).toEqual(['a', 'a', 'b', 'c'])
  })

  it('keeps to the times of its backoffs and of its own limit', async () => {
    const plan = planOf([
      { id: 'a', tool: 'fail', retry: { attempts: 2, backoffMs: 1_000, factor: 1, maxBackoffMs: 1_000, jitter: 0 } },
    ])
    const flaky = defineTool({ ...failing, run: () => Promise.reject(new Error('broken')) })
    const journal = await recordedUntil(300, () => ({ tools: [flaky] }), plan)
    const clock = new VirtualClock({ startAt: 700 })
    const mended = defineTool({ ...failing, run: () => ({}) })
    await using runtime = createRuntime({ tools: [mended], journal, clock })
    const run = await runtime.resume('run')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 1_000 } })
  })

  it('asks people and the planner again', async () => {
    const plan = planOf([
      { id: 'ask', instruction: 'How many?' },
      { id: 'use', tool: 'echo', input: { n: from('ask') } },
    ])
    const journal = await recordedUntil(
      50,
      (clock) => ({
        tools: [echo],
        planner: { ...createFixedPlanner(plan), plan: () => clock.wait(100).then(() => plan) },
      }),
      'goal',
    )
    const clock = new VirtualClock()
    const asked: string[] = []
    const first = createRuntime({
      tools: [echo],
      planner: createFixedPlanner(plan),
      journal,
      clock,
      ask: ({ stepId }) => (asked.push(stepId), new Promise(() => undefined)),
    })
    const run = await first.resume('run')
    await clock.runUntil(10)
    expect(asked).toEqual(['ask'])
    run.answer('ask', 7)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(run.output('use')).toEqual({ n: 7 })
    await first.close()
  })

  it('goes on with the sub-runs that it had begun', async () => {
    const calls: Call[] = []
    const parts = [{ id: 'part', goal: { text: 'a part' } }]
    const planner: Planner = {
      name: 'by goal',
      plan: ({ goal }) => Promise.resolve({ steps: goal.text === 'a part' ? chain.steps : parts }),
    }
    const clockBefore = new VirtualClock()
    const lost = memoryJournal()
    const before = createRuntime({
      tools: [noted(clockBefore, calls)],
      planner,
      clock: clockBefore,
      journal: lost,
    })
    before.start('all of it', { runId: 'run' })
    await clockBefore.runUntil(150)
    const journal = memoryJournal()
    for (const { runId } of lost.runs() as Iterable<{ readonly runId: string }>) {
      const writer = journal.create(runId)
      for (const event of lost.read(runId) as Iterable<JournalEvent>) writer.append(event)
      void writer.close()
    }
    await clockBefore.until(before.close())
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [noted(clock, calls)], planner, clock, journal })
    const run = await runtime.resume('run')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(runtime.runs).toHaveLength(2)
    expect(calls.map(({ stepId }) => stepId)).toEqual(['a', 'b', 'b', 'c'])
  })

  it('that was being stopped ends as it was going to', async () => {
    const lost = memoryJournal()
    const clockBefore = new VirtualClock()
    const before = createRuntime({ tools: [waitTool(clockBefore)], clock: clockBefore, journal: lost })
    const run = before.start(planOf([{ id: 'a', tool: 'wait', input: { ms: 100 } }]), { runId: 'run' })
    await clockBefore.runUntil(10)
    run.cancel('enough')
    const journal = memoryJournal()
    const writer = journal.create('run')
    const recorded = [...(lost.read('run') as Iterable<JournalEvent>)]
    for (const event of recorded.slice(0, recorded.findIndex(({ type }) => type === 'run.cancel') + 1))
      writer.append(event)
    void writer.close()
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], journal, clock })
    const again = await runtime.resume('run')
    expect(await clock.until(again.result)).toMatchObject({ status: 'cancelled', counts: { cancelled: 1 } })
    await clockBefore.until(before.close())
  })

  it('that is over is given as it ended', async () => {
    const journal = memoryJournal()
    await using runtime = createRuntime({ tools: [echo], journal })
    const { outcome } = await runtime
      .start(planOf([{ id: 'a', tool: 'echo' }]), { runId: 'run' })
      .result.then((end) => ({ outcome: end }))
    await using other = createRuntime({ tools: [], journal })
    const run = await other.resume('run', { changes: 'accept' })
    expect(await run.result).toEqual(outcome)
    expect([...(journal.read('run') as Iterable<JournalEvent>)]).toHaveLength(2)
  })

  it('is refused with all that has changed, or goes on with it and records it', async () => {
    const calls: Call[] = []
    const journal = await recordedUntil(150, (clock) => ({ tools: [noted(clock, calls), fail] }), chain)
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [noted(clock, calls, { version: '2' })], journal, clock })
    await expect(runtime.resume('run')).rejects.toMatchObject({
      code: 'RUN_CHANGED',
      message: expect.stringMatching(/: tool "note" was version 1, and is 2\.$/) as string, // "fail" is not needed
    })
    const run = await runtime.resume('run', { changes: 'accept' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    const recovered = [...(journal.read('run') as Iterable<JournalEvent>)].find(({ type }) => type === 'run.recovered')
    expect(recovered).toMatchObject({ changes: [expect.stringContaining('"note"'), expect.stringContaining('"fail"')] })
  })
})

describe('what has changed', () => {
  const two = planOf([
    { id: 'a', tool: 'note' },
    { id: 'b', tool: 'echo', after: ['a'] },
  ])
  /** A run whose "a" is done, and which waits for nothing but "b". */
  const left = async (): Promise<Journal> => {
    const journal = await recordedUntil(150, (clock) => ({ tools: [noted(clock, []), echo, fail] }), two)
    return journalLeft(journal, () => 2)
  }

  it('does not matter where no open step needs it, and is recorded', async () => {
    const clock = new VirtualClock()
    const journal = await left()
    await using runtime = createRuntime({ tools: [echo], journal, clock })
    const run = await runtime.resume('run')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    const changes = ['tool "note" is gone', 'tool "fail" is gone']
    expect(eventsOf(journal, 'run')).toContainEqual(expect.objectContaining({ type: 'run.recovered', changes }))
  })

  it('matters where an open step needs it: the tool, or another promise of what it does', async () => {
    for (const [tools, message] of [
      [[], /: tool "echo" is gone\.$/],
      [[renamed(echo, { effects: 'write', idempotent: true })], /was idempotent with effects "none", and is idempotent with effects "write"/],
    ] as const) {
      await using runtime = createRuntime({ tools, journal: await left() })
      await expect(runtime.resume('run')).rejects.toMatchObject({ code: 'RUN_CHANGED', message: expect.stringMatching(message) as string })
    }
  }) // prettier-ignore

  it('is for a function to decide, which is told all of it', async () => {
    const told: unknown[] = []
    await using runtime = createRuntime({ tools: [], journal: await left() })
    const decide = (changes: readonly RunChange[]): boolean => (told.push(...changes), changes.every(({ isNeeded }) => !isNeeded))
    await expect(runtime.resume('run', { changes: decide })).rejects.toMatchObject({ code: 'RUN_CHANGED' })
    expect(told).toEqual([
      { kind: 'tool_gone', name: 'note', text: 'tool "note" is gone', isNeeded: false },
      { kind: 'tool_gone', name: 'echo', text: 'tool "echo" is gone', isNeeded: true },
      { kind: 'tool_gone', name: 'fail', text: 'tool "fail" is gone', isNeeded: false },
    ])
    const run = await runtime.resume('run', { changes: () => true })
    expect(await run.result).toMatchObject({ status: 'failed' })
  }) // prettier-ignore

  it('is another planner, always', async () => {
    await using runtime = createRuntime({ tools: [echo], journal: await left() })
    const planner: Planner = { name: 'other', plan: () => two }
    await expect(runtime.resume('run', { planner })).rejects.toMatchObject({ message: expect.stringMatching(/planner was "fixed", and is "other"/) as string })
  }) // prettier-ignore
})

function renamed(tool: Tool, description: Partial<Tool['description']>): Tool {
  return { ...tool, description: { ...tool.description, ...description } }
}

const failing = {
  name: 'fail',
  description: 'May fail.',
  input: z.object({}),
  output: z.object({}),
} as const
