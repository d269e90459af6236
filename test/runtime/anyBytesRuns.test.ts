// Whatever a model's server does, from its status line to its last byte: a run ends, in a valid plan that was carried out or in a clear
// failure, and within its budget.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createModelPlanner, createRuntime, defineTool, type Outcome, type Run } from '../../src/index.ts'
import { validatePlan } from '../../src/plan/index.ts'
import { cuts, mutate, mutation } from '../arbitraries/spoiltBytes.ts'
import { modelAt } from '../models/calls.ts'
import { openModelServer, type Reply, type Said, type SentBody } from '../support/modelServer.ts'
import '../support/seed.ts'

const shout = defineTool({
  name: 'shout',
  description: 'Writes a text in capitals.',
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  run: ({ text }) => ({ text: text.toUpperCase() }),
})

const plan = {
  steps: [
    { id: 'first', tool: 'shout', input: { text: 'grüße' } },
    { id: 'words', instruction: 'Say it in other words.', tools: ['shout'], after: ['first'] },
  ],
}
const answers: readonly Said[] = [
  { json: plan },
  { json: plan, whole: true },
  { text: '<think>Well.</think> In other words.', comments: true },
  { calls: [{ name: 'shout', arguments: { text: 'ä' } }], crlf: true },
  { json: { because: 'so', patch: [{ op: 'insert', step: { id: 'more', tool: 'shout', input: { text: 'b' } } }] } },
  { refusal: 'No.', usage: 'missing', noDone: true },
]

/** The bytes of real answers. */
async function recorded(): Promise<Buffer[]> {
  await using server = await openModelServer(answers)
  const all: Buffer[] = []
  for (const { whole = false } of answers) {
    const body = JSON.stringify({
      model: 'test',
      ...(!whole && { stream: true }),
      response_format: { type: 'json_object' },
    })
    all.push(Buffer.from(await (await fetch(`${server.url}/chat/completions`, { method: 'POST', body })).arrayBuffer()))
  }
  return all
}

const errorBody = fc.oneof(
  fc.constantFrom(
    '',
    '{}',
    'null',
    '[]',
    '<html>Bad gateway</html>',
    '{"error":"Bad Request"}',
    '{"error":{"message":"response_format is not supported"}}',
    '{"error":{"message":"this model does not support tools"}}',
    '{"error":{"message":"stream is not supported"}}',
    '{"error":{"code":"context_length_exceeded","message":"too long"}}',
    '{"error":{"code":"json_validate_failed","failed_generation":"{\\"steps\\":[]}"}}',
    '{"detail":[{"loc":["body","max_tokens"],"msg":"extra"}]}',
  ),
  fc.string(),
)

/** What a model would say that does its work. */
function fittingAnswer(body: SentBody): Said {
  return JSON.stringify(body).includes('You carry out one piece of work') ? { text: 'In other words.' } : { json: plan }
}

function repliesFrom(bytes: readonly Buffer[]): fc.Arbitrary<Reply | 'fitting'> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant('fitting' as const) },
    { weight: 4, arbitrary: fc.constantFrom<Reply[]>(...answers) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...bytes),
          fc.array(mutation, { maxLength: 3 }),
          cuts,
          fc.constantFrom('text/event-stream', 'application/json', 'text/html'),
        )
        .map(([real, mutations, chunking, contentType]): Reply => ({
          raw: mutate(real, mutations),
          chunking,
          contentType,
        })),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          status: fc.constantFrom(
            204,
            301,
            307,
            400,
            401,
            402,
            403,
            404,
            408,
            413,
            415,
            422,
            429,
            451,
            500,
            501,
            502,
            503,
            529,
          ),
          body: errorBody,
          retryAfter: fc.constantFrom('0', '-1', 'soon', '99999999', ''),
          headers: fc.constantFrom({}, { location: 'http://127.0.0.1:1/v1' }, { 'x-should-retry': 'false' }),
        })
        .map((reply): Reply => (reply.status === 204 ? { ...reply, body: '' } : reply)),
    },
    { weight: 1, arbitrary: fc.constantFrom<Reply[]>({ drop: true }, { text: 'abc', cutAfter: 1 }) },
  )
}

const limits = { tokens: 24_000, replans: 3, plannerCalls: 4 }

function expectClear(run: Run, outcome: Outcome): void {
  expect(outcome.reason).not.toBe('internal_error')
  const { status, message, usage: used } = outcome
  expect(message).not.toMatch(/\bat .*\.ts:\d+/) // no stack
  if (status === 'failed') expect(message.length).toBeGreaterThan(10)
  if (status === 'completed' && run.plan)
    expect(validatePlan(run.plan, { tools: new Map([['shout', shout.description]]) }).findings).toEqual([])
  expect(used.plannerCalls).toBeLessThanOrEqual(limits.plannerCalls)
  // A call begins only where its estimate is left; what it uses beyond that cannot be known before.
  expect(used.tokens).toBeLessThanOrEqual(limits.tokens + 4_096)
  for (const { status: step } of run.ledger()) expect(['waiting', 'ready', 'running']).not.toContain(step)
}

describe('a run', () => {
  it(
    'ends in a plan that was carried out, or in a clear failure, whatever its server does',
    { timeout: 120_000 },
    async () => {
      const bytes = await recorded()
      const queue: (Reply | 'fitting')[] = []
      await using server = await openModelServer(({ body }) => {
        const reply = queue.shift() ?? 'fitting'
        return reply === 'fitting' ? fittingAnswer(body) : reply
      })
      const ended = new Map<string, number>()
      await fc.assert(
        fc.asyncProperty(fc.array(repliesFrom(bytes), { maxLength: 8 }), async (replies) => {
          queue.splice(0, queue.length, ...replies)
          const model = modelAt(server.url, { failuresInARow: Infinity, retries: 1, maxWaitMs: 1_000 })
          await using runtime = createRuntime({ tools: [shout], model, planner: createModelPlanner(model), limits })
          const run = runtime.start('shout')
          const outcome = await run.result
          ended.set(outcome.reason, (ended.get(outcome.reason) ?? 0) + 1)
          expectClear(run, outcome)
        }),
        { numRuns: Number(process.env['PLANLOOM_LAW_RUNS'] ?? 150) },
      )
      expect(ended.get('done')).toBeGreaterThan(3)
      expect(ended.size).toBeGreaterThan(2)
    },
  )
})
