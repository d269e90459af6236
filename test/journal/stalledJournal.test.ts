// A journal that never answers: its run ends with a reason, the runtime closes, and a warning names the run.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRuntime, memoryJournal, type Journal, type RunJournal } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { echo, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const never = (): Promise<void> => new Promise(() => undefined)

/** A memory journal; `flushes` of a run are answered, the next one never is. */
function stallingJournal(parts: {
  readonly flushes?: number
  readonly close?: true
  readonly closeAll?: true
}): Journal {
  const memory = memoryJournal()
  const stalling = (inner: RunJournal): RunJournal => {
    let flushes = 0
    return {
      ...inner,
      get next() {
        return inner.next
      },
      flush: () => (flushes++ < (parts.flushes ?? Infinity) ? Promise.resolve() : never()),
      close: () => (parts.close ? never() : inner.close()),
    }
  }
  return {
    ...memory,
    create: (runId) => stalling(memory.create(runId)),
    ...(parts.closeAll && { close: never }),
  }
}

const warnings: { readonly code: unknown; readonly text: string }[] = []
beforeEach(() => {
  warnings.length = 0
  vi.spyOn(process, 'emitWarning').mockImplementation(((text: string, { code }: { code: string }) => {
    warnings.push({ code, text })
  }) as typeof process.emitWarning)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const plan = planOf([
  { id: 'a', tool: 'wait', input: { ms: 20 } },
  { id: 'b', tool: 'wait', after: ['a'], input: { ms: 20 } },
])

describe('a journal that does not answer', () => {
  it.each([
    ['the first events', 0, 1_000],
    ['what comes in between', 1, 1_020],
    ['the outcome', 2, 1_040],
  ])(
    'when %s are to be made durable, ends the run after journalMs, and close() with it',
    async (_, flushes, endsAt) => {
      const clock = new VirtualClock()
      const journal = stallingJournal({ flushes })
      const runtime = createRuntime({ tools: [waitTool(clock)], journal, clock, journalMs: 1_000 })
      const run = runtime.start(plan, { runId: 'held' })
      const outcome = await clock.until(run.result)
      expect(clock.now()).toBe(endsAt)
      expect(outcome).toMatchObject({ status: 'failed', reason: 'internal_error' })
      expect(outcome.message).toContain('within 1000 ms')
      expect(warnings).toMatchObject([{ code: 'JOURNAL_STALLED', text: expect.stringContaining('"held"') }])
      await clock.until(runtime.close())
      expect(clock.now()).toBe(endsAt)
      expect(clock.pending).toBe(0)
    },
  )

  it('holds up neither a cancel nor the time of the run for longer', async () => {
    const clock = new VirtualClock()
    const journal = stallingJournal({ flushes: 0 })
    const runtime = createRuntime({ tools: [waitTool(clock)], journal, clock, journalMs: 1_000 })
    const limited = runtime.start(plan, { limits: { timeMs: 10, graceMs: 10 } })
    const cancelled = runtime.start(plan)
    await clock.runUntil(500)
    cancelled.cancel()
    await clock.until(runtime.close())
    expect(clock.now()).toBe(1_000)
    expect([limited.outcome?.reason, cancelled.outcome?.reason]).toEqual(['internal_error', 'internal_error'])
    expect(clock.pending).toBe(0)
  })

  it('is waited for 10 seconds unless it is said otherwise', async () => {
    const clock = new VirtualClock()
    const runtime = createRuntime({ tools: [waitTool(clock)], journal: stallingJournal({ flushes: 0 }), clock })
    await clock.until(runtime.start(plan).result)
    expect(clock.now()).toBe(10_000)
  })

  it('when a run is over and its journal is to be closed, holds up close() no longer than that', async () => {
    const clock = new VirtualClock()
    const runtime = createRuntime({ tools: [echo], journal: stallingJournal({ close: true }), clock, journalMs: 300 })
    const run = runtime.start(planOf([{ id: 'a', tool: 'echo' }]), { runId: 'done' })
    expect(await run.result).toMatchObject({ reason: 'done' })
    await clock.until(runtime.close())
    expect(clock.now()).toBe(300)
    expect(run.outcome).toMatchObject({ reason: 'done' })
    expect(warnings).toMatchObject([{ code: 'JOURNAL_STALLED', text: expect.stringContaining('"done"') }])
    expect(clock.pending).toBe(0)
  })

  it('when all is over, holds up close() no longer than that', async () => {
    const clock = new VirtualClock()
    const runtime = createRuntime({ journal: stallingJournal({ closeAll: true }), clock, journalMs: 300 })
    await clock.until(runtime.close())
    expect(clock.now()).toBe(300)
    expect(warnings).toMatchObject([{ code: 'JOURNAL_STALLED' }])
    expect(clock.pending).toBe(0)
  })
})
