// Attempts in time: limits, signs of life, and repetition with backoff.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRuntime, defineTool, ToolError } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { hang, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const exactBackoff = { backoffMs: 100, factor: 2, maxBackoffMs: 300, jitter: 0 }

function flakyTool(failures: number, clock: VirtualClock, startedAt: number[], keys: string[] = []) {
  let attempts = 0
  return defineTool({
    name: 'flaky',
    description: 'Fails a few times.',
    input: z.object({}),
    output: z.object({ attempt: z.number() }),
    run: (_, { attempt, idempotencyKey }) => {
      startedAt.push(clock.now())
      keys.push(idempotencyKey)
      attempts += 1
      if (attempts <= failures) throw new Error(`failure ${String(attempts)}`)
      return { attempt }
    },
  })
}

describe('a time limit', () => {
  it('ends an attempt that takes longer, fires its signal, and frees its place', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock, limits: { concurrency: 1 } })
    const run = runtime.start(
      planOf([
        { id: 'slow', tool: 'wait', input: { ms: 5000 }, timeoutMs: 200, onFailure: 'skip' },
        { id: 'next', tool: 'wait', input: { ms: 10 } },
      ]),
    )
    expect(await clock.until(run.result)).toMatchObject({ reason: 'partial', usage: { timeMs: 210 } })
    expect(run.step('slow')).toMatchObject({
      status: 'skipped',
      failure: { code: 'STEP_TIMEOUT', hint: expect.any(String) },
    })
    expect(clock.pending).toBe(0)
  })

  it('is not held up by a tool that ignores its signal', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({
      tools: [hang, waitTool(clock)],
      clock,
      limits: { concurrency: 1, totalConcurrency: 1 },
    })
    const run = runtime.start(
      planOf([
        { id: 'hung', tool: 'hang', timeoutMs: 200, onFailure: 'skip' },
        { id: 'next', tool: 'wait', input: { ms: 10 } },
      ]),
    )
    expect(await clock.until(run.result)).toMatchObject({ reason: 'partial', usage: { timeMs: 210 } })
  })

  it('counts for each attempt, and a timed-out attempt is tried again', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [hang], clock })
    const run = runtime.start(
      planOf([{ id: 'a', tool: 'hang', timeoutMs: 200, retry: { attempts: 3, ...exactBackoff }, onFailure: 'fail' }]),
    )
    expect(await clock.until(run.result)).toMatchObject({
      reason: 'step_failed',
      failure: { code: 'STEP_TIMEOUT' },
      usage: { timeMs: 200 + 100 + 200 + 200 + 200 },
    })
    expect(run.step('a')).toMatchObject({ attempt: 3 })
  })

  it('of the tool holds where the step has none', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock, { timeoutMs: 50 })], clock })
    const run = runtime.start(planOf([{ id: 'a', tool: 'wait', input: { ms: 100 }, onFailure: 'fail' }]))
    expect(await clock.until(run.result)).toMatchObject({ failure: { code: 'STEP_TIMEOUT' }, usage: { timeMs: 50 } })
  })

  it('that passes while a tool writes leaves the step uncertain, and it is not repeated by itself', async () => {
    const clock = new VirtualClock()
    let started = 0
    const write = defineTool({
      name: 'write',
      description: 'Writes for ever.',
      effects: 'write',
      input: z.object({}),
      output: z.object({}),
      run: () => {
        started += 1
        return new Promise<never>(() => undefined)
      },
    })
    await using runtime = createRuntime({ tools: [write], clock })
    const run = runtime.start(
      planOf([{ id: 'a', tool: 'write', timeoutMs: 100, retry: { attempts: 5, ...exactBackoff } }]),
    )
    expect(await clock.until(run.result)).toMatchObject({ status: 'failed', reason: 'gave_up' })
    expect(run.step('a')).toMatchObject({ status: 'uncertain', attempt: 1 })
    expect(started).toBe(1)
  })

  it('does not run while an attempt waits for its turn', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock, limits: { totalConcurrency: 1 } })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'wait', input: { ms: 150 }, timeoutMs: 200 },
        { id: 'b', tool: 'wait', input: { ms: 150 }, timeoutMs: 200 },
        { id: 'c', tool: 'wait', input: { ms: 150 }, timeoutMs: 200 },
      ]),
    )
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 450 } })
  })
})

