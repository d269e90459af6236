// Answers to steps: who may be answered, and that an answer is taken as the tool's own output would be.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRuntime, defineTool, type RuntimeOptions, type ToolDeclaration } from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { factsOf } from '../support/runs.ts'
import { echo, hang } from '../support/tools.ts'
import { settlePromises } from '../support/virtualClock.ts'

const priceOutput = z.object({ price: z.number().min(0), currency: z.string().default('EUR') })

/** A tool whose work a person may do in its place. */
const price = (more: Partial<ToolDeclaration<z.ZodType, z.ZodType>> = {}) =>
  defineTool({
    name: 'price',
    description: 'Finds a price.',
    input: z.object({}),
    output: priceOutput,
    gives: { price: '/price' },
    run: () => ({ price: 1 }),
    ...(more as object),
  })

const byHand = planOf([
  { id: 'find', tool: 'price', executor: 'person', expect: { properties: { price: { maximum: 100 } } } },
  { id: 'use', tool: 'echo', input: { price: from('find', '/price') } },
])

async function waiting(options: RuntimeOptions = {}) {
  const runtime = createRuntime({ tools: [echo, hang, price()], ...options })
  const run = runtime.start(byHand)
  await settlePromises()
  return { runtime, run }
}

/** A step whose effect is in doubt: the tool may not be repeated, and did not answer in time. */
async function uncertain() {
  const send = price({ effects: 'external', run: () => new Promise(() => undefined), timeoutMs: 20 })
  const planner = { name: 'thinker', plan: () => ({ steps: [] }), replan: () => new Promise<never>(() => undefined) }
  const runtime = createRuntime({ tools: [echo, send], planner, limits: { graceMs: 0 } })
  const run = runtime.start(
    planOf([
      { id: 'find', tool: 'price' },
      { id: 'use', tool: 'echo', input: { price: from('find', '/price') } },
    ]),
  )
  await new Promise<void>((resolve) => {
    const seen = run.transitions().subscribe(({ steps }) => {
      if (!steps.some(({ status }) => status === 'uncertain')) return
      resolve()
      queueMicrotask(() => seen.unsubscribe())
    })
  })
  return { runtime, run }
}

describe('an answer for a tool', () => {
  it('is completed by its output schema and gives its facts', async () => {
    const { runtime, run } = await waiting()
    run.answer('find', { price: 5, more: 'dropped' })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('find')).toEqual({ price: 5, currency: 'EUR' })
    expect(run.output('use')).toEqual({ price: 5 })
    expect(factsOf(run)).toEqual({ price: 5 })
    expect(run.fact('price')?.by).toBe('find')
    await runtime.close()
  })

  it.each<[string, unknown, string, RegExp]>([
    ['what the tool would not give', { price: 'five' }, '/price', /expected number.*What came there: "five"/],
    ['what its schema refuses', { price: -1 }, '/price', />=0/],
    ['what the step does not expect', { price: 101 }, '/price', /100/],
    ['undefined', undefined, '', /The answer is undefined, which JSON cannot hold/],
    ['a function', () => 5, '', /function/],
    ['a value with a hole', { price: 5, currency: 5n }, '/currency', /bigint/i],
  ])('that is %s is refused, and the step goes on waiting', async (_what, value, path, words) => {
    const { runtime, run } = await waiting()
    const before = run.step('find')
    expect(() => run.answer('find', value as never)).toThrow(
      expect.objectContaining({
        code: 'ANSWER_INVALID',
        message: expect.stringMatching(words),
        where: { runId: run.id, stepId: 'find', path },
      }),
    )
    expect(run.step('find')).toEqual(before)
    run.answer('find', { price: 5, currency: 'USD' })
    expect(await run.result).toMatchObject({ reason: 'done' })
    await runtime.close()
  })

  it('is checked as far as can be at once where the schema waits for something', async () => {
    const output = z.object({ price: z.number().refine(() => Promise.reject(new Error('no rates'))) })
    const { runtime, run } = await waiting({ tools: [echo, price({ output })] })
    expect(() => run.answer('find', { price: 'x' })).toThrow(expect.objectContaining({ code: 'ANSWER_INVALID' }))
    run.answer('find', { price: 3 })
    expect(await run.result).toMatchObject({ reason: 'done' })
    await runtime.close()
  })

  it('gives facts under the name of its item', async () => {
    await using runtime = createRuntime({ tools: [echo, price()] })
    const run = runtime.start(
      planOf([
        { id: 'list', tool: 'echo', input: { of: ['a', 'b'] } },
        { id: 'find', tool: 'price', executor: 'person', forEach: from('list', '/of') },
      ]),
    )
    await settlePromises()
    run.answer('find[1]', { price: 2 })
    run.answer('find[0]', { price: 1 })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(factsOf(run)).toEqual({ 'price[0]': 1, 'price[1]': 2 })
  })

  it('by whoever the runtime asks is checked in the same way', async () => {
    const answers: unknown[] = [{ price: 'five' }, { price: 5 }]
    const { runtime, run } = await waiting({ ask: () => Promise.resolve(answers.shift()) })
    expect(await run.result).toMatchObject({
      status: 'failed',
      failure: { code: 'ANSWER_INVALID', path: '/price' },
    })
    const again = runtime.start(byHand)
    expect(await again.result).toMatchObject({ reason: 'done' })
    expect(again.output('find')).toEqual({ price: 5, currency: 'EUR' })
    expect(factsOf(again)).toEqual({ price: 5 })
    await runtime.close()
  })
})

describe('an answer to a step that waits for nobody', () => {
  it('is refused: a tool carries it out', async () => {
    await using runtime = createRuntime({ tools: [hang], limits: { graceMs: 0 } })
    const run = runtime.start(planOf([{ id: 'a', tool: 'hang' }]))
    await settlePromises()
    expect(() => run.answer('a', {})).toThrow(
      expect.objectContaining({
        code: 'COMMAND_REFUSED',
        reason: 'step_status',
        possible: ['skip'],
        message: expect.stringContaining('carried out by an executor of role "tool"'),
      }),
    )
    expect(run.step('a')?.status).toBe('running')
  })
})

describe('an answer to a step that is uncertain', () => {
  it('says what became of it: with the facts and the checks of its tool', async () => {
    const { runtime, run } = await uncertain()
    expect(() => run.answer('find', {})).toThrow(expect.objectContaining({ code: 'ANSWER_INVALID' }))
    run.answer('find', { price: 7 })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(factsOf(run)).toEqual({ price: 7 })
    expect(run.output('use')).toEqual({ price: 7 })
    await runtime.close()
  })
})
