import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createFallbackPlanner,
  createFixedPlanner,
  createModelPlanner,
  createRuntime,
  PlanloomError,
  type FallbackPlannerOptions,
  type Planner,
  type Shortfall,
  type Step,
} from '../../src/index.ts'
import { echo } from '../support/tools.ts'
import { scriptedModel, textOf, usageOfOneCall } from '../support/scriptedModel.ts'

const one: Step = { id: 'one', tool: 'echo', input: { n: 1 } }
const two: Step = { id: 'two', tool: 'echo', input: { n: { $from: 'one', path: '/n' } } }
const good = { json: { steps: [one, two] } }

async function run(planners: readonly Planner[], options?: FallbackPlannerOptions) {
  await using runtime = createRuntime({ tools: [echo], planner: createFallbackPlanner(planners, options) })
  const handle = runtime.start('go')
  return { outcome: await handle.result, steps: handle.plan?.steps.map(({ id }) => id), by: handle.plan?.by }
}

describe('a chain of planners', () => {
  const spare = createFixedPlanner({ steps: [one] })

  it.each<[Shortfall['because'], Planner]>([
    ['threw', createModelPlanner(scriptedModel([{ error: new Error('down') }]))],
    [
      'budget',
      createModelPlanner(scriptedModel([{ error: new PlanloomError('BUDGET_SHORT', 'Too little is left.') }])),
    ],
    ['gave_up', createModelPlanner(scriptedModel([{ json: { giveUp: 'no' } }]))],
    ['unsound', createModelPlanner({ model: scriptedModel(['hm']), rounds: 1 })],
  ])('asks the next one where the first has no answer: %s', async (because, first) => {
    const said: string[] = []
    const when = (shortfall: Shortfall): boolean => {
      said.push(shortfall.because)
      return true
    }
    const { outcome, steps } = await run([first, spare], { when })
    expect(outcome.reason).toBe('done')
    expect(steps).toEqual(['one'])
    expect(said).toEqual([because])
  })

  it('lets each have its own rounds, and counts what all have used', async () => {
    const first = scriptedModel(['hm'])
    const second = scriptedModel(['well', good])
    const { outcome, steps } = await run([
      createModelPlanner({ model: first, rounds: 1 }),
      createModelPlanner({ model: second, rounds: 1 }),
    ])
    expect(outcome.reason).toBe('done')
    expect(steps).toEqual(['one', 'two'])
    expect([first.requests.length, second.requests.length]).toEqual([2, 2])
    expect(outcome.usage.tokens).toBe(4 * usageOfOneCall.tokens)
    expect(textOf(second.requests[0] ?? { messages: [] })).not.toContain('cannot be used')
  })

  it('asks no other one where the policy says no', async () => {
    const second = scriptedModel([good])
    const chain = [createModelPlanner(scriptedModel([{ json: { giveUp: 'no' } }])), createModelPlanner(second)]
    const { outcome } = await run(chain, { when: ({ because }) => because === 'threw' })
    expect(outcome.reason).toBe('gave_up')
    expect(second.requests).toHaveLength(0)
  })

  it('keeps the steps that the first one had streamed before it broke off', async () => {
    async function* breaking() {
      yield `{"steps":[${JSON.stringify(one)},`
      await Promise.resolve()
      throw new Error('connection lost')
    }
    const second = scriptedModel([{ json: { steps: [two] } }])
    const { outcome, steps } = await run([
      createModelPlanner(scriptedModel([{ pieces: breaking() }])),
      createModelPlanner(second),
    ])
    expect(outcome.reason).toBe('done')
    expect(steps).toEqual(['one', 'two'])
    expect(textOf(second.requests[0] ?? { messages: [] })).toContain('# Steps that have begun')
  })

  it('fails with what the last one threw, and with what all have used', async () => {
    const planner = createFallbackPlanner([
      createModelPlanner(scriptedModel([{ json: { giveUp: 'no' } }])),
      createModelPlanner(scriptedModel([{ error: new PlanloomError('MODEL_UNAVAILABLE', 'It is down.') }])),
    ])
    await using runtime = createRuntime({ tools: [echo], planner })
    await expect(runtime.plan('go')).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' })
  })

  it('names each that was asked where none has an answer, with the reason', async () => {
    const down = (name: string): Planner => ({
      ...createModelPlanner(scriptedModel([{ error: new PlanloomError('MODEL_UNAVAILABLE', `${name} is down`) }])),
      name,
    })
    const failed = await run([down('near'), down('far')])
    expect(failed.outcome).toMatchObject({ reason: 'planner_failed', failure: { code: 'MODEL_UNAVAILABLE' } })
    expect(failed.outcome.message).toContain('far is down. Before it: near failed (near is down).')
    const gone: Planner = { name: 'gone', plan: () => Promise.resolve({ giveUp: 'it cannot be done' }) }
    const { outcome } = await run([down('near'), gone])
    expect(outcome).toMatchObject({ reason: 'gave_up' })
    expect(outcome.message).toContain('it cannot be done. Before it: near failed (near is down).')
  })

  it('asks the next one where one gives nothing for an amendment', async () => {
    const surprising: Step = { ...one, expect: { properties: { n: { const: 2 } } } }
    const first = createFixedPlanner({ steps: [surprising] }, { replan: () => undefined as never })
    const second = createFixedPlanner({ steps: [] }, { replan: () => ({ keep: 'fine' }) })
    expect((await run([first, second])).outcome.reason).toBe('done')
  })

  it('asks first whether the plan stands, and amends by whoever can', async () => {
    const surprising: Step = { ...one, expect: { properties: { n: { const: 2 } } } }
    const answers = [true, false]
    const chain = [createFixedPlanner({ steps: [surprising] }, { replan: () => ({ giveUp: 'not me' }) }), spare]
    const kept = await run(chain, { standsCheck: () => answers[0] ?? false })
    expect(kept.outcome.reason).toBe('done')
    const lost = await run(chain, { standsCheck: () => ({ stands: answers[1] ?? false }) })
    expect(lost.outcome.reason).toBe('gave_up')
  })

  it('asks the planner where the check of whether the plan stands is broken, and says so', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warned.mockRestore())
    const surprising: Step = { ...one, expect: { properties: { n: { const: 2 } } } }
    const keeping = createFixedPlanner({ steps: [surprising] }, { replan: () => ({ keep: 'fine' }) })
    const standsCheck = (): never => {
      throw new TypeError('no such field')
    }
    expect((await run([keeping], { standsCheck })).outcome.reason).toBe('done')
    expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('no such field'), {
      code: 'STANDS_CHECK_FAILED',
    })
  })

  it('wants planners', () => {
    expect(() => createFallbackPlanner([])).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }) as Error)
    expect(() => createFallbackPlanner([{} as Planner])).toThrow(/not one of planners/)
    expect(() => createModelPlanner({} as never)).toThrow(/no model/)
    expect(() => createModelPlanner({ model: scriptedModel(['']), rounds: -1 })).toThrow(/"rounds" is -1/)
  })
})
