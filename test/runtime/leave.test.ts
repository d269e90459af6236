// Leaving runs: a process puts them down unfinished, and another one goes on with them at once.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createActor } from '../../src/machines/xstate.ts'
import {
  createRuntime,
  defineTool,
  memoryJournal,
  PlanloomError,
  runLogic,
  sqliteJournal,
  type Journal,
  type JournalEvent,
  type Planner,
  type Run,
  type Runtime,
  type Tool,
} from '../../src/runtime/index.ts'
import { leavingJournal } from '../support/leavingJournal.ts'
import { eventsOf } from '../support/lostProcess.ts'
import { planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import { echo, hang, waitTool } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

interface Call {
  readonly stepId: string
  readonly key: string
  readonly signal: AbortSignal
  /** Ends the call with a success. */
  readonly end: () => void
}

/** A tool whose calls end when the test says so, or their signal. */
function staged(
  more: object = {},
  heed: 'signal' | 'nothing' = 'signal',
): { readonly tool: Tool; readonly calls: Call[] } {
  const calls: Call[] = []
  const tool = defineTool({
    name: 'staged',
    description: 'Ends when it is told.',
    ...more,
    input: z.object({}),
    output: z.object({ by: z.string() }),
    run: (_, { stepId, idempotencyKey: key, signal }) =>
      new Promise<{ by: string }>((resolve, reject) => {
        const end = (): void => {
          resolve({ by: stepId })
        }
        calls.push({ stepId, key, signal, end })
        if (heed === 'signal') signal.addEventListener('abort', () => { reject(signal.reason as Error) }) // prettier-ignore
      }),
  })
  return { tool, calls }
}

const paying = { effects: 'external', idempotent: false } as const

async function codeOf(result: Promise<unknown>): Promise<unknown> {
  try {
    await result
    return undefined
  } catch (error) {
    return error instanceof PlanloomError ? error.code : error
  }
}

function thrownBy(act: () => void): unknown {
  try {
    act()
    return undefined
  } catch (error) {
    return error instanceof PlanloomError ? error.code : error
  }
}

const chain = planOf([
  { id: 'a', tool: 'staged' },
  { id: 'b', tool: 'staged', after: ['a'] },
  { id: 'c', tool: 'staged', after: ['b'] },
])

async function began(calls: readonly Call[], count: number): Promise<void> {
  await expect.poll(() => calls.length, { interval: 1 }).toBe(count)
}

/** Has a runtime leave a run, called "run", while the call of its first step is out. */
async function leaveDuringFirst(
  journal: Journal,
  { tool, calls }: ReturnType<typeof staged>,
): Promise<{ readonly closed: Promise<void> }> {
  const runtime = createRuntime({ tools: [tool], journal })
  runtime.start(chain, { runId: 'run' })
  await began(calls, 1)
  return { closed: runtime.close({ runs: 'leave' }) }
}

describe('a run that is left', () => {
  it('is gone on with by another runtime on the same file, at once and while the one that left it still has the file', async () => {
    const path = join(scratchFolder(), 'runs.db')
    const before = staged()
    const first = createRuntime({ tools: [before.tool], journal: sqliteJournal(path) })
    const left = first.start(chain, { runId: 'run' })
    await began(before.calls, 1)
    before.calls[0]?.end()
    await began(before.calls, 2)
    await left.leave()
    expect(before.calls[1]?.signal.reason).toMatchObject({ code: 'RUN_LEFT' })

    const after = staged()
    const journal = sqliteJournal(path)
    const second = createRuntime({ tools: [after.tool], journal })
    const run = await second.resume('run')
    for (const count of [1, 2]) {
      await began(after.calls, count)
      after.calls[count - 1]?.end()
    }
    expect(await run.result).toMatchObject({ reason: 'done', counts: { succeeded: 3 } })
    expect(after.calls.map(({ stepId, key }) => [stepId, key])).toEqual([
      ['b', before.calls[1]?.key],
      ['c', 'run/c'],
    ])
    expect(journal.verify().faults).toEqual([])
    await second.close()
    await first.close()
  })

  it('says so to who asks for its result or commands it, and to nobody else', async () => {
    const unheard: unknown[] = []
    const hear = (error: unknown): unknown => unheard.push(error)
    process.on('unhandledRejection', hear)
    try {
      const { tool, calls } = staged()
      const runtime = createRuntime({ tools: [tool], journal: memoryJournal() })
      const run = runtime.start(chain)
      let isComplete = false
      run.transitions().subscribe({ complete: () => (isComplete = true) })
      await began(calls, 1)
      await runtime.close({ runs: 'leave' })
      await settlePromises()
      expect(unheard).toEqual([])
      expect([run.outcome, run.state, isComplete]).toEqual([undefined, 'awaiting', true])
      await expect(run.result).rejects.toMatchObject({
        code: 'RUN_LEFT',
        where: { runId: run.id },
        hint: expect.stringContaining(`resume("${run.id}")`),
      })
      expect(thrownBy(() => { run.pause() })).toBe('RUN_LEFT') // prettier-ignore
      run.cancel()
      expect(run.outcome).toBeUndefined()
    } finally {
      process.off('unhandledRejection', hear)
    }
  })

  it('has an uncertain step where an effect was cut short that must not happen twice', async () => {
    const journal = memoryJournal()
    const { tool, calls } = staged(paying)
    await (
      await leaveDuringFirst(journal, { tool, calls })
    ).closed
    await using second = createRuntime({ tools: [tool], journal, uncertain: 'fail' })
    const run = await second.resume('run', { uncertain: 'fail' })
    expect(await run.result).toMatchObject({ status: 'failed', failure: { code: 'PROCESS_ENDED' } })
    expect(statusesOf(run)).toMatchObject({ a: 'uncertain' })
    expect(calls).toHaveLength(1)
  })

  it('records that such an effect has happened within the grace period, and sends out nothing because of it', async () => {
    const journal = memoryJournal()
    const { tool, calls } = staged(paying, 'nothing')
    const { closed } = await leaveDuringFirst(journal, { tool, calls })
    calls[0]?.end()
    await closed
    expect(calls).toHaveLength(1)
    expect(eventsOf(journal, 'run').at(-1)).toMatchObject({ type: 'step.succeeded', stepId: 'a', unattended: true })

    await using second = createRuntime({ tools: [tool], journal })
    const run = await second.resume('run')
    for (const count of [2, 3]) {
      await began(calls, count)
      calls[count - 1]?.end()
    }
    expect(await run.result).toMatchObject({ reason: 'done', counts: { succeeded: 3 } })
    expect(calls.map(({ stepId }) => stepId)).toEqual(['a', 'b', 'c'])
  })

  it('does not take what a tool without effects gives after its signal for what it would have given', async () => {
    const journal = memoryJournal()
    const { tool, calls } = staged({}, 'nothing')
    const { closed } = await leaveDuringFirst(journal, { tool, calls })
    calls[0]?.end()
    await closed
    expect(eventsOf(journal, 'run').map(({ type }) => type)).not.toContain('step.succeeded')
  })

  it('leaves in no doubt what was never sent, since it waited at a limit', async () => {
    const journal = memoryJournal()
    const { tool, calls } = staged(paying)
    const plan = planOf(['a', 'b', 'c', 'd'].map((id) => ({ id, tool: 'staged' })))
    const first = createRuntime({ tools: [tool], journal, limits: { totalConcurrency: 1 } })
    first.start(plan, { runId: 'run' })
    await began(calls, 1)
    await first.close({ runs: 'leave' })

    await using second = createRuntime({ tools: [tool], journal })
    const run = await second.resume('run', { uncertain: 'ask' })
    expect(statusesOf(run)).toEqual({ a: 'uncertain', b: 'running', c: 'running', d: 'running' })
    run.answer('a', { by: 'hand' })
    await began(calls, 4)
    for (const { end } of calls) end()
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(calls.map(({ key }) => key)).toEqual(['run/a', 'run/b', 'run/c', 'run/d'])
  })

  it('leaves in no doubt what was never sent, since its event was being written', async () => {
    const journal = memoryJournal()
    const { tool, calls } = staged(paying)
    let closed: Promise<void> | undefined
    const slow = leavingJournal(journal, { afterEvents: 1, leftAfterMs: 0 }, () => {
      closed = first.close({ runs: 'leave' })
    })
    const first = createRuntime({ tools: [tool], journal: slow })
    first.start(planOf([{ id: 'a', tool: 'staged' }]), { runId: 'run' })
    await closed
    expect(eventsOf(journal, 'run').length).toBeGreaterThan(0)
    expect(calls).toEqual([])

    await using second = createRuntime({ tools: [tool], journal })
    const run = await second.resume('run')
    await began(calls, 1)
    calls[0]?.end()
    expect(await run.result).toMatchObject({ reason: 'done' })
  })

  it('keeps what is asked of it for whoever goes on with it', async () => {
    const journal = memoryJournal()
    const { tool, calls } = staged({}, 'nothing')
    const { closed } = await leaveDuringFirst(journal, { tool, calls })
    await journal.request?.('run', { type: 'step.skip', stepId: 'a' }, { by: 'ann' })
    await settlePromises() // it would be told by now
    calls[0]?.end()
    await closed
    await using second = createRuntime({ tools: [tool], journal })
    const run = await second.resume('run')
    expect(statusesOf(run)).toMatchObject({ a: 'skipped' })
    expect(journal.requests?.('run')).toMatchObject([{ by: 'ann', seq: expect.any(Number) }])
    expect(calls).toHaveLength(1)
  })

  it('waits for its tools no longer than the grace period, and leaves no timer', async () => {
    const clock = new VirtualClock()
    const plan = planOf([
      { id: 'hang', tool: 'hang', timeoutMs: 100 },
      { id: 'wait', tool: 'wait', input: { ms: 10_000 } },
      { id: 'person', instruction: 'Well?' },
    ])
    const journal = memoryJournal()
    const runtime = createRuntime({ tools: [hang, waitTool(clock)], clock, journal, limits: { graceMs: 300 } })
    runtime.start(plan, { runId: 'run' })
    await clock.runUntil(10)
    const before = eventsOf(journal, 'run').length
    await clock.until(runtime.close({ runs: 'leave' }))
    expect(clock.now()).toBe(310)
    expect(clock.pending).toBe(0)
    expect(eventsOf(journal, 'run')).toHaveLength(before)
  })

  it('ends as ever where it is about to, or where what comes in the grace period was the last', async () => {
    const { tool, calls } = staged(paying, 'nothing')
    const runtime = createRuntime({ tools: [tool], journal: memoryJournal() })
    const plan = planOf([{ id: 'a', tool: 'staged' }])
    const [last, stopping] = [runtime.start(plan), runtime.start(plan)]
    await began(calls, 2)
    stopping.cancel('enough')
    const closed = runtime.close({ runs: 'leave' })
    for (const { end } of calls) end()
    await closed
    expect(await last.result).toMatchObject({ reason: 'done' })
    expect(await stopping.result).toMatchObject({ status: 'cancelled' })
  })

  it('can be gone on with by the same runtime, which goes on with all else', async () => {
    const { tool, calls } = staged()
    await using runtime = createRuntime({ tools: [tool, echo], journal: memoryJournal() })
    const left = runtime.start(planOf([{ id: 'a', tool: 'staged' }]), { runId: 'run' })
    const other = runtime.start(planOf([{ id: 'b', tool: 'staged' }]))
    await began(calls, 2)
    await left.leave()
    expect(other.step('b')?.status).toBe('running')
    const { resumed } = await runtime.resumeAll()
    expect(resumed.map(({ id }) => id)).toEqual(['run'])
    await began(calls, 3)
    for (const { end } of calls) end()
    expect(await resumed[0]?.result).toMatchObject({ reason: 'done' })
    expect(await other.result).toMatchObject({ reason: 'done' })
    expect(runtime.runs.map(({ outcome }) => outcome?.reason)).toEqual(['done', 'done'])
  })
})

describe('sub-runs', () => {
  const planner: Planner = {
    name: 'one below',
    plan: ({ goal }) => ({ steps: [goal.text === 'top' ? { id: 'sub', goal: { text: 'below' } } : { id: 'work', tool: 'staged' }] }),
  } // prettier-ignore

  it('are left with their parents, and gone on with by them', async () => {
    const journal = memoryJournal()
    const { tool, calls } = staged()
    const first = createRuntime({ tools: [tool], planner, journal })
    const left = first.start('top', { runId: 'run' })
    await began(calls, 1)
    const sub = first.runs.find(({ parent }) => parent !== undefined) as Run
    expect(await codeOf(sub.leave())).toBe('LEAVE_REFUSED')
    await first.close({ runs: 'leave' })
    expect(await Promise.all([codeOf(left.result), codeOf(sub.result)])).toEqual(['RUN_LEFT', 'RUN_LEFT'])

    await using second = createRuntime({ tools: [tool], planner, journal })
    const run = await second.resume('run')
    await began(calls, 2)
    calls[1]?.end()
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.step('sub')).toMatchObject({ subRunId: sub.id })
    expect(calls.map(({ key }) => key)).toEqual([`${sub.id}/work`, `${sub.id}/work`])
    const types = (eventsOf(journal, sub.id) as JournalEvent[]).map(({ type }) => type)
    expect(types.filter((type) => type === 'run.cancel' || type === 'run.recovered')).toEqual(['run.recovered'])
  })
})

