// What a call ends with when there is no answer: a clear error, in time, without the key.
import { describe, expect, it } from 'vitest'
import { PlanloomError } from '../../src/errors.ts'
import type { Model } from '../../src/models/model.ts'
import { ModelError } from '../../src/models/modelError.ts'
import { openModelServer, refusedAddress, type Reply } from '../support/modelServer.ts'
import { hello, modelAt, never, stillClock } from './calls.ts'

const key = 'very-secret-key/0123456789=='

async function errorOf(model: Model, signal = never): Promise<PlanloomError> {
  const error = await model.complete(hello, { signal }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof PlanloomError)) throw new Error('no PlanloomError', { cause: error })
  return error
}

/** All that can be read of an error, causes and hidden properties included. */
function allOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const names = Object.getOwnPropertyNames(error)
  return names.map((name) => `${name}: ${allOf((error as Record<string, unknown>)[name])}`).join('\n')
}

describe.each(['chat', 'responses'] as const)('by %s', (api) => {
  it.each<[string, Reply, string, RegExp]>([
    [
      'a page in the place of an answer',
      { raw: '<!doctype html><title>Welcome</title>', contentType: 'text/html' },
      'MODEL_ANSWER_BROKEN',
      /neither JSON nor .*text\/html.*Welcome/,
    ],
    ['an empty answer', { raw: '' }, 'MODEL_ANSWER_BROKEN', /empty/],
    ['an event that is no JSON', { raw: 'data: {"choices": [oops\n\n' }, 'MODEL_ANSWER_BROKEN', /not JSON/],
    ['JSON that is no answer', { raw: '{"hello": "world"}' }, 'MODEL_ANSWER_BROKEN', /holds no/],
    [
      'no choice at all',
      { noChoices: true, noDone: true, cutAfter: 0 },
      'MODEL_ANSWER_BROKEN',
      /connection|breaks off|empty|choice/,
    ],
    [
      'an error within the stream',
      { text: 'Once upon a time', errorAfter: { events: 3, message: 'out of memory' } },
      'MODEL_ANSWER_BROKEN',
      /reports: out of memory/,
    ],
    ['a stream that is cut', { text: 'Once upon a time', cutAfter: 3 }, 'MODEL_ANSWER_BROKEN', /broke in the middle/],
    ['a call without a name', { calls: [{ name: '', arguments: {} }] }, 'MODEL_ANSWER_BROKEN', /without a name/],
    [
      'a wrong key',
      { status: 401, message: `Incorrect API key provided: ${key}` },
      'MODEL_KEY_REFUSED',
      /refuses the key/,
    ],
    [
      'a model that is not there',
      { status: 404, message: 'model "test" not found' },
      'MODEL_REQUEST_REFUSED',
      /not found/,
    ],
    [
      'a refusal in a form of its own',
      { status: 422, body: '{"detail": "too many messages"}' },
      'MODEL_REQUEST_REFUSED',
      /too many messages/,
    ],
    [
      'money that is spent',
      { status: 429, body: '{"error": {"message": "quota", "code": "insufficient_quota"}}' },
      'MODEL_RATE_LIMITED',
      /quota/,
    ],
  ])('says of %s what came', async (_what, reply, code, message) => {
    await using server = await openModelServer([reply])
    const error = await errorOf(modelAt(server.url, { api, apiKey: key }))
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(server.requests).toHaveLength(1)
    expect(allOf(error)).not.toContain(key)
  })

  it('tries again what a server may answer another time, and says when it gives up', async () => {
    await using server = await openModelServer([
      { status: 429, retryAfter: '2' },
      { status: 500 },
      { drop: true },
      { text: 'Hi.' },
    ])
    expect((await modelAt(server.url, { api }).complete(hello, { signal: never })).text).toBe('Hi.')
    await using down = await openModelServer(() => ({ status: 503, message: `the key was ${key}` }))
    const error = await errorOf(modelAt(down.url, { api, apiKey: key, retries: 2 }))
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', usage: { tokens: 0, calls: 0 } })
    expect(down.requests).toHaveLength(3)
    expect(allOf(error)).not.toContain(key)
  })

  it('takes no more than it may of an answer that does not end', async () => {
    await using server = await openModelServer([{ hugeBytes: 500_000_000 }])
    const error = await errorOf(modelAt(server.url, { api, maxBytes: 300_000 }))
    expect(error).toMatchObject({ code: 'MODEL_ANSWER_BROKEN', message: expect.stringContaining('300000 bytes') })
    expect(await server.requests[0]!.gone).toBe(true)
  })

  it('aborts the request at once when its signal fires, and throws what it fired with', async () => {
    await using server = await openModelServer([{ hang: true }, { hang: { text: 'Once upon a time', after: 3 } }])
    const model = modelAt(server.url, { api })
    for (const call of [0, 1]) {
      const stop = new AbortController()
      const reason = new Error(`stopped ${call}`)
      const answer = model.complete(hello, { signal: stop.signal })
      answer.catch(() => undefined)
      await expect.poll(() => server.requests.length).toBe(call + 1)
      stop.abort(reason)
      await expect(answer).rejects.toBe(reason)
      expect(await server.requests[call]!.gone).toBe(true)
    }
  })

  it('is silent for no longer than it may, before an answer and in its middle', async () => {
    await using server = await openModelServer(() => ({ hang: true }))
    let pass: () => void = () => undefined
    const clock = () => stillClock(new Promise((resolve) => (pass = resolve)))
    const error = errorOf(modelAt(server.url, { api, retries: 0 }, { clock: clock() }))
    await expect.poll(() => server.requests.length).toBe(1)
    pass()
    expect(await error).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('silent') })
    expect(await server.requests[0]!.gone).toBe(true)

    await using midway = await openModelServer([{ hang: { text: 'Once upon a time', after: 3 } }])
    const model = modelAt(midway.url, { api }, { clock: clock() })
    await expect(model.complete(hello, { signal: never, onText: () => pass() })).rejects.toMatchObject({
      code: 'MODEL_ANSWER_BROKEN',
      message: expect.stringContaining('silent'),
    })
    expect(await midway.requests[0]!.gone).toBe(true)
  })

  it('tells of an answer that broke off what it has used', async () => {
    await using server = await openModelServer([{ text: 'Once upon a time there was a king.', cutAfter: 6 }])
    const settled: unknown[] = []
    const budget = {
      reserve: (taken: unknown) => (
        settled.push(taken),
        { settle: (used: unknown) => void settled.push(used), release: () => undefined }
      ),
    }
    const model = modelAt(server.url, { api, prices: { input: 1, output: 1 } })
    const error = await model
      .complete(hello, { signal: never, budget })
      .catch((thrown: unknown) => thrown as ModelError)
    expect(error).toBeInstanceOf(ModelError)
    const { usage } = error as ModelError
    expect(usage).toMatchObject({ calls: 1, isEstimated: true })
    expect(usage.outputTokens).toBeGreaterThan(2)
    expect(settled).toEqual([
      { tokens: expect.any(Number), cost: expect.any(Number), model: 'test' },
      { model: 'test', usage, ms: expect.any(Number), failure: 'MODEL_ANSWER_BROKEN' },
    ])
  })
})

