// Whatever a model of somebody's own reports of what it used, or does not: the run stays within its budget.
import { describe, expect, it } from 'vitest'
import { createModelPlanner, createRuntime, type Model } from '../../src/index.ts'
import { planOf } from '../support/plans.ts'

const reports: readonly (readonly [string, unknown])[] = [
  ['NaN', { tokens: NaN, cost: NaN }],
  ['less than nothing', { tokens: -1e9, inputTokens: -1, outputTokens: -1, cost: -5 }],
  ['no end', { tokens: Infinity, cost: Infinity }],
  ['texts', { tokens: '12', cost: '0' }],
  ['nothing', undefined],
  ['null', null],
]
const limits = { tokens: 20_000 }

/** Asks for one more turn, and never ends. */
function endless(usage: unknown, asks: boolean): Model & { calls: number } {
  const model = {
    name: 'endless',
    calls: 0,
    complete: async (_: unknown, { budget }: Parameters<Model['complete']>[1]) => {
      model.calls += 1
      const reservation = asks ? budget?.reserve({ tokens: -1e9, cost: NaN }) : undefined
      reservation?.settle({ model: 'endless', usage: usage as never, ms: 1 })
      const text = `{"steps": [{"id": "no step", "why": "${'so '.repeat(2_000)}"}]}`
      return { end: 'stop' as const, text, calls: [], model: 'endless', usage: usage as never }
    },
  }
  return model
}

describe.each(reports)('a model that reports %s', (_, usage) => {
  it.each([true, false])('cannot pass the budget of a run by its plans (it asks the budget: %s)', async (asks) => {
    const model = endless(usage, asks)
    await using runtime = createRuntime({ tools: [], planner: createModelPlanner({ model, rounds: 10 }), limits })
    const run = runtime.start('do something')
    const outcome = await run.result
    expect(outcome.status).toBe('failed')
    expect(Number.isFinite(outcome.usage.tokens) && Number.isFinite(outcome.usage.cost)).toBe(true)
    expect(outcome.usage.tokens).toBeGreaterThanOrEqual(0)
    expect(run.modelUse().total).toMatchObject({ tokens: outcome.usage.tokens, calls: model.calls })
    if (asks) return // it says that its calls take nothing, and nobody can say how many they took
    expect(outcome.reason).toBe('budget_exhausted')
    expect(outcome.usage.tokens).toBeLessThanOrEqual(limits.tokens)
    expect(run.modelUse().total.isEstimated).toBe(true)
  })

  it('cannot pass it by its steps', async () => {
    const model = endless(usage, false)
    await using runtime = createRuntime({ tools: [], model, limits, modelSteps: { repairs: 50, turns: 50 } })
    const expect_ = { type: 'object', required: ['sum'] } as const
    const run = runtime.start(planOf([{ id: 'a', instruction: 'do', executor: 'model', expect: expect_ }]))
    const outcome = await run.result
    expect(outcome).toMatchObject({ status: 'failed', reason: 'budget_exhausted' })
    expect(outcome.usage.tokens).toBeLessThanOrEqual(limits.tokens)
    expect(run.modelUse().total).toMatchObject({ tokens: outcome.usage.tokens, calls: model.calls, isEstimated: true })
  })
})
