// What model calls may use of a run's budget, and how it is told.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRuntime, memoryJournal, type Executor, type Planner } from '../../src/index.ts'
import type { CallBudget, ModelUsage } from '../../src/models/model.ts'
import { planOf } from '../support/plans.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const usageOf = (tokens: number, cost = 0): ModelUsage => ({
  tokens,
  inputTokens: tokens - 1,
  outputTokens: 1,
  cachedTokens: 0,
  cost,
  calls: 1,
})

/** One call: reserved, made, settled. */
async function call(budget: CallBudget | undefined, clock: VirtualClock, estimate: number, used: number, cost = 0) {
  const reservation = budget?.reserve({ tokens: estimate, cost })
  await clock.wait(1)
  reservation?.settle({ model: 'm-1', usage: usageOf(used, cost), ms: 1 })
}

/** Carries out steps by calls of the sizes in their input. */
function calling(clock: VirtualClock): Executor {
  return {
    role: 'model',
    execute: async ({ input }, { budget }) => {
      const { estimate, used, cost = 0 } = input as { estimate: number; used: number; cost?: number }
      await call(budget, clock, estimate, used, cost)
      return { output: 'done' }
    },
  }
}

const step = (id: string, input: { estimate: number; used: number; cost?: number }, more: object = {}) => ({
  id,
  instruction: 'do',
  executor: 'model',
  input,
  ...more,
})

async function carriedOut(
  steps: readonly object[],
  limits: { tokens?: number; cost?: number; concurrency?: number },
  more: object = {},
) {
  const clock = new VirtualClock()
  const journal = memoryJournal()
  await using runtime = createRuntime({ executors: [calling(clock)], clock, journal, limits, ...more })
  const run = runtime.start(planOf(steps as never))
  await clock.advance(1000)
  const outcome = await run.result
  const events = [...(journal.read(run.id) as Iterable<{ type: string }>)]
  return { run, outcome, calls: events.filter(({ type }) => type === 'model.called') }
}

describe('a budget', () => {
  it('counts each call once, by step and in all, and the record tells each', async () => {
    const { run, outcome, calls } = await carriedOut(
      [step('a', { estimate: 10, used: 7, cost: 0.5 }), step('b', { estimate: 10, used: 9 }, { after: ['a'] })],
      {},
    )
    expect(outcome.usage).toMatchObject({ tokens: 16, cost: 0.5 })
    expect(calls).toMatchObject([
      { caller: { stepId: 'a', attempt: 1 }, model: 'm-1', usage: { tokens: 7, outputTokens: 1 }, ms: 1 },
      { caller: { stepId: 'b', attempt: 1 }, usage: { tokens: 9 } },
    ])
    const use = run.modelUse()
    expect(use.total).toMatchObject({ tokens: 16, inputTokens: 14, calls: 2, cost: 0.5 })
    expect(use.steps.get('b')).toMatchObject({ tokens: 9, calls: 1 })
    expect(use.planner.calls).toBe(0)
    expect(run.at(2).modelUse().total).toMatchObject({ tokens: 7, calls: 1 })
  })

  it('that may not suffice for a call ends the run before the call, with the step and what to do', async () => {
    const { outcome, calls } = await carriedOut(
      [step('a', { estimate: 60, used: 60 }), step('b', { estimate: 60, used: 1 }, { after: ['a'] })],
      { tokens: 100 },
    )
    expect(outcome).toMatchObject({
      status: 'failed',
      reason: 'budget_exhausted',
      stepId: 'b',
      failure: { code: 'BUDGET_SHORT' },
    })
    expect(outcome.message).toBe('The next call of a model may take 60 tokens, and 40 of 100 are left.')
    expect(outcome.failure?.hint).toContain('limits.tokens')
    expect(calls).toHaveLength(1)
  })

  it('of a step that may be left out is no reason to end', async () => {
    const { outcome } = await carriedOut(
      [step('a', { estimate: 600, used: 1 }, { onFailure: 'skip' }), step('b', { estimate: 50, used: 5 })],
      { tokens: 100 },
    )
    expect(outcome).toMatchObject({ status: 'completed', usage: { tokens: 5 } })
  })

  it('is not spent twice by calls side by side', async () => {
    const sizes = fc.record({ estimate: fc.integer({ min: 1, max: 40 }), saved: fc.nat(40) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(sizes, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 200 }),
        async (all, tokens) => {
          const steps = all.map(({ estimate, saved }, n) =>
            step(`s${n}`, { estimate, used: Math.max(1, estimate - saved) }, { onFailure: 'skip' }),
          )
          const { outcome } = await carriedOut(steps, { tokens })
          expect(outcome.usage.tokens).toBeLessThanOrEqual(tokens)
          expect(outcome.reason).not.toBe('internal_error')
        },
      ),
      { numRuns: 60 },
    )
  })

  it('that a call has overdrawn ends the run', async () => {
    const { outcome } = await carriedOut(
      [step('a', { estimate: 5, used: 500 }), step('b', { estimate: 1, used: 1 }, { after: ['a'] })],
      { tokens: 100 },
    )
    expect(outcome).toMatchObject({ reason: 'budget_exhausted', usage: { tokens: 500 } })
  })

  it('in money holds as well', async () => {
    const { outcome } = await carriedOut(
      [step('a', { estimate: 1, used: 1, cost: 2 }), step('b', { estimate: 1, used: 1, cost: 2 }, { after: ['a'] })],
      { cost: 3 },
    )
    expect(outcome.message).toBe('The next call of a model may take 2 in money, and 1 of 3 are left.')
  })

  it('is the planner’s as well', async () => {
    const clock = new VirtualClock()
    const planner: Planner = {
      name: 'words',
      async plan(_request, { budget }) {
        await call(budget, clock, 10, 8)
        await call(budget, clock, 1000, 8)
        return { steps: [] }
      },
    }
    await using runtime = createRuntime({ planner, clock, limits: { tokens: 100 } })
    const run = runtime.start('anything')
    await clock.advance(1000)
    expect(await run.result).toMatchObject({ reason: 'budget_exhausted', usage: { tokens: 8 } })
    expect(run.modelUse().planner).toMatchObject({ tokens: 8, calls: 1 })
  })
})