describe('leaving', () => {
  it('is refused where nobody would find the runs again, and nothing is closed', async () => {
    const { tool, calls } = staged()
    const runtime: Runtime = createRuntime({ tools: [tool] })
    const run = runtime.start(planOf([{ id: 'a', tool: 'staged' }]))
    await began(calls, 1)
    expect(await codeOf(runtime.close({ runs: 'leave' }))).toBe('LEAVE_REFUSED')
    expect(await codeOf(run.leave())).toBe('LEAVE_REFUSED')
    calls[0]?.end()
    expect(await run.result).toMatchObject({ reason: 'done' })
    runtime.start(planOf([{ id: 'a', tool: 'staged' }]))
    await runtime.close()
  })

  it('does not take up a run whose record was still being read', async () => {
    const kept = memoryJournal()
    const { tool, calls } = staged()
    const first = createRuntime({ tools: [tool], journal: kept })
    first.start(chain, { runId: 'run' })
    await began(calls, 1)
    await first.close({ runs: 'leave' })
    let goOn: () => void = () => undefined
    const read = new Promise<void>((resolve) => (goOn = resolve))
    const slow: Journal = {
      ...kept,
      read: async function* (runId, from) {
        await read
        yield* kept.read(runId, from)
      },
    }
    const second = createRuntime({ tools: [tool], journal: slow })
    const code = codeOf(second.resume('run'))
    await second.close({ runs: 'leave' })
    goOn()
    expect(await code).toBe('RUNTIME_CLOSED')
    await using third = createRuntime({ tools: [tool], journal: kept })
    expect((await third.resume('run')).state).toBe('awaiting')
  })

  it('puts the actor of a run in error, with what has become of it', async () => {
    const { tool, calls } = staged()
    const runtime = createRuntime({ tools: [tool], journal: memoryJournal() })
    const actor = createActor(runLogic(runtime), { input: { goal: chain } })
    let error: unknown
    actor.subscribe({ error: (thrown) => (error = thrown) })
    actor.start()
    await began(calls, 1)
    await runtime.close({ runs: 'leave' })
    expect(error).toMatchObject({ code: 'RUN_LEFT' })
    expect(actor.getSnapshot().status).toBe('error')
  })
})
