import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cassette, recordCassette, replayCassette } from '../../../src/models/cassette/cassette.ts'
import { createModel } from '../../../src/models/createModel.ts'
import { openModelServer } from '../../support/modelServer.ts'
import { scratchFolder } from '../../support/scratchFolder.ts'

const newPath = (): string => join(scratchFolder(), 'talk.json')
/** Nobody listens there, and each test has a server of its own in the registry. */
let servers = 0
const nowhere = () => `http://model-${++servers}.invalid/v1`

describe('a model on a cassette', () => {
  it('answers as it did, piece by piece, with no network and no key', async () => {
    const path = newPath()
    await using server = await openModelServer(
      [{ text: 'Grüße 🎈 aus Zürich', chunking: 'bytes' }, { status: 429, retryAfter: '0.001' }, { json: { n: 7 } }],
      { without: ['json_schema'] },
    )
    const play = async (baseURL: string, fetch: typeof globalThis.fetch, apiKey?: string) => {
      const model = createModel({ model: 'test', baseURL, fetch, ...(apiKey !== undefined && { apiKey }) })
      const { signal } = new AbortController()
      const pieces: string[] = []
      const onText = (piece: string): void => void pieces.push(piece)
      const messages = [{ role: 'user', text: 'hello' }] as const
      const first = await model.complete({ messages }, { signal, onText })
      const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
      // Refused at first, since the server knows no schemas; then put off with a 429; then answered.
      const second = await model.complete({ messages, format: { name: 'count', schema } }, { signal })
      return { first, second, pieces }
    }
    const recorded = await play(server.url, recordCassette(path), 'sk-a-key-of-somebody-1234567890')
    expect(recorded.first.text).toBe('Grüße 🎈 aus Zürich')
    expect(JSON.parse(recorded.second.text)).toEqual({ n: 7 })
    expect(await play(nowhere(), replayCassette(path))).toEqual(recorded)
    expect(server.requests.length).toBeGreaterThan(3)
  })

  it('says what has changed, at once and as it is', async () => {
    const path = newPath()
    await using server = await openModelServer([{ text: 'Good morning.' }])
    const { signal } = new AbortController()
    const ask = (text: string, baseURL: string, fetch: typeof globalThis.fetch) =>
      createModel({ model: 'test', baseURL, fetch, apiKey: 'none', retries: 5 }).complete(
        { messages: [{ role: 'user', text }] },
        { signal },
      )
    await ask('hello', server.url, cassette(path, { mode: 'auto' }))
    let asked = 0
    const replay = replayCassette(path)
    const counted: typeof globalThis.fetch = (...args) => {
      asked += 1
      return replay(...args)
    }
    const url = nowhere()
    for (let time = 1; time <= 7; time++) {
      await expect(ask('goodbye', url, counted)).rejects.toMatchObject({
        code: 'CASSETTE_MISMATCH',
        message: expect.stringContaining('/body/messages/0/content differs: "hello" was recorded, "goodbye" came'),
        hint: expect.stringContaining('record anew'),
        usage: expect.objectContaining({ tokens: 0 }),
      })
      expect(asked).toBe(time) // it is not tried again, and the server is not thought to be down
    }
  })
})
