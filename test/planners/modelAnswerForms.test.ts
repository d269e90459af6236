// What a model is offered to write, under a strict schema, and what it means: expectations, retries, sub-goals, and tools that take
// names which are not known before.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createModel } from '../../src/models/createModel.ts'
import { createModelPlanner, createRuntime, defineTool, type RuntimeOptions } from '../../src/index.ts'
import { checkSchema } from '../../src/plan/jsonSchemaCheck.ts'
import type { Json, JsonObject } from '../../src/plan/json.ts'
import { openModelServer, type Reply } from '../support/modelServer.ts'

const count = defineTool({
  name: 'count',
  description: 'Counts the letters of a text.',
  input: z.object({ text: z.string() }),
  output: z.object({ letters: z.int() }),
  run: ({ text }) => ({ letters: text.length }),
})
let failures = 0
const flaky = defineTool({
  name: 'flaky',
  description: 'Fails the first time.',
  input: z.object({}),
  output: z.object({}),
  run: () => {
    if (failures++ === 0) throw new Error('not yet')
    return {}
  },
})
const openFields = {
  record: z.record(z.string(), z.int()).optional(),
  any: z.unknown().optional(),
  loose: z.looseObject({ known: z.string() }).optional(),
  list: z.array(z.any()).optional(),
}
const takesAnything = {
  name: 'open',
  description: 'Takes anything.',
  output: z.unknown(),
  run: (input: unknown) => input,
}
const open = defineTool({ ...takesAnything, input: z.object(openFields) })
/** No strict schema can say what a tuple is. */
const openAndPair = defineTool({
  ...takesAnything,
  input: z.object({ ...openFields, tuple: z.tuple([z.string(), z.int()]) }),
})
const record = defineTool({
  name: 'record',
  description: 'Takes names and numbers.',
  input: z.record(z.string(), z.int()),
  output: z.record(z.string(), z.int()),
  run: (input) => input,
})

/** A step as a strict schema has it written: all that it does not say is null. */
const strictly = (step: JsonObject): JsonObject => ({
  ...Object.fromEntries(
    ['after', 'forEach', 'when', 'onFailure', 'onSkipped', 'approval', 'why', 'expect'].map((name) => [name, null]),
  ),
  ...step,
})
const keywords = [
  'const',
  'enum',
  'type',
  'minimum',
  'maximum',
  'minLength',
  'minItems',
  'maxItems',
  'pattern',
  'required',
]
const schemaOf = (is: JsonObject): JsonObject => ({
  ...Object.fromEntries(keywords.map((keyword) => [keyword, null])),
  ...is,
})
const toolStep = (id: string, tool: string, input: Json, more: JsonObject = {}): JsonObject =>
  strictly({ id, tool, input, retry: null, ...more })
const whole = (...steps: JsonObject[]) => ({ json: { giveUp: null, steps, assumptions: null } })

async function runAgainst(script: Reply[], tools: NonNullable<RuntimeOptions['tools']>, limits = {}) {
  await using server = await openModelServer(script)
  const model = createModel({ model: 'test', baseURL: server.url, apiKey: 'key' })
  await using runtime = createRuntime({ tools, planner: createModelPlanner(model), limits })
  const run = runtime.start('do what is to be done')
  const outcome = await run.result
  const formats = server.requests.map(({ body }) => body.response_format?.json_schema)
  for (const [index, format] of formats.entries()) {
    expect(format?.strict).toBe(true) // the server takes no strict schema that is not one
    const { json } = script[index] as { json: Json }
    expect(checkSchema(format?.schema as JsonObject, json)).toEqual([])
  }
  return { outcome, run, formats }
}

describe('a model under a strict schema', () => {
  it('says what it expects of an output, and is asked where that does not hold', async () => {
    const expected = [{ path: '/letters', is: schemaOf({ minimum: 10 }) }]
    const { outcome, run } = await runAgainst(
      [
        whole(toolStep('count', 'count', { text: 'abc' }, { expect: expected })),
        { json: { giveUp: null, ask: null, keep: 'three will do', because: null, patch: null } },
      ],
      [count],
    )
    expect(outcome.reason).toBe('done')
    expect(run.plan?.steps[0]?.expect).toEqual({
      type: 'object',
      properties: { letters: { minimum: 10 } },
      required: ['letters'],
    })
    expect([...run.ledger()][0]).toMatchObject({ status: 'succeeded' })
    expect(outcome.usage.replans).toBe(1)
  })

  it('has a step tried again', async () => {
    failures = 0
    const retry = { attempts: 2, backoffMs: 0 }
    const { outcome, run } = await runAgainst([whole(toolStep('flaky', 'flaky', {}, { retry }))], [flaky])
    expect(outcome).toMatchObject({ reason: 'done', usage: { replans: 0 } })
    expect(run.step('flaky')?.attempt).toBe(2)
  })

  it('leaves a part to a plan of its own', async () => {
    const { outcome, run, formats } = await runAgainst(
      [
        whole(
          toolStep('first', 'count', { text: 'abc' }),
          strictly({
            id: 'rest',
            goal: { text: 'the rest' },
            input: { given: [{ $from: 'first', path: '/letters' }] },
          }),
        ),
        whole(toolStep('inner', 'count', { text: 'abcd' })),
      ],
      [count],
      { depth: 1 },
    )
    expect(outcome.reason).toBe('done')
    expect(run.output('rest')).toEqual({ inner: { letters: 4 } })
    expect(JSON.stringify(formats[0])).toContain('"goal"')
    expect(JSON.stringify(formats[1])).not.toContain('"goal"') // it is as deep as may be
  })

  it('is held to it for each tool, also where one takes names that are not known before', async () => {
    const text = (value: Json) => ({ $json: JSON.stringify(value) })
    const { outcome, run, formats } = await runAgainst(
      [
        whole(
          toolStep('count', 'count', { text: 'abc' }),
          toolStep('open', 'open', text({ record: { a: 1 }, tuple: ['x', 1], any: { $from: 'count', path: '' } })),
          toolStep('record', 'record', text({ a: { $from: 'count', path: '/letters' } })),
        ),
      ],
      [count, openAndPair, record],
    )
    expect(outcome.reason).toBe('done')
    expect(run.output('open')).toEqual({ record: { a: 1 }, tuple: ['x', 1], any: { letters: 3 } })
    expect(run.output('record')).toEqual({ a: 3 })
    expect(checkSchema(formats[0]?.schema as JsonObject, whole(toolStep('count', 'count', {})).json)).not.toEqual([])
  })

  it('writes only what has no names as a text, and the rest as it is', async () => {
    const { outcome, run } = await runAgainst(
      [
        whole(
          toolStep('open', 'open', {
            record: { $json: '{"a": 1}' },
            any: 'a text',
            loose: { known: 'yes' },
            list: [1, 'a', { $json: '{"b": [2]}' }],
          }),
        ),
      ],
      [open],
    )
    expect(outcome.reason).toBe('done')
    expect(run.output('open')).toEqual({
      record: { a: 1 },
      any: 'a text',
      loose: { known: 'yes' },
      list: [1, 'a', { b: [2] }],
    })
  })

  it('is asked again where such a text is no JSON: no tool gets it as it stands', async () => {
    const { outcome, run } = await runAgainst(
      [
        whole(toolStep('record', 'record', { $json: '{"a": 1' })),
        whole(toolStep('record', 'record', { $json: '{"a": 1}' })),
      ],
      [record],
    )
    expect(outcome.reason).toBe('done')
    expect(run.output('record')).toEqual({ a: 1 })
  })
})