describe('a heartbeat', () => {
  const beating = (clock: VirtualClock, beats: number, everyMs: number) =>
    defineTool({
      name: 'beating',
      description: 'Says that it is alive, then falls silent.',
      heartbeatMs: 100,
      input: z.object({}),
      output: z.object({}),
      run: async (_, { heartbeat, progress, signal }) => {
        for (let beat = 0; beat < beats; beat++) {
          await clock.wait(everyMs, signal)
          if (beat % 2 === 0) heartbeat()
          else progress({ done: beat })
        }
        await clock.wait(90, signal)
        return {}
      },
    })

  it('keeps long work alive', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [beating(clock, 10, 80)], clock })
    expect(await clock.until(runtime.start(planOf([{ id: 'a', tool: 'beating' }])).result)).toMatchObject({
      reason: 'done',
      usage: { timeMs: 890 },
    })
  })

  it('that stays away ends the attempt', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [beating(clock, 3, 120)], clock })
    const run = runtime.start(planOf([{ id: 'a', tool: 'beating', onFailure: 'fail' }]))
    expect(await clock.until(run.result)).toMatchObject({ failure: { code: 'STEP_SILENT' }, usage: { timeMs: 100 } })
  })
})

describe('retry', () => {
  it('waits longer each time, up to the longest wait, and keeps the idempotency key', async () => {
    const clock = new VirtualClock()
    const startedAt: number[] = []
    const keys: string[] = []
    await using runtime = createRuntime({ tools: [flakyTool(4, clock, startedAt, keys)], clock })
    const run = runtime.start(planOf([{ id: 'a', tool: 'flaky', retry: { attempts: 5, ...exactBackoff } }]))
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(startedAt).toEqual([0, 100, 300, 600, 900])
    expect(run.output('a')).toEqual({ attempt: 5 })
    expect(new Set(keys).size).toBe(1)
  })

  it('spreads waits by jitter, the same with the same seed', async () => {
    const startsWith = async (seed: number): Promise<number[]> => {
      const clock = new VirtualClock()
      const startedAt: number[] = []
      await using runtime = createRuntime({ tools: [flakyTool(3, clock, startedAt)], clock, seed })
      await clock.until(
        runtime.start(planOf([{ id: 'a', tool: 'flaky', retry: { attempts: 4, ...exactBackoff, jitter: 0.5 } }]))
          .result,
      )
      return startedAt
    }
    const starts = await startsWith(1)
    expect(await startsWith(1)).toEqual(starts)
    expect(await startsWith(2)).not.toEqual(starts)
    for (const [index, wait] of [100, 200, 300].entries()) {
      const gap = starts[index + 1]! - starts[index]!
      expect(gap).toBeGreaterThanOrEqual(wait * 0.5)
      expect(gap).toBeLessThanOrEqual(wait * 1.5)
    }
  })

  it('is not spent on a failure that cannot change', async () => {
    const clock = new VirtualClock()
    let attempts = 0
    const wrong = defineTool({
      name: 'wrong',
      description: 'Never works.',
      input: z.object({}),
      output: z.object({}),
      run: () => {
        attempts += 1
        throw new ToolError('NO_SUCH_THING', 'it is not there', { retryable: false })
      },
    })
    await using runtime = createRuntime({ tools: [wrong], clock })
    const run = runtime.start(
      planOf([{ id: 'a', tool: 'wrong', retry: { attempts: 5, ...exactBackoff }, onFailure: 'fail' }]),
    )
    expect(await clock.until(run.result)).toMatchObject({ failure: { code: 'NO_SUCH_THING' } })
    expect(attempts).toBe(1)
  })

  it('holds nobody else up while it waits', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({
      tools: [flakyTool(1, clock, []), waitTool(clock)],
      clock,
      limits: { concurrency: 1 },
    })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'flaky', retry: { attempts: 2, ...exactBackoff, backoffMs: 1000, maxBackoffMs: 1000 } },
        { id: 'b', tool: 'wait', input: { ms: 500 } },
      ]),
    )
    await clock.runUntil(600)
    expect(run.step('a')?.status).toBe('backing_off')
    expect(run.step('b')?.status).toBe('succeeded')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { timeMs: 1000 } })
  })
})
