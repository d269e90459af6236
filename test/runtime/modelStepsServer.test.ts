// Steps that a model follows, through a whole runtime and over real HTTP: what is sent, what comes, and what goes wrong on the way.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createModel,
  createRuntime,
  defineTool,
  type RuntimeOptions,
  type StepProgress,
} from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { openModelServer, type ModelServerOptions, type Script } from '../support/modelServer.ts'
import { planOf } from '../support/plans.ts'

const price = defineTool({
  name: 'price',
  description: 'Gives a price.',
  effects: 'read',
  input: z.strictObject({ of: z.string() }),
  output: z.object({ euro: z.number() }),
  run: ({ of }) => ({ euro: of === 'bread' ? 3 : 2 }),
})
const sum: Step = {
  id: 'sum',
  instruction: 'Sum up the prices.',
  tools: ['price'],
  expect: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'], additionalProperties: false },
  onFailure: 'fail',
}
const both = {
  calls: [
    { name: 'price', arguments: { of: 'bread' } },
    { name: 'price', arguments: { of: 'milk' } },
  ],
}

async function open(
  script: Script,
  more: { readonly server?: ModelServerOptions; readonly runtime?: RuntimeOptions; readonly step?: Partial<Step> } = {},
) {
  const server = await openModelServer(script, more.server)
  const model = createModel({
    model: 'test',
    baseURL: server.url,
    apiKey: 'none',
    prices: { input: 1_000, output: 10_000 },
  })
  const runtime = createRuntime({ tools: [price], model, ...more.runtime })
  const run = runtime.start(planOf([{ ...sum, ...more.step }]))
  const close = async (): Promise<void> => {
    await runtime.close()
    await server.close()
  }
  return { server, run, [Symbol.asyncDispose]: close }
}

describe('a step that a model follows, over HTTP', () => {
  it('sends its tools and its schema, and what came of each call under its id', async () => {
    await using opened = await open([both, { json: { sum: 5 } }])
    const { run, server } = opened
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('sum')).toEqual({ sum: 5 })
    const [first, second] = server.requests.map(({ body }) => body)
    expect(first?.tools?.map((tool) => tool.function?.name)).toEqual(['price', 'report_surprise', 'read_more'])
    expect(first?.response_format).toMatchObject({ type: 'json_schema' })
    const sent = second?.messages ?? []
    const asked = sent.find(({ tool_calls: calls }) => calls !== undefined)?.tool_calls ?? []
    const results = sent.filter(({ role }) => role === 'tool')
    expect(results.map(({ tool_call_id: id }) => id)).toEqual(asked.map(({ id }) => id))
    expect(results.map(({ content }) => /euro":(\d)/.exec(content ?? '')?.[1])).toEqual(['3', '2'])
    expect(sent.slice(0, 2)).toEqual(first?.messages) // what was sent before stands first, so that the server has it already
  })

  it('is counted call by call, with its cost', async () => {
    const usage = { input: 100, output: 10, cached: 40 }
    await using opened = await open([
      { ...both, usage },
      { json: { sum: 5 }, usage },
    ])
    await opened.run.result
    expect(opened.run.modelUse().steps.get('sum')).toMatchObject({ calls: 2, tokens: 220, cachedTokens: 80, cost: 0.4 })
    expect(await opened.run.result).toMatchObject({ usage: { tokens: 220 } })
  })

  it.each([
    ['no strict schemas', ['strict']],
    ['no schemas', ['json_schema', 'strict']],
    ['no JSON mode', ['json_schema', 'json_object', 'strict']],
    ['no streams', ['stream', 'stream_options']],
  ] as const)('takes a server that has %s', async (_, without) => {
    await using opened = await open([both, { json: { sum: 5 } }], { server: { without: [...without] } })
    expect(await opened.run.result).toMatchObject({ reason: 'done' })
    expect(opened.run.output('sum')).toEqual({ sum: 5 })
  })

  it('tells what is being written, from a stream that is cut anywhere', async () => {
    await using opened = await open([both, { text: '{"sum": 5}', chunking: 'bytes', comments: true }])
    const told: StepProgress[] = []
    opened.run.progress.subscribe((progress) => told.push(progress))
    await opened.run.result
    expect(told.flatMap(({ delta }) => delta ?? []).join('')).toContain('{"sum": 5}')
  })

  it('tells the model of arguments that are no JSON, as they came', async () => {
    const broken = { calls: [{ name: 'price', arguments: '{"of": "bre' }], finish: 'length' }
    await using opened = await open([broken, { calls: [{ name: 'price', arguments: '' }] }, both, { json: { sum: 5 } }])
    expect(await opened.run.result).toMatchObject({ reason: 'done' })
    const results = opened.server.requests.slice(1, 3).map(({ body }) => body.messages?.at(-1)?.content)
    expect(results).toEqual([expect.stringContaining('not JSON'), expect.stringContaining('are empty')])
  })

  it.each([
    ['MODEL_REFUSED', { refusal: 'I would rather not.' }],
    ['MODEL_FILTERED', { text: 'x', finish: 'content_filter' }],
    ['MODEL_REQUEST_REFUSED', { status: 422, message: 'no such thing' }],
    ['MODEL_KEY_REFUSED', { status: 401, message: 'bad key' }],
  ] as const)('fails with %s, and says why', async (code, reply) => {
    await using opened = await open([reply])
    const outcome = await opened.run.result
    expect(outcome).toMatchObject({ reason: 'step_failed', failure: { code } })
    expect(outcome.failure?.message).not.toBe('')
  })

  it('has its answer corrected where the server does not keep to the schema', async () => {
    await using opened = await open([
      { text: 'About five.' },
      { text: 'Well: ```json\n{"sum": "5"}\n```' },
      { text: '{"sum": 5}' },
    ])
    expect(await opened.run.result).toMatchObject({ reason: 'done', usage: { replans: 0 } })
    expect(opened.server.requests.length).toBe(3)
  })

  it('aborts the request as soon as the run is cancelled', async () => {
    await using opened = await open([{ hang: true }])
    const { run, server } = opened
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    run.cancel()
    expect(await run.result).toMatchObject({ status: 'cancelled' })
    expect(await server.requests[0]?.gone).toBe(true)
  })

  it('does not begin an answer for which the budget may not suffice', async () => {
    await using opened = await open([both], {
      runtime: { limits: { tokens: 5_000 }, modelSteps: { maxTokens: 4_000 } },
    })
    expect(await opened.run.result).toMatchObject({ reason: 'budget_exhausted' })
    expect(opened.server.requests.length).toBe(1)
  })

  it('keeps within the tokens of one attempt, by the estimate of each call', async () => {
    await using opened = await open(() => both, { runtime: { modelSteps: { tokens: 6_000, maxTokens: 2_000 } } })
    expect(await opened.run.result).toMatchObject({ reason: 'step_failed', failure: { code: 'MODEL_TOKENS_SPENT' } })
    expect(opened.run.modelUse().total.tokens).toBeLessThanOrEqual(6_000)
    expect(opened.server.requests.length).toBeGreaterThan(1)
  })
})
