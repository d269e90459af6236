import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { recordCassette, replayCassette } from '../../../src/models/cassette/cassette.ts'
import type { CassetteMismatchError } from '../../../src/models/cassette/mismatch.ts'
import { scratchFolder } from '../../support/scratchFolder.ts'

interface Sent {
  readonly path?: string
  readonly method?: string
  readonly body: unknown
}

const send = (
  fetch: ReturnType<typeof replayCassette>,
  { path = '/v1/chat/completions', method = 'POST', body }: Sent,
) => fetch(`http://localhost:1${path}`, { method, body: typeof body === 'string' ? body : JSON.stringify(body) })

/** Records these, asks for that. */
async function ask(recorded: readonly Sent[], asked: Sent): Promise<CassetteMismatchError> {
  const path = join(scratchFolder(), 'talk.json')
  const record = recordCassette(path, { fetch: async () => new Response('{}') })
  for (const one of recorded) await send(record, one)
  if (recorded.length === 0) writeFileSync(path, '{"cassette":1,"exchanges":[]}')
  const error = await send(replayCassette(path), asked).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({
    code: 'CASSETTE_MISMATCH',
    where: { path },
    hint: expect.stringContaining('record anew'),
  })
  const mismatch = error as CassetteMismatchError
  mismatch.message = mismatch.message.replaceAll(path, 'talk.json')
  return mismatch
}

const talk = (content: string, rest: object = {}) => ({
  body: { model: 'test', messages: [{ role: 'user', content }], ...rest },
})

describe('a request that was not recorded', () => {
  it('is refused with what has changed in the nearest one', async () => {
    const long = 'Audit the files of this folder, one after the other, and tell what is odd about each.'
    const error = await ask(
      [talk('something else altogether', { temperature: 1 }), talk(long, { seed: 7, tools: [1, 2] })],
      talk(long.replace('odd', 'wrong'), { seed: 7, tools: [1], stream: true }),
    )
    expect(error.message).toBe(
      'POST /v1/chat/completions is not in "talk.json" as it came. The nearest one there is exchange 2 of 2: ' +
        '/body/messages/0/content differs from character 70 on: …"r, and tell what is odd about each." was recorded, ' +
        '…"r, and tell what is wrong about each." came; ' +
        '/body/tools/1 is missing: 2 was recorded; /body/stream is new: true came.',
    )
    expect(error.nearest).toBe(1)
    expect(error.differences.map(({ pointer }) => pointer)).toEqual([
      '/body/messages/0/content',
      '/body/tools/1',
      '/body/stream',
    ])
    expect(error.differences[1]).toEqual({ pointer: '/body/tools/1', recorded: 2, came: undefined })
  })

  it('names a few of many places, and counts the rest', async () => {
    const error = await ask([{ body: [1, 2, 3, 4, 5, 6, 7] }], { body: [0, 0, 0, 0, 0, 0, 0] })
    expect(error.message).toMatch(/\/body\/4 differs: 5 was recorded, 0 came; and 2 more\.$/)
    expect(error.differences).toHaveLength(7)
  })

  it('is compared with one of the same method and path first', async () => {
    const error = await ask([{ path: '/v1/responses', body: { a: 1 } }, { body: { b: 9, c: 9 } }], { body: { a: 1 } })
    expect(error.nearest).toBe(1)
    const other = await ask([{ body: { a: 1 } }], { path: '/chat/completions', body: { a: 1 } })
    expect(other.message).toContain('/path differs: "/v1/chat/completions" was recorded, "/chat/completions" came')
  })

  it('says so where it was recorded, but not so often', async () => {
    const path = join(scratchFolder(), 'talk.json')
    const record = recordCassette(path, { fetch: async () => new Response('{}') })
    for (let time = 0; time < 2; time++) await send(record, talk('a'))
    const replay = replayCassette(path)
    for (let time = 0; time < 2; time++) await send(replay, talk('a'))
    await expect(send(replay, talk('a'))).rejects.toThrow('was recorded 2 times in')
  })

  it('says so where nothing was recorded', async () => {
    expect((await ask([], talk('a'))).message).toBe(
      'POST /v1/chat/completions is not in "talk.json": nothing has been recorded there.',
    )
  })

  it('is compared as text where it is no JSON', async () => {
    expect((await ask([{ body: 'one two' }], { body: 'one too' })).message).toContain(
      '/body differs: "one two" was recorded, "one too" came',
    )
  })

  it('holds no key of either', async () => {
    const key = 'a-key-that-nobody-may-see'
    const path = join(scratchFolder(), 'talk.json')
    const client = (fetch: ReturnType<typeof replayCassette>) =>
      new OpenAI({ baseURL: 'http://localhost:1/v1', apiKey: key, organization: `${key}-of-all`, fetch, maxRetries: 0 })
    const body = (content: string) => ({ model: 'test', messages: [{ role: 'user' as const, content }] })
    await client(recordCassette(path, { fetch: async () => Response.json({ choices: [] }) })).chat.completions.create(
      body(`say ${key}`),
    )
    const error: unknown = await client(replayCassette(path))
      .chat.completions.create(body(`tell ${key} and ${key}-of-all`))
      .catch((thrown: unknown) => thrown)
    const { cause } = error as { cause: CassetteMismatchError }
    expect(cause.code).toBe('CASSETTE_MISMATCH')
    expect(cause.message).toContain('[redacted]')
    expect(cause.message + JSON.stringify(cause) + (cause.stack ?? '')).not.toContain(key)
  })
})
