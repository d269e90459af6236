// Steps that wait for a person: answered through the API or by whoever the runtime asks.
import { describe, expect, it } from 'vitest'
import { createRuntime, type Question } from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, waitTool } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

const plan = planOf([
  { id: 'ask', instruction: 'Which colour?', input: { colours: ['red', 'blue'] } },
  { id: 'paint', tool: 'echo', input: { colour: from('ask', '/colour') } },
])

describe('a person step', () => {
  it('waits for an answer, and goes on with it', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(plan)
    await settlePromises()
    expect(run.questions).toEqual([
      { stepId: 'ask', kind: 'answer', text: 'Which colour?', input: { colours: ['red', 'blue'] } },
    ])
    run.answer('ask', { colour: 'red' }, { by: 'ann' })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('paint')).toEqual({ colour: 'red' })
    expect(run.questions).toEqual([])
  })

  it('is put to whoever the runtime asks', async () => {
    const asked: (Question & { readonly runId: string })[] = []
    await using runtime = createRuntime({
      tools: [echo],
      ask: (question) => {
        asked.push(question)
        return Promise.resolve({ colour: 'blue' })
      },
    })
    const run = runtime.start(plan)
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(asked).toMatchObject([
      { runId: run.id, stepId: 'ask', kind: 'answer', text: 'Which colour?', input: { colours: ['red', 'blue'] } },
    ])
    expect(run.output('paint')).toEqual({ colour: 'blue' })
  })

  it('that was answered through the API is asked of nobody any more', async () => {
    let signal: AbortSignal | undefined
    await using runtime = createRuntime({
      tools: [echo],
      ask: (_question, asking) => {
        signal = asking
        return new Promise<never>(() => undefined)
      },
    })
    const run = runtime.start(plan)
    await settlePromises()
    run.answer('ask', { colour: 'red' })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(signal?.aborted).toBe(true)
  })

  it('whose asking breaks is a failed step', async () => {
    await using runtime = createRuntime({ tools: [echo], ask: () => Promise.reject(new Error('nobody at home')) })
    const outcome = await runtime.start(plan).result
    expect(outcome).toMatchObject({ status: 'failed', failure: { code: 'ANSWER_FAILED' } })
    expect(outcome.failure?.message).toContain('nobody at home')
  })

  it('takes one answer: a second one is refused in words', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(
      planOf([
        { id: 'ask', instruction: 'Well?' },
        { id: 'on', tool: 'wait', input: { ms: 100 } },
      ]),
    )
    await clock.runUntil(10)
    run.answer('ask', 1)
    expect(() => run.answer('ask', 2)).toThrow(expect.objectContaining({ code: 'COMMAND_REFUSED' }))
    expect(() => run.answer('nobody', 2)).toThrow(expect.objectContaining({ code: 'COMMAND_REFUSED' }))
    await clock.until(run.result)
    expect(run.output('ask')).toBe(1)
  })

  it('may have a time limit', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ clock })
    const run = runtime.start(planOf([{ id: 'ask', instruction: 'Well?', timeoutMs: 1000, onFailure: 'skip' }]))
    expect(await clock.until(run.result)).toMatchObject({ reason: 'partial', usage: { timeMs: 1000 } })
    expect(run.step('ask')).toMatchObject({ status: 'skipped', failure: { code: 'STEP_TIMEOUT' } })
  })

  it('ends with a cancel', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [echo], clock })
    const run = runtime.start(plan)
    await settlePromises()
    run.cancel()
    expect(await clock.until(run.result)).toMatchObject({ status: 'cancelled', usage: { timeMs: 0 } })
    expect(statusesOf(run)).toEqual({ ask: 'cancelled', paint: 'cancelled' })
  })
})

describe('500 steps that wait for people', () => {
  it('take no executor from a step that works', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({
      tools: [waitTool(clock), echo],
      clock,
      limits: { concurrency: 1, totalConcurrency: 1 },
    })
    const ids = Array.from({ length: 500 }, (_, index) => `ask${String(index)}`)
    const run = runtime.start(
      planOf([
        ...ids.map((id) => ({ id, instruction: id })),
        { id: 'work1', tool: 'wait', input: { ms: 10 } },
        { id: 'work2', tool: 'wait', after: ['work1'], input: { ms: 10 } },
      ]),
    )
    await clock.runUntil(20)
    expect(run.output('work2')).toEqual({ endedAt: 20 })
    expect(run.questions).toHaveLength(500)
    for (const id of ids) run.answer(id, id)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', counts: { succeeded: 502 } })
    expect(run.output('ask499')).toBe('ask499')
  })
})
