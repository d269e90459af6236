// Refusals in the words of many servers: each is taken for what it means, and costs one request.
import { describe, expect, it } from 'vitest'
import { openModelServer, type Reply, type SentBody } from '../support/modelServer.ts'
import { hello, modelAt, never, point } from './calls.ts'

const json = { x: 4, why: 'so' }
const answer = JSON.stringify(json)
const event = (value: unknown, name = ''): Reply => ({ raw: `${name}data: ${JSON.stringify(value)}\n\n` })

function wayOf({ response_format: format, tools = [] }: SentBody): string {
  if (format !== undefined) return format.json_schema?.strict === true ? 'strict' : format.type
  return tools.length > 0 ? 'tool' : 'text'
}

describe('a way of asking that a server stumbles over', () => {
  it.each<[string, Reply]>([
    ['500', { status: 500, message: 'JSON schema conversion failed: unsupported type "null"' }],
    ['500 in words of its own', { status: 500, body: '{"detail":"Failed to compile the grammar"}' }],
    ['501', { status: 501, message: 'not implemented' }],
    ['503 about it', { status: 503, message: 'response_format is not supported by the loaded backend' }],
    ['an error in a stream', event({ error: { message: 'json_schema: compilation failed', code: 500 } })],
    ['an event of the name "error"', event({ message: 'structured outputs are off' }, 'event: error\n')],
    ['an error with status 200', { raw: '{"error":{"message":"response_format: not supported"}}' }],
  ])('with %s is given up for a lower one, and the server is not taken to be down', async (_what, refusal) => {
    await using server = await openModelServer(({ body }) => (wayOf(body) === 'strict' ? refusal : { json }))
    const model = modelAt(server.url, { failuresInARow: 1 })
    for (const times of [2, 3]) {
      expect((await model.complete(point, { signal: never })).text).toBe(answer)
      expect(server.requests).toHaveLength(times)
    }
  })

  it('by Responses as well', async () => {
    const refusal = event({ type: 'error', message: 'text.format: grammar too complex', code: 'server_error' })
    await using server = await openModelServer(({ body }) =>
      body.text?.format?.type === 'json_schema' ? refusal : { json },
    )
    const model = modelAt(server.url, { api: 'responses' })
    expect((await model.complete(point, { signal: never })).text).toBe(answer)
    expect(server.requests).toHaveLength(2)
  })

  it('is not asked for at all where a person has said with which to begin', async () => {
    await using server = await openModelServer(() => ({ json }))
    await modelAt(server.url, { jsonFormat: 'text' }).complete(point, { signal: never })
    await modelAt(server.url, { jsonFormat: 'object' }).complete(point, { signal: never })
    await modelAt(server.url).complete(point, { signal: never })
    expect(server.requests.map(({ body }) => wayOf(body))).toEqual(['text', 'json_object', 'strict'])
    expect(() => modelAt(server.url, { jsonFormat: 'xml' as never })).toThrow('"jsonFormat" is "xml"')
  })

  it('of a server that is down is asked for again', async () => {
    await using server = await openModelServer([{ status: 500, message: 'out of memory' }, { json }])
    expect((await modelAt(server.url).complete(point, { signal: never })).text).toBe(answer)
    expect(server.requests.map(({ body }) => wayOf(body))).toEqual(['strict', 'strict'])
  })
})

describe('an error in the place of an answer, with status 200', () => {
  it.each([429, 502, '503'])('is tried again where its code is %s, and nothing had been said', async (code) => {
    await using server = await openModelServer([event({ error: { message: 'later', code } }), { text: 'Hi.' }])
    const { text, usage } = await modelAt(server.url).complete(hello, { signal: never })
    expect([text, usage.calls]).toEqual(['Hi.', 1])
  })

  it('is told where something had', async () => {
    const said = { choices: [{ index: 0, delta: { content: 'Once' } }] }
    const raw = `data: ${JSON.stringify(said)}\n\ndata: ${JSON.stringify({ error: { message: 'later', code: 502 } })}\n\n`
    await using server = await openModelServer([{ raw }, { text: 'Hi.' }])
    await expect(modelAt(server.url).complete(hello, { signal: never })).rejects.toMatchObject({
      code: 'MODEL_ANSWER_BROKEN',
    })
    expect(server.requests).toHaveLength(1)
  })
})

describe('an answer that the server has found unfit', () => {
  it('is an answer, for whoever asked to find out what is wrong with it', async () => {
    const error = {
      message: 'Failed to generate JSON.',
      code: 'json_validate_failed',
      failed_generation: '{"x": "four"}',
    }
    await using server = await openModelServer([{ status: 400, body: JSON.stringify({ error }) }])
    const { end, text, usage } = await modelAt(server.url).complete(point, { signal: never })
    expect({ end, text, isEstimated: usage.isEstimated }).toEqual({
      end: 'stop',
      text: '{"x": "four"}',
      isEstimated: true,
    })
    expect(server.requests).toHaveLength(1)
  })

  it('as a call of a tool may be another time', async () => {
    const error = { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: '<function=f>' }
    await using server = await openModelServer([{ status: 400, body: JSON.stringify({ error }) }])
    await expect(modelAt(server.url).complete(hello, { signal: never })).rejects.toMatchObject({
      code: 'MODEL_ANSWER_BROKEN',
      retryable: true,
    })
  })
})

