// Steps that a language model follows, in a whole runtime: tools, limits, facts, surprises, people, and what is cut short.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  memoryJournal,
  type Executor,
  type RuntimeOptions,
  type StepProgress,
  type Trouble,
} from '../../src/runtime/index.ts'
import type { Json } from '../../src/plan/json.ts'
import type { Step } from '../../src/plan/schema.ts'
import { from, planOf } from '../support/plans.ts'
import { journalLeft } from '../support/lostProcess.ts'
import { factsOf, statusesOf } from '../support/runs.ts'
import { calling, resultsIn, scriptedModel, type Script } from '../support/toolCallingModel.ts'
import { echo } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

const prices: Readonly<Record<string, number>> = { bread: 3, milk: 2 }
const price = defineTool({
  name: 'price',
  description: 'Gives a price.',
  effects: 'read',
  input: z.strictObject({ of: z.enum(['bread', 'milk']) }),
  output: z.object({ euro: z.number() }),
  gives: { priced: '/euro' },
  run: ({ of }) => ({ euro: prices[of] ?? 0 }),
})

/** Sends, and notes under which keys; takes `ms`. */
function mailing(
  clock?: VirtualClock,
  ms = 0,
  more: { readonly timeoutMs?: number; readonly concurrency?: number } = {},
) {
  const keys: string[] = []
  let out = 0
  const seen = { most: 0 }
  const tool = defineTool({
    name: 'mail',
    description: 'Sends a mail.',
    effects: 'external',
    ...more,
    input: z.object({ to: z.string() }),
    output: z.object({ sent: z.boolean() }),
    run: async (_, { idempotencyKey, signal }) => {
      keys.push(idempotencyKey)
      seen.most = Math.max(seen.most, ++out)
      await clock?.wait(ms, signal).finally(() => out--)
      return { sent: true }
    },
  })
  return { tool, keys, seen }
}

const sum: Step = { id: 'sum', instruction: 'Sum up the prices.', tools: ['price'] }
const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const

function begin(script: Script, steps: readonly Step[], options: RuntimeOptions = {}) {
  const model = scriptedModel(script, 5)
  const runtime = createRuntime({ tools: [price, echo], model, ...options })
  return { model, runtime, run: runtime.start(planOf(steps), { runId: 'run' }) }
}

