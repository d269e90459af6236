// Closing a runtime: live runs are cancelled or waited for, and nothing keeps the process alive afterwards.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createRuntime, type Planner } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { hang, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const plan = planOf([{ id: 'a', tool: 'wait', input: { ms: 100 } }])

describe('close', () => {
  it('cancels live runs, and leaves no timer', async () => {
    const clock = new VirtualClock()
    const runtime = createRuntime({ tools: [waitTool(clock)], clock, limits: { timeMs: 100_000 } })
    const run = runtime.start(plan)
    await clock.runUntil(10)
    await clock.until(runtime.close())
    expect(run.outcome).toMatchObject({ status: 'cancelled', message: expect.stringContaining('closed') })
    expect(clock.pending).toBe(0)
  })

  it('waits for live runs when told to', async () => {
    const clock = new VirtualClock()
    const runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(plan)
    await clock.until(runtime.close({ runs: 'wait' }))
    expect(run.outcome).toMatchObject({ reason: 'done' })
    expect(clock.pending).toBe(0)
  })

  it('lets in the sub-runs of the runs that it waits for, and nobody else', async () => {
    const clock = new VirtualClock()
    const planner: Planner = {
      name: 'two levels',
      plan: ({ goal }) => ({
        steps: [
          { id: 'wait', tool: 'wait', input: { ms: 10 } },
          goal.text === 'top'
            ? { id: 'sub', goal: { text: 'middle' }, after: ['wait'] }
            : { id: 'end', tool: 'wait', input: { ms: 10 } },
        ],
      }),
    }
    const runtime = createRuntime({ tools: [waitTool(clock)], planner, clock })
    const run = runtime.start('top')
    await clock.runUntil(5)
    const closed = runtime.close({ runs: 'wait' })
    expect(() => runtime.start('top')).toThrow(expect.objectContaining({ code: 'RUNTIME_CLOSED' }))
    await clock.until(closed)
    expect(run.outcome).toMatchObject({ reason: 'done' })
    expect(runtime.runs).toHaveLength(2)
    expect(clock.pending).toBe(0)
  })

  it('cancels after all what it has waited for, when called again', async () => {
    const clock = new VirtualClock()
    const runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(plan)
    await clock.runUntil(10)
    const waiting = runtime.close({ runs: 'wait' })
    await clock.until(Promise.all([waiting, runtime.close()]))
    expect(run.outcome).toMatchObject({ status: 'cancelled', usage: { timeMs: 10 } })
  })

  it('stops what is being planned, and plans no more', async () => {
    const planner: Planner = { name: 'thinker', plan: () => new Promise<never>(() => undefined) }
    const runtime = createRuntime({ planner })
    const planning = runtime.plan('goal')
    const stopped = expect(planning).rejects.toMatchObject({ code: 'ABORTED' })
    await runtime.close()
    await stopped
    await expect(runtime.plan('goal')).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' })
  })

  it('is over within the grace period even if a tool hangs', async () => {
    const clock = new VirtualClock()
    const runtime = createRuntime({ tools: [hang], clock, limits: { graceMs: 300 } })
    runtime.start(planOf([{ id: 'a', tool: 'hang' }]))
    await clock.runUntil(10)
    await clock.until(runtime.close())
    expect(clock.now()).toBe(310)
    expect(clock.pending).toBe(0)
  })

  it('lets no more runs start, and may be called again', async () => {
    const runtime = createRuntime()
    await runtime.close()
    await runtime.close()
    expect(() => runtime.start('goal')).toThrow(expect.objectContaining({ code: 'RUNTIME_CLOSED' }))
  })

  it('comes with the end of its block', async () => {
    const clock = new VirtualClock()
    const run = await (async () => {
      await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
      const started = runtime.start(plan)
      await clock.runUntil(10)
      return started
    })()
    expect(run.outcome?.status).toBe('cancelled')
  })

  it('lets the process exit by itself, on the real clock', { timeout: 30_000 }, async () => {
    const script = fileURLToPath(new URL('../support/closingProcess.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const code = await new Promise((resolve) => child.on('exit', resolve))
    expect(said.trim().split('\n')).toEqual([
      'done done',
      'live cancelled',
      'hung cancelled',
      'many 200 below 100 lasting 0',
      'closed',
    ])
    expect(code).toBe(0)
  })
})
