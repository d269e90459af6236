import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { cassette, recordCassette, replayCassette } from '../../../src/models/cassette/cassette.ts'
import type { Fetch } from '../../../src/models/cassette/request.ts'
import { openModelServer } from '../../support/modelServer.ts'
import { scratchFolder } from '../../support/scratchFolder.ts'

const newPath = (): string => join(scratchFolder(), 'cassettes', 'talk.json')
const nowhere = 'http://localhost:1/v1'
const noNetwork: Fetch = () => Promise.reject(new Error('there is no network'))

const clientOf = (baseURL: string, fetch: Fetch, apiKey = 'sk-a-key-of-somebody-1234567890') =>
  new OpenAI({ baseURL, apiKey, fetch, maxRetries: 0 })

const asked = (content: string, rest: object = {}) => ({
  model: 'test',
  messages: [{ role: 'user' as const, content }],
  ...rest,
})

async function streamed(client: OpenAI, content: string): Promise<string[]> {
  const pieces: string[] = []
  for await (const chunk of await client.chat.completions.create({ ...asked(content), stream: true }))
    pieces.push(chunk.choices[0]?.delta.content ?? '')
  return pieces
}

interface File {
  readonly cassette: number
  readonly exchanges: readonly {
    readonly request: Record<string, unknown>
    readonly response: Record<string, unknown>
  }[]
}
const fileAt = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as File