describe('a step that a model follows', () => {
  it('calls tools, and its output, facts and use are those of a step', async () => {
    const { run, model } = begin(
      [calling(['price', { of: 'bread' }], ['price', { of: 'milk' }]), '{"sum": 5}'],
      [
        { id: 'shop', tool: 'echo', input: { name: 'corner' } },
        { ...sum, input: { shop: from('shop', '/name') }, expect: outputSchema },
        { id: 'told', tool: 'echo', input: { total: from('sum', '/sum') } },
      ],
    )
    expect(await run.result).toMatchObject({ reason: 'done', usage: { tokens: 20, cost: 1 } })
    expect(run.output('told')).toEqual({ total: 5 })
    expect(factsOf(run)).toEqual({}) // two prices, and nobody can tell which one is meant
    expect(run.modelUse().steps.get('sum')).toMatchObject({ calls: 2, tokens: 20 })
    expect(resultsIn(model.requests[1]!).map((text) => text.split('\n')[1])).toEqual(['{"euro":3}', '{"euro":2}'])
    expect(model.requests[0]?.messages[1]?.text).toContain('{"shop":"corner"}')
  })

  it('gives the facts of the tools that it called', async () => {
    const { run } = begin([calling(['price', { of: 'milk' }]), 'two'], [sum])
    await run.result
    expect(factsOf(run)).toEqual({ priced: 2 })
  })

  it('is told where an input does not fit the schema of the tool', async () => {
    const { run, model } = begin(
      [calling(['price', { of: 'gold' }], ['price', {}], ['price', { of: 'milk', by: 1 }]), 'none'],
      [sum],
    )
    expect(await run.result).toMatchObject({ reason: 'done' })
    for (const text of resultsIn(model.requests[1]!)) expect(text).toMatch(/INPUT_INVALID/)
  })

  it('has not been surprised where its last answer fits only after correction', async () => {
    const { run } = begin(['five', '{"sum": "5"}', '{"sum": 5}'], [{ ...sum, expect: outputSchema }])
    expect(await run.result).toMatchObject({ reason: 'done', usage: { replans: 0 } })
  })

  it.each([
    ['what it reports', calling(['report_surprise', { reason: 'The shop is closed.' }]), /The shop is closed/, null],
    ['an output that never fits', '{"sum": "much"}', /not as expected at "\/sum"/, { sum: 'much' }],
  ] as const)('surprises by %s, and the planner is asked', async (_, said, text, output) => {
    const troubles: Trouble[] = []
    const planner = createFixedPlanner(planOf([{ ...sum, expect: outputSchema }]), {
      replan: (request) => {
        troubles.push(...request.troubles)
        return { keep: 'so be it' }
      },
    })
    const { runtime } = begin(() => said, [], { planner })
    await runtime.start('sum').result
    expect(troubles).toEqual([
      expect.objectContaining({ type: 'surprised', stepId: 'sum', text: expect.stringMatching(text), output }),
    ])
  })

  it('asks a person where there is somebody to ask', async () => {
    const asked: unknown[] = []
    const { run, model } = begin([calling(['ask_person', { question: 'Which shop?' }]), 'done'], [sum], {
      ask: async (question) => {
        asked.push(question)
        return 'the corner shop'
      },
    })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(asked).toEqual([expect.objectContaining({ runId: 'run', stepId: 'sum', text: 'Which shop?' })])
    expect(resultsIn(model.requests[1]!)[0]).toContain('the corner shop')
    const nobody = begin(['done'], [sum])
    await nobody.run.result
    expect(nobody.model.requests[0]?.tools?.map(({ name }) => name)).not.toContain('ask_person')
  })

  it('tells what it is writing while it writes', async () => {
    const { run } = begin(
      async (_, __, { onText }) => {
        await settlePromises()
        onText?.('fi')
        onText?.('ve')
        return 'five'
      },
      [
        { ...sum, after: ['first'] },
        { id: 'first', tool: 'echo' },
      ],
    )
    const told: StepProgress[] = []
    run.progress.subscribe((progress) => told.push(progress))
    await run.result
    expect(told.flatMap(({ delta }) => delta ?? []).join('')).toBe('five')
    expect(told.every(({ stepId }) => stepId === 'sum')).toBe(true)
  })

  it('may be carried out by an executor of one’s own, which takes the place of the model', async () => {
    const own: Executor = { role: 'model', execute: async () => ({ output: 'mine' }) }
    const { run, model } = begin(['done'], [sum], { executors: [own] })
    await run.result
    expect([run.output('sum'), model.requests.length]).toEqual(['mine', 0])
  })

  it('has the limits that the runtime sets for such steps', async () => {
    const { run, model } = begin(() => calling(['price', { of: 'milk' }]), [{ ...sum, onFailure: 'fail' }], {
      modelSteps: { turns: 2 },
    })
    expect(await run.result).toMatchObject({ reason: 'step_failed', failure: { code: 'MODEL_TURNS_SPENT' } })
    expect(model.requests.length).toBe(2)
    expect(() => createRuntime({ model: {} as never, modelSteps: { turns: 0, trns: 1 } as never })).toThrow(
      /complete\(\).*trns.*turns/,
    )
  })

  it('ends the run cleanly where the budget does not suffice for the next answer', async () => {
    const { run, model } = begin(() => calling(['price', { of: 'milk' }]), [sum], { limits: { tokens: 24 } })
    expect(await run.result).toMatchObject({ reason: 'budget_exhausted', failure: { code: 'BUDGET_SHORT' } })
    expect(model.requests.length).toBe(3) // the third was not begun: 20 of 24 were used, and it may take 5
  })

  it('is stopped by a cancel: the call of the model, and those of tools', async () => {
    const clock = new VirtualClock()
    const { tool, keys } = mailing(clock, 1_000)
    const { run, runtime } = begin([calling(['mail', { to: 'ann' }])], [{ ...sum, tools: ['mail'] }], {
      tools: [tool],
      clock,
    })
    await settlePromises()
    expect(keys.length).toBe(1)
    run.cancel()
    expect(await clock.until(run.result)).toMatchObject({ status: 'cancelled' })
    await runtime.close()
    expect(clock.pending).toBe(0)

    let signal: AbortSignal | undefined
    const hanging = begin((_, __, options) => new Promise(() => ({ signal } = options)), [sum], { clock })
    await settlePromises()
    hanging.run.cancel()
    expect(await clock.until(hanging.run.result)).toMatchObject({ status: 'cancelled' })
    expect(signal?.aborted).toBe(true)
  })
})

