// What comes of a call: an answer, whatever the way in which the server writes it.
import { describe, expect, it } from 'vitest'
import type { Chunking, Reply } from '../support/modelServer.ts'
import { openModelServer } from '../support/modelServer.ts'
import { hello, modelAt, never } from './calls.ts'

describe.each(['chat', 'responses'] as const)('an answer by %s', (api) => {
  const complete = async (reply: Reply, request = hello) => {
    await using server = await openModelServer([reply])
    const pieces: string[] = []
    const onText = (piece: string) => void pieces.push(piece)
    const answer = await modelAt(server.url, { api }).complete(request, { signal: never, onText })
    return { answer, pieces, body: server.requests[0]!.body, path: server.requests[0]!.path }
  }

  it.each<Chunking>(['events', 'whole', 'bytes', [1, 5, 2, 40]])(
    'is the same when its bytes are cut by %j',
    async (chunking) => {
      const text = 'Grüße, 🙂! 漢字'
      const { answer, pieces, path } = await complete({ text, chunking, comments: true, crlf: chunking === 'bytes' })
      expect(path).toBe(api === 'chat' ? '/v1/chat/completions' : '/v1/responses')
      expect(answer).toMatchObject({ end: 'stop', text, calls: [], model: 'test', usage: { calls: 1, cost: 0 } })
      expect(answer.usage.isEstimated).toBeUndefined()
      expect(pieces.join('')).toBe(text)
      expect(pieces.length).toBeGreaterThan(1)
    },
  )

  it('is read where the server answers whole, with fields that nobody knows, and calls it plain text', async () => {
    const { answer, pieces } = await complete({
      text: 'Hi.',
      whole: true,
      unknown: { novel: { a: [1] } },
      contentType: 'text/plain',
    })
    expect(answer).toMatchObject({ end: 'stop', text: 'Hi.' })
    expect(pieces).toEqual(['Hi.'])
    expect(
      (await complete({ text: 'Hi.', unknown: { novel: { a: [1] } }, contentType: 'text/plain' })).answer.text,
    ).toBe('Hi.')
  })

  it('holds calls whose arguments come in pieces, several at once', async () => {
    const calls = [
      { name: 'read', arguments: { path: 'ä.txt', lines: [1, 2, 3] }, id: 'a' },
      { name: 'read', arguments: '{"path": not JSON', id: 'b' },
    ]
    for (const whole of [false, true]) {
      const { answer } = await complete({ text: 'Let me look.', calls, whole })
      expect(answer).toMatchObject({
        end: 'calls',
        text: 'Let me look.',
        calls: [
          { id: 'a', name: 'read', arguments: '{"path":"ä.txt","lines":[1,2,3]}' },
          { id: 'b', name: 'read', arguments: '{"path": not JSON' },
        ],
      })
    }
  })

  it.each([
    ['length', 'length'],
    ['content_filter', 'filtered'],
  ] as const)('that ends with %s says so', async (finish, end) => {
    expect((await complete({ text: 'Once upon a', finish })).answer).toMatchObject({ end, text: 'Once upon a' })
    expect((await complete({ text: 'Once upon a', finish, whole: true })).answer.end).toBe(end)
  })

  it('that is a refusal says what the model said', async () => {
    expect((await complete({ refusal: 'I would rather not.' })).answer).toMatchObject({
      end: 'refused',
      refusal: 'I would rather not.',
    })
    expect((await complete({ refusal: 'No.', whole: true })).answer).toMatchObject({ end: 'refused', refusal: 'No.' })
  })

  it('says what it used, and what it cost', async () => {
    await using server = await openModelServer([
      { text: 'Hi.', usage: { input: 1_000_000, output: 500_000, cached: 400_000 } },
      { text: 'Twelve signs', usage: 'missing' },
    ])
    const model = modelAt(server.url, { api, prices: { input: 2, output: 10, cached: 0.5 } })
    const usage = {
      tokens: 1_500_000,
      inputTokens: 1_000_000,
      outputTokens: 500_000,
      cachedTokens: 400_000,
      cost: 6.4,
      calls: 1,
    }
    expect((await model.complete(hello, { signal: never })).usage).toEqual(usage)
    const estimated = (await model.complete(hello, { signal: never })).usage
    expect(estimated).toMatchObject({ isEstimated: true, calls: 1 })
    expect(estimated.inputTokens).toBeGreaterThan(0)
    expect(estimated.outputTokens).toBeGreaterThan(0)
    expect(estimated.cost).toBeGreaterThan(0)
  })
})

describe('a request by chat', () => {
  it('says all that was said before, and which tools there are', async () => {
    await using server = await openModelServer([{ text: 'Done.' }])
    await modelAt(server.url, { apiKey: 'sk-test-0123456789', headers: { 'x-team': 'blue' } }).complete(
      {
        messages: [
          { role: 'system', text: 'Be brief.' },
          { role: 'user', text: 'Read a.' },
          { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'read', arguments: '{"path":"a"}' }] },
          { role: 'tool', callId: 'c1', text: 'what stands in a' },
        ],
        tools: [
          { name: 'read', description: 'Reads.', input: { type: 'object', properties: { path: { type: 'string' } } } },
        ],
        maxTokens: 50,
      },
      { signal: never },
    )
    const { body, headers } = server.requests[0]!
    expect(headers).toMatchObject({ authorization: 'Bearer sk-test-0123456789', 'x-team': 'blue' })
    const said = (body.messages ?? []).map(({ role, content }) => [role, content])
    expect(said).toEqual([
      ['system', 'Be brief.'],
      ['user', 'Read a.'],
      ['assistant', null],
      ['tool', 'what stands in a'],
    ])
    expect(body.messages?.[2]?.tool_calls).toEqual([
      { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
    ])
    expect(body.tools?.[0]?.function).toMatchObject({
      name: 'read',
      parameters: { properties: { path: { type: 'string' } } },
    })
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true }, max_tokens: 50, model: 'test' })
  })

  it('sends no key where there is none', async () => {
    await using server = await openModelServer([{ text: 'Hi.' }])
    await modelAt(server.url).complete(hello, { signal: never })
    expect(server.requests[0]!.headers.authorization).toBeUndefined()
  })

  it('does without what the server refuses, and remembers it', async () => {
    await using server = await openModelServer(() => ({ text: 'Hi.' }), { without: ['stream_options', 'stream'] })
    const model = modelAt(server.url)
    expect((await model.complete(hello, { signal: never })).text).toBe('Hi.')
    expect(server.requests).toHaveLength(3)
    expect((await model.complete(hello, { signal: never })).text).toBe('Hi.')
    expect((await modelAt(server.url).complete(hello, { signal: never })).text).toBe('Hi.')
    expect(server.requests).toHaveLength(5)
    expect(server.requests[4]!.body.stream).toBeUndefined()
  })

  it('takes the other name for the longest answer where the first is refused', async () => {
    const old =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    await using server = await openModelServer([{ status: 400, message: old }, { text: 'Hi.' }])
    const answer = await modelAt(server.url).complete({ ...hello, maxTokens: 9 }, { signal: never })
    expect(answer.text).toBe('Hi.')
    expect(server.requests[1]!.body).toMatchObject({ max_completion_tokens: 9 })
    expect(server.requests[1]!.body.max_tokens).toBeUndefined()
  })
})
