// A journal that takes its time: commands wait until the events that caused them are durable.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  memoryJournal,
  type Journal,
  type JournalEvent,
  type RunJournal,
} from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { echo } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

interface SlowJournal extends Journal {
  /** Number of events that are durable. */
  durable(runId: string): number
  readonly flushes: number
}

/** A memory journal whose flush takes `flushMs` and makes durable what had been appended when it began. */
function slowJournal(clock: VirtualClock, flushMs: number): SlowJournal {
  const memory = memoryJournal()
  const durable = new Map<string, number>()
  let flushes = 0
  const slow = (inner: RunJournal): RunJournal => ({
    ...inner,
    get next() {
      return inner.next
    },
    flush: async () => {
      flushes += 1
      const { next } = inner
      await clock.wait(flushMs)
      durable.set(inner.runId, next)
    },
  })
  return {
    ...memory,
    create: (runId) => slow(memory.create(runId)),
    durable: (runId) => durable.get(runId) ?? 0,
    get flushes() {
      return flushes
    },
  }
}

describe('a journal that takes time to flush', () => {
  it('holds back every command until the events before it are durable (J1)', async () => {
    const clock = new VirtualClock()
    const journal = slowJournal(clock, 100)
    const startedWith: Record<string, { readonly durable: number; readonly events: readonly string[] }> = {}
    const work = defineTool({
      name: 'work',
      description: 'Notes what is durable when it starts.',
      input: z.object({ ms: z.number() }),
      output: z.object({}),
      run: async ({ ms }, { runId, stepId }) => {
        const events = [...(journal.read(runId) as Iterable<JournalEvent>)].slice(0, journal.durable(runId))
        startedWith[stepId] = {
          durable: journal.durable(runId),
          events: events.map((event) => ('stepId' in event ? `${event.type} ${event.stepId}` : event.type)),
        }
        await clock.wait(ms)
        return {}
      },
    })
    await using runtime = createRuntime({ tools: [work], journal, clock })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'work', input: { ms: 10 } },
        // Ends while the flush after "a" is going on: what it causes has to wait for a flush of its own.
        { id: 'b', tool: 'work', input: { ms: 50 } },
        { id: 'afterA', tool: 'work', after: ['a'], input: { ms: 1 } },
        { id: 'afterB', tool: 'work', after: ['b'], input: { ms: 1 } },
      ]),
    )
    await settlePromises()
    expect(startedWith).toEqual({})
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(startedWith.a?.events).toEqual(['run.started'])
    expect(startedWith.afterA?.events).toContain('step.succeeded a')
    expect(startedWith.afterB?.events).toContain('step.succeeded b')
  })

  it('flushes events that come meanwhile together', async () => {
    const clock = new VirtualClock()
    const journal = slowJournal(clock, 100)
    await using runtime = createRuntime({ tools: [echo], journal, clock })
    const steps = Array.from({ length: 50 }, (_, index) => [
      { id: `a${String(index)}`, tool: 'echo' },
      { id: `b${String(index)}`, tool: 'echo', after: [`a${String(index)}`] },
    ]).flat()
    expect(await clock.until(runtime.start(planOf(steps)).result)).toMatchObject({ reason: 'done' })
    expect(journal.flushes).toBeLessThan(10)
  })

  it('that breaks ends the run with the reason, and another run goes on', async () => {
    const clock = new VirtualClock()
    const memory = memoryJournal()
    let started = 0
    const work = defineTool({
      name: 'work',
      description: 'Counts.',
      input: z.object({}),
      output: z.object({}),
      run: () => ((started += 1), {}),
    })
    const journal: Journal = {
      ...memory,
      create: (runId) => {
        const inner = memory.create(runId)
        return { ...inner, flush: () => (runId === 'bad' ? Promise.reject(new Error('disk full')) : Promise.resolve()) }
      },
    }
    await using runtime = createRuntime({ tools: [work], journal, clock })
    const bad = runtime.start(planOf([{ id: 'a', tool: 'work' }]), { runId: 'bad' })
    const good = runtime.start(planOf([{ id: 'a', tool: 'work' }]), { runId: 'good' })
    const outcome = await clock.until(bad.result)
    expect(outcome).toMatchObject({ status: 'failed' })
    expect(outcome.message).toContain('disk full')
    expect(await clock.until(good.result)).toMatchObject({ reason: 'done' })
    expect(started).toBe(1)
    expect(clock.pending).toBe(0)
  })

  it.each(['append', 'flush'] as const)('whose %s throws ends the run with the reason', async (what) => {
    const memory = memoryJournal()
    const journal: Journal = {
      ...memory,
      create: (runId) => ({
        ...memory.create(runId),
        [what]: () => {
          throw new Error('disk full')
        },
      }),
    }
    await using runtime = createRuntime({ tools: [echo], journal })
    const outcome = await runtime.start(planOf([{ id: 'a', tool: 'echo' }])).result
    expect(outcome.status).toBe('failed')
    expect(outcome.message).toContain('disk full')
  })

  it('has the end of a run durable before anybody is told of it (H5)', async () => {
    const clock = new VirtualClock()
    const journal = slowJournal(clock, 100)
    await using runtime = createRuntime({ tools: [echo], journal, clock })
    const run = runtime.start(planOf([{ id: 'a', tool: 'echo' }]))
    let durableAtEnd = -1
    await clock.until(
      run.result.then(() => {
        durableAtEnd = journal.durable(run.id)
      }),
    )
    expect(durableAtEnd).toBe(2)
  })

  it('whose last flush fails ends the run with the reason, and no outcome is claimed', async () => {
    const clock = new VirtualClock()
    const memory = memoryJournal()
    const journal: Journal = {
      ...memory,
      create: (runId) => ({
        ...memory.create(runId),
        flush: (durability) => (durability === 'power' ? Promise.reject(new Error('disk full')) : Promise.resolve()),
      }),
    }
    await using runtime = createRuntime({ tools: [echo], journal, clock })
    const outcome = await clock.until(runtime.start(planOf([{ id: 'a', tool: 'echo' }])).result)
    expect(outcome).toMatchObject({ status: 'failed', reason: 'internal_error' })
    expect(outcome.message).toContain('disk full')
  })

  it('that cannot take the first event leaves a run that can be read, with nothing in it', async () => {
    const memory = memoryJournal()
    const journal: Journal = {
      ...memory,
      create: (runId) => ({
        ...memory.create(runId),
        append: () => {
          throw new Error('disk full')
        },
      }),
    }
    await using runtime = createRuntime({ tools: [echo], journal })
    const run = runtime.start(planOf([{ id: 'a', tool: 'echo' }]))
    expect(await run.result).toMatchObject({ status: 'failed', reason: 'internal_error' })
    expect([run.plan, run.revisions, [...run.ledger()], [...run.facts()]]).toEqual([undefined, [], [], []])
  })

  it('that cannot be closed warns, and takes nobody down', async () => {
    const memory = memoryJournal()
    const journal: Journal = {
      ...memory,
      create: (runId) => ({ ...memory.create(runId), close: () => Promise.reject(new Error('disk full')) }),
    }
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    await using runtime = createRuntime({ tools: [echo], journal })
    expect(await runtime.start(planOf([{ id: 'a', tool: 'echo' }])).result).toMatchObject({ reason: 'done' })
    expect(await warned).toMatchObject({ code: 'JOURNAL_CLOSE' })
  })
})