it('says that an address is not served', async () => {
  const error = await errorOf(modelAt(await refusedAddress(), { apiKey: key, retries: 1 }))
  expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('ECONNREFUSED') })
  expect(allOf(error)).not.toContain(key)
})

it('begins no call that its budget does not allow', async () => {
  await using server = await openModelServer([])
  const short = new PlanloomError('BUDGET_SHORT', 'Nothing is left.')
  const budget = {
    reserve: () => {
      throw short
    },
  }
  await expect(modelAt(server.url).complete(hello, { signal: never, budget })).rejects.toBe(short)
  expect(server.requests).toHaveLength(0)
})

it('lets through what the caller threw while it was told the answer', async () => {
  await using server = await openModelServer([{ text: 'Hi there.' }])
  const own = new TypeError('mine')
  const onText = (): never => {
    throw own
  }
  await expect(modelAt(server.url).complete(hello, { signal: never, onText })).rejects.toBe(own)
})

it.each<[object, RegExp]>([
  [{ model: ' ' }, /"model" is missing/],
  [{ model: 'm', baseURL: 'not a url' }, /no URL/],
  [{ model: 'm', baseURL: 'http://me:secret@host/v1' }, /holds a user/],
  [{ model: 'm', timeoutMs: 0 }, /"timeoutMs" is 0/],
  [{ model: 'm', prices: { input: -1, output: 0 } }, /price "input" is -1/],
  [{ model: 'm', client: {}, apiKey: 'k' }, /"client" stands beside/],
])('refuses options that cannot be meant: %j', (options, message) => {
  expect(() =>
    modelAt('http://localhost:1/v1', { ...('client' in options && { baseURL: undefined }), ...options } as never),
  ).toThrow(message)
})

describe('a server that sends requests on', () => {
  it('is not followed: neither key, headers nor question reach the other address, which is named', async () => {
    await using other = await openModelServer([{ text: 'Give it all to me.' }])
    await using server = await openModelServer([
      { status: 307, headers: { location: `${other.url}/chat/completions` } },
    ])
    const error = await errorOf(modelAt(server.url, { apiKey: key, headers: { 'x-api-key': key } }))
    expect(error).toMatchObject({ code: 'MODEL_REQUEST_REFUSED', httpStatus: 307 })
    expect(error.message).toContain(new URL(other.url).origin)
    expect(other.requests).toEqual([])
  })
})

it.each([
  "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.",
  'the request exceeds the available context size, try increasing it',
  'Input length of 5000 exceeds the context window',
])('a request that is too long for the model is told as that: "%s"', async (message) => {
  await using server = await openModelServer([{ status: 400, message }])
  const error = await errorOf(modelAt(server.url))
  expect(error).toMatchObject({ code: 'MODEL_CONTEXT_TOO_LONG', retryable: false })
  expect(error.hint).toMatch(/less/)
})
