// Where address and key come from, and where a key never goes.
import fc from 'fast-check'
import { OpenAI } from 'openai'
import { describe, expect, it } from 'vitest'
import { createModel } from '../../src/models/createModel.ts'
import { redactedError, redactor } from '../../src/models/redact.ts'
import { openModelServer } from '../support/modelServer.ts'
import { hello, modelAt, never } from './calls.ts'
import '../support/seed.ts'

describe('address and key', () => {
  it('come from the environment', async () => {
    await using server = await openModelServer([{ text: 'Hi.' }], { key: 'from-the-environment' })
    const env = { OPENAI_BASE_URL: `${server.url}/`, OPENAI_API_KEY: ' from-the-environment\n' }
    const model = modelAt(server.url, { baseURL: undefined } as never, { env })
    expect((await model.complete(hello, { signal: never })).text).toBe('Hi.')
  })

  it('come from a client, which is not asked to try again', async () => {
    await using server = await openModelServer([{ text: 'Hi.' }, { status: 400, message: 'no' }], {
      key: 'key-of-the-client',
    })
    const client = new OpenAI({ baseURL: server.url, apiKey: 'key-of-the-client', maxRetries: 9 })
    const model = createModel({ model: 'mine', client, retries: 0 })
    expect((await model.complete(hello, { signal: never })).text).toBe('Hi.')
    await expect(model.complete(hello, { signal: never })).rejects.toMatchObject({ code: 'MODEL_REQUEST_REFUSED' })
    expect(server.requests).toHaveLength(2)
    expect(server.requests[0]!.body.model).toBe('mine')
  })

  it('goes out by a fetch of the caller', async () => {
    await using server = await openModelServer([{ text: 'Hi.' }])
    const seen: string[] = []
    const own: typeof fetch = (input, init) => {
      seen.push(input instanceof Request ? input.url : String(input))
      return fetch(input, init)
    }
    await modelAt(server.url, { fetch: own }).complete(hello, { signal: never })
    expect(seen).toEqual([`${server.url}/chat/completions`])
  })

  it('that no header may hold is refused before anything is sent', async () => {
    await using server = await openModelServer([])
    const error = await modelAt(server.url, { apiKey: 'secret-with-a\nline' })
      .complete(hello, { signal: never })
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'MODEL_KEY_REFUSED' })
    expect(String((error as Error).stack)).not.toContain('secret-with-a')
    expect(server.requests).toHaveLength(0)
  })
})

describe('redaction', () => {
  it('takes a key out of any text, however it is written (R1)', () => {
    const keys = fc
      .string({ minLength: 8, maxLength: 60 })
      .filter((key) => key.trim() === key && !'[redacted]'.includes(key))
    fc.assert(
      fc.property(keys, fc.string(), fc.string(), (key, before, after) => {
        const redact = redactor([key])
        for (const written of [
          key,
          encodeURIComponent(safe(key)),
          JSON.stringify(key).slice(1, -1),
          Buffer.from(key).toString('base64'),
        ])
          expect(redact(`${before}${written}${after}`)).not.toContain(written.length >= 8 ? written : key)
      }),
    )
  })

  it('knows headers and keys that nobody has told it of', () => {
    const redact = redactor([])
    expect(redact('Authorization: Bearer abc.def-123456')).toBe('Authorization: Bearer [redacted]')
    expect(redact('{"api-key": "0123456789"}')).toBe('{"api-key": "[redacted]"}')
    expect(redact('Incorrect API key provided: sk-proj-abc***xyz.')).toBe('Incorrect API key provided: [redacted].')
    expect(redact('http://me:secret@host/v1')).toBe('http://[redacted]@host/v1')
    expect(redact('a basic idea')).toBe('a basic idea')
  })

  it('goes down the causes of an error, and leaves what hangs on it behind', () => {
    const inner = Object.assign(new TypeError('key-0123456789 there'), {
      request: { key: 'key-0123456789' },
      code: 'E_KEY',
    })
    const outer = new Error('failed', { cause: inner })
    const copy = redactedError(outer, redactor(['key-0123456789']))
    expect(copy?.cause).toMatchObject({ name: 'TypeError', message: '[redacted] there', code: 'E_KEY' })
    expect(copy?.cause).not.toHaveProperty('request')
    expect((copy?.cause as Error).stack).not.toContain('key-0123456789')
  })
})

/** Without halves of characters, which no address can hold. */
function safe(text: string): string {
  return Buffer.from(text).toString('utf8')
}