describe('calls of tools for a step', () => {
  it('keep the limits of the tool, together with the steps of that tool', async () => {
    const clock = new VirtualClock()
    const { tool, seen, keys } = mailing(clock, 10, { concurrency: 1 })
    const many = calling(...['ann', 'bob', 'cid'].map((to) => ['mail', { to }] as const))
    const { run } = begin(
      [many, 'done'],
      [
        { ...sum, tools: ['mail'] },
        { id: 'own', tool: 'mail', input: { to: 'dee' } },
      ],
      { tools: [tool], clock },
    )
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect([seen.most, keys.length]).toEqual([1, 4])
  })

  it('do not wait for a place that the step itself holds', async () => {
    const { run } = begin([calling(['price', { of: 'milk' }]), 'two'], [sum], {
      limits: { totalConcurrency: 1, concurrency: 1 },
    })
    expect(await run.result).toMatchObject({ reason: 'done' })
  })

  it('go to the executor of the tool, whoever that is', async () => {
    const heard: unknown[] = []
    const sandbox: Executor = {
      role: 'tool',
      execute: async ({ tool, input, instruction }) => {
        heard.push([tool, input, instruction])
        return { output: { euro: 9 } }
      },
    }
    const { run, model } = begin([calling(['price', { of: 'milk' }]), 'nine'], [sum], { executors: [sandbox] })
    await run.result
    expect(heard).toEqual([['price', { of: 'milk' }, undefined]])
    expect(resultsIn(model.requests[1]!)[0]).toContain('{"euro":9}')
  })

  it('that take longer than their tool may are cut short, and the model is told', async () => {
    const clock = new VirtualClock()
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time.',
      timeoutMs: 20,
      input: z.object({}),
      output: z.object({}),
      run: () => new Promise<never>(() => undefined), // and does not look at its signal
    })
    const { run, model } = begin([calling(['slow', {}]), 'done'], [{ ...sum, tools: ['slow'] }], {
      tools: [slow],
      clock,
    })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(resultsIn(model.requests[1]!)[0]).toMatch(/CALL_TIMEOUT: The call of "slow" took longer than its 20 ms/)
    expect(clock.now()).toBe(20)
  })

  it('that go silent are cut short, and signs of life keep them going', async () => {
    const clock = new VirtualClock()
    const beating = (name: string, beats: number) =>
      defineTool({
        name,
        description: 'Gives signs of life.',
        heartbeatMs: 20,
        input: z.object({}),
        output: z.object({}),
        run: async (_, { heartbeat, signal }) => {
          for (let beat = 0; beat < beats; beat++) {
            await clock.wait(15, signal)
            heartbeat()
          }
          await clock.wait(beats > 0 ? 1 : 1_000, signal)
          return {}
        },
      })
    const script: Script = [calling(['alive', {}], ['silent', {}]), 'done']
    const { run, model } = begin(script, [{ ...sum, tools: ['alive', 'silent'] }], {
      tools: [beating('alive', 4), beating('silent', 0)],
      clock,
    })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    const [alive, silent] = resultsIn(model.requests[1]!)
    expect(alive).toContain('\n{}\n')
    expect(silent).toMatch(/CALL_SILENT/)
  })

  it('that must not be done twice, and were cut short, leave the step uncertain', async () => {
    const clock = new VirtualClock()
    const { tool, keys } = mailing(clock, 1_000, { timeoutMs: 10 })
    const retry = { attempts: 3, backoffMs: 0, factor: 1, maxBackoffMs: 0, jitter: 0 }
    const script: Script = () => calling(['mail', { to: 'ann' }])
    const { run } = begin(script, [{ ...sum, tools: ['mail'], retry }], { tools: [tool], clock, uncertain: 'fail' })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'step_failed' })
    expect([statusesOf(run), keys.length]).toEqual([{ sum: 'uncertain' }, 1])
  })

  it('that have been done are not done again by another attempt', async () => {
    const { tool, keys } = mailing()
    const retry = { attempts: 3, backoffMs: 0, factor: 1, maxBackoffMs: 0, jitter: 0 }
    const script: Script = (_, turn) =>
      turn % 2 === 1 ? calling(['mail', { to: 'ann' }]) : { end: 'length', text: '' }
    const { run } = begin(script, [{ ...sum, tools: ['mail'], retry, onFailure: 'fail' }], {
      tools: [tool],
      modelSteps: { repairs: 0 },
    })
    expect(await run.result).toMatchObject({
      reason: 'step_failed',
      failure: { hint: expect.stringContaining('"mail"') },
    })
    expect(keys.length).toBe(1)
  })

  it('have the same keys when the process has ended and another one goes on', async () => {
    const keys: string[] = []
    const save = defineTool({
      name: 'save',
      description: 'Saves.',
      effects: 'write',
      idempotent: true,
      input: z.object({ n: z.number() }),
      output: z.object({}),
      run: (_, { idempotencyKey }) => (keys.push(idempotencyKey), {}),
    })
    const journal = memoryJournal()
    const script: Script = (_, turn) => (turn === 1 ? calling(['save', { n: 1 }]) : new Promise(() => undefined))
    const first = begin(script, [{ ...sum, tools: ['save'] }], { tools: [save], journal })
    await settlePromises()
    const left = journalLeft(journal)
    await first.runtime.close()
    await using second = createRuntime({
      tools: [save],
      journal: left,
      model: scriptedModel([calling(['save', { n: 1 }]), 'done']),
    })
    const run = await second.resume('run')
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(keys.length).toBe(2)
    expect(new Set(keys).size).toBe(1)
  })

  it('of tools that only people carry out tell the model so', async () => {
    const byHand = defineTool({
      ...echo.description,
      executor: 'person',
      name: 'by_hand',
      input: z.object({}),
      output: z.object({}),
      run: () => ({}),
      needs: {},
      requires: [],
      gives: {},
    })
    const { run, model } = begin([calling(['by_hand', {}]), 'done'], [{ ...sum, tools: ['by_hand'] }], {
      tools: [byHand],
    })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(resultsIn(model.requests[1]!)[0]).toMatch(/TOOL_NOT_CALLABLE/)
  })
})

describe('what a model writes', () => {
  it('is data for the steps behind it: what looks like a reference is none', async () => {
    const written: Json = { $from: 'secret', path: '/key' }
    const { run } = begin(
      [JSON.stringify(written)],
      [
        { id: 'secret', tool: 'echo', input: { key: 'k' } },
        { ...sum, after: ['secret'] },
        { id: 'told', tool: 'echo', input: { what: from('sum') } },
      ],
    )
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('told')).toEqual({ what: written })
  })
})