describe('what a server repeats of the request', () => {
  const fault = { type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }
  const input = { stream: true, max_tokens: 10, response_format: {}, tools: [] }
  const python = `[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {'stream': True, 'max_tokens': 10}}]`
  it.each<[string, Reply]>([
    ['FastAPI', { status: 422, body: JSON.stringify({ detail: [{ ...fault, input }] }) }],
    ['vLLM', { status: 400, body: JSON.stringify({ object: 'error', message: python, param: null, code: 400 }) }],
    ['vLLM of late', { status: 400, body: JSON.stringify({ error: { message: python, code: 400 } }) }],
    [
      'one that names the parameter apart',
      { status: 400, body: JSON.stringify({ error: { message: 'Unknown parameter', param: 'stream_options' } }) },
    ],
  ])('is not taken for what it refuses: %s', async (_who, refusal) => {
    await using server = await openModelServer(({ body }) => (body.stream_options === undefined ? { json } : refusal))
    await modelAt(server.url, { maxTokens: 10 }).complete(point, { signal: never })
    expect(server.requests).toHaveLength(2)
    const { stream, max_tokens: limit } = server.requests[1]!.body
    expect([stream, limit, wayOf(server.requests[1]!.body)]).toEqual([true, 10, 'strict'])
  })

  it('is not told either', async () => {
    const detail = [{ loc: ['body', 'seed'], msg: 'too young', input: { secret: 'of the request' } }]
    await using server = await openModelServer([{ status: 422, body: JSON.stringify({ detail }) }])
    const error: unknown = await modelAt(server.url)
      .complete(hello, { signal: never })
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: expect.stringContaining('body.seed: too young') })
    expect(String(error)).not.toContain('of the request')
  })
})

describe('a refusal tells what to do', () => {
  it('where the limit of an answer is too large, and keeps its name', async () => {
    const message = 'max_tokens is too large: 9999. This model supports at most 4096 completion tokens.'
    await using server = await openModelServer([{ status: 400, message }])
    await expect(modelAt(server.url, { maxTokens: 9_999 }).complete(hello, { signal: never })).rejects.toMatchObject({
      code: 'MODEL_REQUEST_REFUSED',
      hint: expect.stringContaining('maxTokens'),
    })
    expect(server.requests).toHaveLength(1)
  })

  it('where there is no Responses API', async () => {
    await using server = await openModelServer([], { without: ['responses'] })
    await expect(modelAt(server.url, { api: 'responses' }).complete(hello, { signal: never })).rejects.toMatchObject({
      hint: expect.stringContaining("api to 'chat'"),
    })
  })
})

describe('a server that takes no tools', () => {
  const tool = { name: 'look', description: 'Looks.', input: { type: 'object' } }
  const spare = { ...tool, name: 'spare', optional: true }
  it.each<Reply>([
    { status: 400, message: 'registry.example/model does not support tools' },
    { status: 500, message: 'tools param requires --jinja flag' },
    { status: 404, message: 'No endpoints found that support tool use.' },
    { status: 400, message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' },
    {
      status: 422,
      body: JSON.stringify({ detail: [{ loc: ['body', 'tools'], msg: 'Extra inputs are not permitted' }] }),
    },
  ])('is asked without those that can be done without, from then on at once: %j', async (refusal) => {
    await using server = await openModelServer(({ body }) => (body.tools === undefined ? { text: 'Hi.' } : refusal))
    const model = modelAt(server.url)
    for (const times of [2, 3]) {
      expect((await model.complete({ ...hello, tools: [spare] }, { signal: never })).text).toBe('Hi.')
      expect(server.requests).toHaveLength(times)
    }
    await expect(model.complete({ ...hello, tools: [tool, spare] }, { signal: never })).rejects.toMatchObject({
      code: 'MODEL_TOOLS_REFUSED',
      retryable: false,
      hint: expect.stringContaining('model that can call tools'),
    })
    expect(server.requests).toHaveLength(3)
  })

  it.each<Reply>([
    { status: 400, message: "Unsupported parameter: 'tools[0].function.strict'" },
    {
      status: 422,
      body: JSON.stringify({ detail: [{ loc: ['body', 'tools', 0, 'x'], msg: 'Extra inputs are not permitted' }] }),
    },
    { status: 400, message: "Invalid schema for function 'look': unknown keyword" },
    { status: 400, message: "tool_choice 'required' is not supported" },
    { status: 400, message: 'Unknown parameter: parallel_tool_calls' },
  ])('is not taken for one that refuses something of them: %j', async (refusal) => {
    await using server = await openModelServer([refusal, { text: 'Hi.' }])
    const model = modelAt(server.url)
    await expect(model.complete({ ...hello, tools: [tool] }, { signal: never })).rejects.toMatchObject({
      code: 'MODEL_REQUEST_REFUSED',
    })
    await model.complete({ ...hello, tools: [tool] }, { signal: never })
    expect(server.requests.at(-1)?.body.tools).toHaveLength(1)
  })

  it('and no schemas either is asked in words', async () => {
    await using server = await openModelServer(() => ({ json }), { without: ['tools', 'json_schema', 'json_object'] })
    const { text } = await modelAt(server.url).complete({ ...point, tools: [spare] }, { signal: never })
    expect(text).toBe(answer)
    expect(wayOf(server.requests.at(-1)!.body)).toBe('text')
  })
})
