// A key is nowhere but in the request: whatever the server does with it, and whatever is thrown, logged or written.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { recordCassette, replayCassette } from '../../src/models/cassette/cassette.ts'
import { createModel } from '../../src/models/createModel.ts'
import type { ModelOptions } from '../../src/models/modelSettings.ts'
import { openModelServer, refusedAddress, type Reply } from '../support/modelServer.ts'
import { scratchFolder } from '../support/scratchFolder.ts'

const key = 'k3y-of-somebody+with/signs=0123456789'
const organization = 'org-of-somebody-0123456789'

const replies: readonly (readonly [string, Reply])[] = [
  ['answers with it', { text: `your key is ${key}, of ${organization}`, pieceLength: 500 }],
  ['answers whole with it', { text: `your key is ${key}`, whole: true }],
  ['refuses it', { status: 401, message: `Incorrect API key provided: ${key}` }],
  ['refuses it in a header of a text', { status: 403, body: `{"headers":{"authorization":"Bearer ${key}"}}` }],
  ['has no such model', { status: 404, message: `no model for ${encodeURIComponent(key)}` }],
  ['has enough', { status: 429, retryAfter: '0.001', message: `${key} of ${organization} is over its limit` }],
  ['is down', { status: 500, body: `<html>${key}</html>`, contentType: 'text/html' }],
  ['says what nobody can read', { raw: `${key} is no JSON` }],
  ['says half of it', { text: `it is ${key} and`, pieceLength: 500, cutAfter: 3 }],
  ['sends an error in the stream', { text: 'a b c', errorAfter: { events: 2, message: `wrong: ${key}` } }],
  ['hangs up', { drop: true }],
]

/** All that can be seen of a value, however deep. */
const seen = (value: unknown): string => {
  let text = inspect(value, { depth: 12, showHidden: true, getters: true })
  for (let at = value; at instanceof Error; at = at.cause)
    text += `${at.message} ${at.stack ?? ''} ${String(at)} ${JSON.stringify(at)}`
  return text
}

const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64'), organization]

function expectNoKey(text: string): void {
  for (const form of forms) expect(text).not.toContain(form)
}

function listenToLogs(): () => string {
  const lines: string[] = []
  const take = (...words: unknown[]): void => void lines.push(words.map((word) => seen(word)).join(' '))
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, name).mockImplementation(take)
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => (take(text), true))
  return () => {
    vi.restoreAllMocks()
    return lines.join('\n')
  }
}

async function ask(options: Partial<ModelOptions>): Promise<unknown> {
  try {
    const model = createModel({ model: 'test', retries: 0, ...options })
    const request = { messages: [{ role: 'user', text: `say ${key} of ${organization}` }] } as const
    return await model.complete(request, { signal: new AbortController().signal })
  } catch (error) {
    return error
  }
}

describe('a key', () => {
  it.each(replies)('is in no error, no log and no cassette where the server %s', async (_what, reply) => {
    await using server = await openModelServer(() => reply)
    for (const way of ['options', 'client'] as const) {
      const path = join(scratchFolder(), 'talk.json')
      const fetch = recordCassette(path)
      const headers = { 'OpenAI-Organization': organization }
      const options: Partial<ModelOptions> =
        way === 'options'
          ? { baseURL: server.url, apiKey: key, headers, fetch }
          : {
              client: new OpenAI({ baseURL: server.url, apiKey: key, defaultHeaders: headers, fetch, logLevel: 'off' }),
              failuresInARow: 9,
            }
      const logged = listenToLogs()
      const came = await ask(options)
      const logs = logged()
      expectNoKey(logs)
      // In an error, no header of ours; in what the model itself says, no key. Headers of the caller's own client are not known.
      const text = seen(came)
      const isKnown = way === 'options' && came instanceof Error
      for (const form of isKnown ? forms : forms.slice(0, 3)) expect(text).not.toContain(form)
      if ('drop' in reply) continue // nothing has come that could be recorded
      // What a client stops reading is written behind its back.
      while (!existsSync(path)) await new Promise(setImmediate)
      expectNoKey(readFileSync(path, 'utf8'))
      const replayed = seen(await ask({ baseURL: server.url, apiKey: key, headers, fetch: replayCassette(path) }))
      for (const form of forms.slice(0, 3)) expect(replayed).not.toContain(form)
    }
    const [first] = server.requests
    expect(first?.headers['authorization']).toBe(`Bearer ${key}`) // it was really sent
    expect(first?.headers['openai-organization']).toBe(organization)
  })

  it('is in no error where nobody listens, or the address is wrong', async () => {
    for (const baseURL of [await refusedAddress(), key, `http://user:${encodeURIComponent(key)}@127.0.0.1:1/v1`])
      expectNoKey(seen(await ask({ baseURL, apiKey: key, headers: { 'OpenAI-Organization': organization } })))
  })
})
