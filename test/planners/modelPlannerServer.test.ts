import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createModel } from '../../src/models/createModel.ts'
import { createModelPlanner, createRuntime, defineTool, memoryJournal, type JournalEvent } from '../../src/index.ts'
import { openModelServer, type Reply } from '../support/modelServer.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const shout = defineTool({
  name: 'shout',
  description: 'Writes a text in capitals.',
  input: z.object({ text: z.string(), marks: z.int().optional() }),
  output: z.object({ text: z.string() }),
  run: ({ text, marks = 0 }) => {
    if (text === 'broken') throw new Error('it is broken')
    return { text: text.toUpperCase() + '!'.repeat(marks) }
  },
})

const plan = {
  steps: [
    { id: 'first', tool: 'shout', input: { text: 'grüße 𝄞' } },
    { id: 'second', tool: 'shout', input: { text: { $from: 'first', path: '/text' }, marks: 2 } },
  ],
}

async function runAgainst(script: Reply[], more: Parameters<typeof openModelServer>[1] = {}) {
  await using server = await openModelServer(script, more)
  const model = createModel({ model: 'test', baseURL: server.url, apiKey: 'key' })
  await using runtime = createRuntime({ tools: [shout], planner: createModelPlanner(model) })
  const run = runtime.start('shout twice')
  return { outcome: await run.result, run, requests: server.requests }
}

describe('the model planner against a server', () => {
  it.each<[string, Reply]>([
    ['event by event', { json: plan }],
    ['byte by byte', { json: plan, chunking: 'bytes' }],
    ['with comments between', { json: plan, comments: true, crlf: true }],
    ['with words around it', { text: `Here:\n\`\`\`json\n${JSON.stringify(plan)}\n\`\`\`` }],
  ])('takes a plan that comes %s', async (_, reply) => {
    const { outcome, run } = await runAgainst([reply])
    expect(outcome.reason).toBe('done')
    expect(run.output('second')).toEqual({ text: 'GRÜSSE 𝄞!!' })
  })

  it('asks under a strict schema that has the tools and their inputs in it', async () => {
    const { requests } = await runAgainst([{ json: plan }])
    const sent = JSON.stringify(requests[0]?.body)
    expect(sent).toContain('"strict":true')
    expect(sent).toContain('"enum":["shout"]')
  })

  it('repairs, amends and counts what it has used', async () => {
    const broken = { steps: [{ id: 'first', tool: 'shout', input: { text: 'broken' } }] }
    const patch = [{ op: 'insert', step: { id: 'again', tool: 'shout', input: { text: 'whole' } } }]
    const { outcome, requests } = await runAgainst([
      { text: '{"steps": [{"id": "first"', finish: 'length' },
      { json: broken },
      { json: { because: 'another text', patch } },
    ])
    expect(outcome.reason).toBe('done')
    expect(requests).toHaveLength(3)
    expect(outcome.usage.tokens).toBeGreaterThan(1_000)
  })

  it.each<[string, Reply]>([
    ['a refusal', { refusal: 'I would rather not.' }],
    ['no choices', { noChoices: true }],
    ['a refused key', { status: 401 }],
    ['a stream that is cut', { json: plan, cutAfter: 1 }],
  ])('ends in a clear failure: %s', async (_, reply) => {
    const { outcome } = await runAgainst(Array.from({ length: 12 }, () => reply))
    expect(['gave_up', 'invalid_plan', 'planner_failed']).toContain(outcome.reason)
    expect(outcome.message.length).toBeGreaterThan(10)
  })
})

describe('a draft in an answer', () => {
  const step = (text: string) => JSON.stringify({ steps: [{ id: text, tool: 'shout', input: { text } }] })
  const longer = `{"steps":[{"id":"wrong","tool":"shout","input":{"text":"wrong"}},${' '.repeat(50)}{"id":"b","tool":"shout","input":{"text":"b"}}]}`

  it.each<[string, Reply]>([
    ['in thoughts that the chat template has opened', { text: `Maybe ${longer} hmm no.</think>\n${step('good')}` }],
    ['in thoughts', { text: `<think>Maybe ${longer} hmm no.</think>\n${step('good')}` }],
    ['among words', { text: `First: ${longer} Better: ${step('good')}` }],
    ['among words of a whole answer', { text: `First: ${step('wrong')} Better: ${step('good')}`, whole: true }],
    ['at the beginning of a whole answer', { text: `${step('wrong')} Better: ${step('good')}`, whole: true }],
  ])('is not carried out: %s', async (_, reply) => {
    const { outcome, run } = await runAgainst([reply, { text: step('good') }])
    expect(outcome.reason).toBe('done')
    expect([...run.ledger()].map(({ id }) => id)).toEqual(['good'])
  })
})

describe('a call that is out when its run ends at once', () => {
  it.each(['cancelled', 'out of time'])('is counted by its estimate: %s', async (how) => {
    await using server = await openModelServer([{ hang: true }])
    const model = createModel({
      model: 'test',
      baseURL: server.url,
      apiKey: 'key',
      maxTokens: 50,
      prices: { input: 1, output: 1 },
    })
    const clock = new VirtualClock()
    const journal = memoryJournal()
    await using runtime = createRuntime({
      tools: [shout],
      planner: createModelPlanner(model),
      clock,
      journal,
      limits: { timeMs: 60_000 },
    })
    const run = runtime.start('shout twice')
    while (server.requests.length === 0) await new Promise(setImmediate)
    if (how === 'cancelled') run.cancel()
    else await clock.advance(60_000)
    const outcome = await clock.until(run.result)
    expect(outcome.usage.tokens).toBeGreaterThan(50)
    expect(outcome.usage.cost).toBeGreaterThan(0)
    expect(run.modelUse().planner).toMatchObject({ calls: 1, tokens: outcome.usage.tokens, isEstimated: true })
    const calls = [...(journal.read(run.id) as Iterable<JournalEvent>)].filter(({ type }) => type === 'model.called')
    expect(calls).toMatchObject([{ model: 'test', code: 'ABORTED', caller: { requestId: expect.any(String) } }])
    expect(await server.requests[0]?.gone).toBe(true)
  })

  it('is counted where a step that was sent out early has failed the run', async () => {
    const first = { id: 'first', tool: 'shout', input: { text: 'broken' }, onFailure: 'fail' }
    const text = `{"steps":[${JSON.stringify(first)},{"id":"second","tool":"shout","input":{"text":"never told"}}]}`
    await using server = await openModelServer([{ hang: { text, after: text.length - 20, pieceLength: 1 } }])
    const model = createModel({ model: 'test', baseURL: server.url, apiKey: 'key', maxTokens: 50 })
    const journal = memoryJournal()
    await using runtime = createRuntime({ tools: [shout], planner: createModelPlanner(model), journal })
    const run = runtime.start('shout twice')
    const outcome = await run.result
    expect([outcome.status, outcome.reason]).toEqual(['failed', 'step_failed'])
    expect(outcome.usage.tokens).toBeGreaterThan(50)
    expect(run.modelUse().planner).toMatchObject({ calls: 1, tokens: outcome.usage.tokens, isEstimated: true })
    const types = [...(journal.read(run.id) as Iterable<JournalEvent>)].map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['model.called', 'step.failed'])
    expect(await server.requests[0]?.gone).toBe(true)
  })
})
