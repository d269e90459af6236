// Answers in JSON, by whatever way the server has.
import { describe, expect, it } from 'vitest'
import { openModelServer, type Ability, type Reply, type SentBody } from '../support/modelServer.ts'
import { hello, modelAt, never, point } from './calls.ts'

const json = { x: 4, why: 'so' }

function wayOf({ response_format: format, tool_choice: choice, messages = [] }: SentBody): string {
  if (format?.type === 'json_schema') return format.json_schema?.strict === true ? 'strict' : 'schema'
  if (format?.type === 'json_object') return 'object'
  if (choice !== undefined) return 'tool'
  return messages.some(({ content }) => content?.includes('JSON Schema') === true) ? 'text' : 'none'
}

describe('an answer in JSON', () => {
  it.each<[readonly Ability[], readonly string[]]>([
    [[], ['strict']],
    [['strict'], ['strict', 'schema']],
    [['json_schema'], ['strict', 'object']],
    [
      ['json_schema', 'json_object'],
      ['strict', 'object', 'tool'],
    ],
    [
      ['json_schema', 'json_object', 'tools'],
      ['strict', 'object', 'tool', 'text'],
    ],
    [
      ['json_schema', 'json_object', 'tool_choice'],
      ['strict', 'object', 'tool', 'text'],
    ],
  ])('of a server without %j is asked for as %j, and then at once in the last way', async (without, ways) => {
    await using server = await openModelServer(() => ({ json }), { without })
    const model = modelAt(server.url)
    for (const call of [1, 2]) {
      const pieces: string[] = []
      const answer = await model.complete(point, { signal: never, onText: (piece) => void pieces.push(piece) })
      expect(answer).toMatchObject({ end: 'stop', text: JSON.stringify(json), calls: [] })
      expect(pieces.join('')).toBe(JSON.stringify(json))
      expect(pieces.length).toBeGreaterThan(1)
      expect(server.requests.map(({ body }) => wayOf(body))).toEqual(call === 1 ? ways : [...ways, ways.at(-1)])
    }
    await model.complete(hello, { signal: never })
    expect(wayOf(server.requests.at(-1)!.body)).toBe('none')
  })

  it('by Responses is asked for under the strict schema', async () => {
    await using server = await openModelServer([{ json }])
    const answer = await modelAt(server.url, { api: 'responses' }).complete(point, { signal: never })
    expect(answer.text).toBe(JSON.stringify(json))
    expect(server.requests[0]!.body.text?.format).toMatchObject({
      type: 'json_schema',
      name: 'point',
      strict: true,
      schema: { required: ['x', 'why'], additionalProperties: false },
    })
  })

  it.each([
    ['nothing', { status: 400, body: '' }],
    ['no reason', { status: 400, body: '{"error":"Bad Request"}' }],
    [
      'a reason in words of its own',
      { status: 400, message: "Unknown name 'generation_config.response_schema': Cannot find field." },
    ],
    ['a list', { status: 400, body: '[{"error":{"message":"The specified schema produces too much"}}]' }],
    ['another status', { status: 415, body: '{"error":"x"}' }],
    [
      'that nobody takes such parameters',
      { status: 404, message: 'No endpoints found that support the requested parameters' },
    ],
  ] satisfies [string, Reply][])(
    'is asked for in a lower way where a server says %s, and from then on at once',
    async (_what, refusal) => {
      await using server = await openModelServer([refusal, { json }, { json }])
      const model = modelAt(server.url)
      for (const ways of [
        ['strict', 'object'],
        ['strict', 'object', 'object'],
      ]) {
        expect((await model.complete(point, { signal: never })).text).toBe(JSON.stringify(json))
        expect(server.requests.map(({ body }) => wayOf(body))).toEqual(ways)
      }
    },
  )

  it('is asked for as ever where a refusal in no words was about something else, which is said', async () => {
    const refusal: Reply = { status: 400, message: 'no' }
    await using server = await openModelServer([refusal, refusal, refusal, { json }])
    const model = modelAt(server.url)
    await expect(model.complete(point, { signal: never })).rejects.toMatchObject({ code: 'MODEL_REQUEST_REFUSED' })
    await model.complete(point, { signal: never })
    expect(server.requests.map(({ body }) => wayOf(body))).toEqual(['strict', 'object', 'text', 'strict'])
  })

  it.each([
    'Incorrect API key provided',
    "This model's maximum context length is 4096 tokens",
    'The model "x" does not exist',
  ])('is asked for once where the refusal is "%s"', async (message) => {
    await using server = await openModelServer([{ status: 400, message }])
    await expect(modelAt(server.url).complete(point, { signal: never })).rejects.toThrow()
    expect(server.requests).toHaveLength(1)
  })

  it('is asked for loosely where only this schema is refused, and strictly for others', async () => {
    const refusal: Reply = { status: 400, message: "Invalid schema for response_format 'point': too deep" }
    await using server = await openModelServer((_request, index) => (index === 0 ? refusal : { json }))
    const model = modelAt(server.url)
    const other = { ...point, format: { ...point.format!, schema: { ...(point.format!.schema as object) } } }
    for (const request of [point, point, other]) await model.complete(request, { signal: never })
    expect(server.requests.map(({ body }) => wayOf(body))).toEqual(['strict', 'schema', 'schema', 'strict'])
  })

  it('is not asked for in another way after an error that says nothing of the way', async () => {
    await using server = await openModelServer([{ status: 400, message: 'messages: too long' }])
    await expect(modelAt(server.url).complete(point, { signal: never })).rejects.toMatchObject({
      code: 'MODEL_REQUEST_REFUSED',
    })
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['told while it comes after thoughts', '<think>Maybe {"x": 1}?</think>\n```json\n', true],
    ['told at its end after words, among which a draft may stand', 'Here {as asked} it is:\n```json\n', false],
  ])('of a model that talks around it is the JSON alone; %s', async (_where, before, isTold) => {
    const json = '{"x": 4,\n"why": "a \\"}\\" in it"}'
    const text = `${before}${json}\n\`\`\`\nAnything else?`
    for (const chunking of ['events', 'bytes'] as const) {
      await using server = await openModelServer([{ text, chunking, pieceLength: 3 }])
      const pieces: string[] = []
      const answer = await modelAt(server.url).complete(point, {
        signal: never,
        onText: (piece) => void pieces.push(piece),
      })
      expect(answer.text).toBe(json)
      expect(pieces.join('')).toBe(isTold ? json : '')
    }
  })

  it('that is cut off stays as it is', async () => {
    await using server = await openModelServer([{ text: '{"x": 4, "wh', finish: 'length' }])
    expect(await modelAt(server.url).complete(point, { signal: never })).toMatchObject({
      end: 'length',
      text: '{"x": 4, "wh',
    })
  })

  it('by a tool leaves the other tools to be called', async () => {
    const without = ['json_schema', 'json_object'] as const
    const calls = [{ name: 'look', arguments: {} }]
    await using server = await openModelServer([{ calls }, { calls: [{ name: 'point', arguments: json }] }], {
      without,
    })
    const request = { ...point, tools: [{ name: 'look', description: 'Looks.', input: { type: 'object' } }] }
    const model = modelAt(server.url)
    expect(await model.complete(request, { signal: never })).toMatchObject({
      end: 'calls',
      calls: [{ name: 'look' }],
      text: '',
    })
    expect(server.requests.at(-1)!.body.tool_choice).toBe('required')
    expect(await model.complete(request, { signal: never })).toMatchObject({
      end: 'stop',
      calls: [],
      text: JSON.stringify(json),
    })
  })
})