describe('a cassette', () => {
  it('plays to the openai client what was recorded from a server, with no network', async () => {
    const path = newPath()
    await using server = await openModelServer([
      { text: 'Good morning.' },
      { text: 'Grüße aus Zürich 🎈 to you', chunking: 'bytes', comments: true },
      { status: 429, retryAfter: '7', message: 'later' },
    ])
    const play = async (client: OpenAI) => {
      const whole = await client.chat.completions.create(asked('whole'))
      const pieces = await streamed(client, 'in pieces')
      const refused = await client.chat.completions.create(asked('too much')).catch((error: unknown) => error)
      expect(refused).toMatchObject({ status: 429, message: '429 later' })
      return {
        whole,
        pieces,
        retryAfter: (refused as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after'),
      }
    }
    const recorded = await play(clientOf(server.url, recordCassette(path)))
    expect(recorded.pieces.join('')).toBe('Grüße aus Zürich 🎈 to you')
    expect(recorded.retryAfter).toBe('7')
    const replayed = await play(clientOf(nowhere, replayCassette(path), 'none'))
    expect(replayed).toEqual(recorded)
    expect(server.requests).toHaveLength(3)
  })

  it('is a file that people can read', async () => {
    const path = newPath()
    await using server = await openModelServer([
      { text: 'Good morning.', usage: 'missing', pieceLength: 5, chunking: 'events' },
    ])
    await streamed(clientOf(server.url, recordCassette(path)), 'hello')
    const { exchanges } = fileAt(path)
    expect(exchanges).toHaveLength(1)
    expect(exchanges[0]!.request).toEqual({
      method: 'POST',
      path: '/v1/chat/completions',
      json: { ...asked('hello'), stream: true },
    })
    const { status, headers, chunks } = exchanges[0]!.response
    expect([status, headers]).toEqual([200, { 'content-type': 'text/event-stream' }])
    expect((chunks as string[]).some((chunk) => chunk.includes('"content":"Good "'))).toBe(true)
    expect((chunks as string[]).join('')).toMatch(/data: \[DONE\]\n\n$/)
    expect(readFileSync(path, 'utf8')).toMatch(/^\{\n {2}"cassette": 1,\n/)
  })

  it('plays a lost connection where it was lost', async () => {
    const path = newPath()
    await using server = await openModelServer([{ text: 'a long answer that breaks off', cutAfter: 4 }])
    const listen = async (client: OpenAI) => {
      const pieces: string[] = []
      try {
        for await (const chunk of await client.chat.completions.create({ ...asked('x'), stream: true }))
          pieces.push(chunk.choices[0]?.delta.content ?? '')
        return { pieces, lost: false }
      } catch {
        return { pieces, lost: true }
      }
    }
    const recorded = await listen(clientOf(server.url, recordCassette(path)))
    expect(recorded.lost).toBe(true)
    expect(await listen(clientOf(nowhere, replayCassette(path)))).toEqual(recorded)
  })

  it('does not keep what the caller gave up', async () => {
    const path = newPath()
    await using server = await openModelServer([{ hang: { text: 'a long answer', after: 2 } }, { text: 'yes' }])
    const client = clientOf(server.url, recordCassette(path))
    const controller = new AbortController()
    const stream = await client.chat.completions.create({ ...asked('x'), stream: true }, { signal: controller.signal })
    const iterator = stream[Symbol.asyncIterator]()
    await iterator.next()
    controller.abort()
    await iterator.next().catch(() => undefined)
    expect(existsSync(path)).toBe(false)
    await client.chat.completions.create(asked('y'))
    expect(fileAt(path).exchanges.map(({ request }) => request['json'])).toEqual([asked('y')])
    expect(await server.requests[0]!.gone).toBe(true)
  })

  it('leaves the former file until the first answer, and then one that is whole after each answer', async () => {
    const path = newPath()
    await using server = await openModelServer(() => ({ text: 'yes' }))
    const first = clientOf(server.url, recordCassette(path))
    await first.chat.completions.create(asked('former'))
    const client = clientOf(server.url, recordCassette(path))
    expect(fileAt(path).exchanges).toHaveLength(1)
    for (let count = 1; count <= 4; count++) {
      await (count % 2 === 0 ? streamed(client, String(count)) : client.chat.completions.create(asked(String(count))))
      expect(fileAt(path).exchanges).toHaveLength(count)
    }
    expect(readdirSync(join(path, '..'))).toEqual(['talk.json']) // no drafts are left
  })

  it('is whole for whoever reads it while it is written, as for whoever comes after a process that died', async () => {
    const path = newPath()
    const text = 'a long answer '.repeat(20_000)
    const record = recordCassette(path, { fetch: async () => Response.json({ text }) })
    const asking = { isOver: false }
    const answers = Array.from({ length: 20 }, async (_, index) => {
      for (let turns = 0; turns < index; turns++) await new Promise(setImmediate)
      return record(`${nowhere}/${index}`)
    })
    const all = Promise.all(answers).finally(() => (asking.isOver = true))
    const counts: number[] = []
    while (!asking.isOver) {
      if (existsSync(path)) counts.push(fileAt(path).exchanges.length)
      await new Promise(setImmediate)
    }
    await all
    expect(fileAt(path).exchanges).toHaveLength(20)
    expect(counts).toEqual([...counts].sort((a, b) => a - b)) // nothing is lost again
  })

  it('in mode "auto" asks the server for what it does not hold, and adds it', async () => {
    const path = newPath()
    await using server = await openModelServer(({ body }) => ({ text: `re: ${JSON.stringify(body['messages'])}` }))
    const ask = async (content: string) => {
      const client = clientOf(server.url, cassette(path, { mode: 'auto' }))
      return (await client.chat.completions.create(asked(content))).choices[0]?.message.content
    }
    const first = await ask('a')
    expect(await ask('a')).toBe(first)
    await ask('b')
    expect(server.requests).toHaveLength(2)
    expect(fileAt(path).exchanges).toHaveLength(2)
  })

  it('takes requests in every form that fetch takes', async () => {
    const path = newPath()
    const seen: string[] = []
    const fetch: Fetch = async (input, init) => {
      const request = new Request(input, init)
      seen.push(`${request.method} ${await request.text()}`)
      return new Response('{"spaced": 1}', { headers: { 'content-type': 'application/json' } })
    }
    const url = 'http://localhost:1/v1/things?b=2'
    const ways: ((fetch: Fetch) => Promise<Response>)[] = [
      (send) => send(url),
      (send) => send(new URL(url), { method: 'POST', body: '{"a":1}' }),
      (send) => send(new Request(url, { method: 'POST', body: 'no json' })),
      (send) => send(url, { method: 'PUT', body: new TextEncoder().encode('bytes') }),
    ]
    const record = recordCassette(path, { fetch })
    for (const way of ways) await (await way(record)).text()
    expect(seen).toEqual(['GET ', 'POST {"a":1}', 'POST no json', 'PUT bytes'])
    const replay = replayCassette(path)
    for (const way of ways) expect(await (await way(replay)).text()).toBe('{"spaced": 1}')
  })

  it('hands on what the network says where nothing is recorded', async () => {
    await expect(cassette(newPath(), { mode: 'auto', fetch: noNetwork })(nowhere)).rejects.toThrow(
      'there is no network',
    )
  })

  it('ends at once when the signal fires', async () => {
    const path = newPath()
    await using server = await openModelServer([{ text: 'one two three four' }])
    await streamed(clientOf(server.url, recordCassette(path)), 'x')
    const reason = new Error('over')
    const init = { method: 'POST', body: JSON.stringify({ ...asked('x'), stream: true }) }
    const replay = replayCassette(path)
    await expect(replay(`${nowhere}/chat/completions`, { ...init, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
    const controller = new AbortController()
    const response = await replay(`${nowhere}/chat/completions`, { ...init, signal: controller.signal })
    const reader = response.body!.getReader()
    await reader.read()
    controller.abort(reason)
    const rest = async (): Promise<void> => {
      while (!(await reader.read()).done);
    }
    await expect(rest()).rejects.toBe(reason)
  })
})

describe('a file that is no cassette', () => {
  it.each([
    [
      '{"cassette": 1, "exchanges": [',
      'CASSETTE_DAMAGED',
      'it is not JSON. Line 1: Expected a value or "]", but the text ends',
    ],
    ['{"cassette": 1,\n "exchanges": [}', 'CASSETTE_DAMAGED', 'Line 2'],
    ['[]', 'CASSETTE_DAMAGED', 'expected object'],
    [
      '{"cassette": 1, "exchanges": [{"request": {"method": "GET"}}]}',
      'CASSETTE_DAMAGED',
      'at /exchanges/0/request/path',
    ],
    ['{"cassette": 2, "exchanges": {}}', 'CASSETTE_NEWER', 'of version 2; this one reads version 1'],
  ])('is refused: %s', (text, code, words) => {
    const path = join(scratchFolder(), 'bad.json')
    writeFileSync(path, text)
    for (const mode of ['replay', 'auto'] as const) {
      expect(() => cassette(path, { mode })).toThrow(
        expect.objectContaining({ code, message: expect.stringContaining(words), where: { path } }) as Error,
      )
    }
  })

  it('is refused where it is missing', () => {
    expect(() => replayCassette(newPath())).toThrow(
      expect.objectContaining({ code: 'CASSETTE_MISSING', hint: expect.stringContaining('record') }) as Error,
    )
  })

  it('is refused where it cannot be read', () => {
    expect(() => replayCassette(scratchFolder())).toThrow(
      expect.objectContaining({ code: 'CASSETTE_DAMAGED' }) as Error,
    )
  })
})
