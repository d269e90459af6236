// Whatever bytes a server sends, however they are cut: a call ends in an answer or in a PlanloomError.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PlanloomError } from '../../src/errors.ts'
import { ServerSentEvents, type ServerSentEvent } from '../../src/models/wire/serverSentEvents.ts'
import { openModelServer, type Said } from '../support/modelServer.ts'
import { hello, modelAt, never, point } from './calls.ts'
import { cuts, mutate, mutation } from '../arbitraries/spoiltBytes.ts'
import '../support/seed.ts'

const answers: readonly Said[] = [
  { text: 'Grüße, 🙂!', comments: true },
  { text: 'Look.', calls: [{ name: 'read', arguments: { path: 'ä', lines: [1, 2] } }], crlf: true },
  { json: { x: 4, why: 'so' }, unknown: { novel: [1, { a: null }] } },
  { refusal: 'No.', usage: 'missing', noDone: true },
  { json: { x: 1 }, whole: true },
]

/** The bytes of real answers. */
async function recorded(api: 'chat' | 'responses'): Promise<Buffer[]> {
  await using server = await openModelServer(answers)
  const path = api === 'chat' ? '/chat/completions' : '/responses'
  const all: Buffer[] = []
  for (const _ of answers) {
    const body = JSON.stringify({ model: 'test', stream: true, stream_options: { include_usage: true } })
    all.push(Buffer.from(await (await fetch(`${server.url}${path}`, { method: 'POST', body })).arrayBuffer()))
  }
  return all
}

describe.each(['chat', 'responses'] as const)('by %s', (api) => {
  it('a call ends in an answer or in a PlanloomError, whatever bytes come', async () => {
    const bytes = await recorded(api)
    const queue: { raw: Uint8Array; chunking: number[] }[] = []
    await using server = await openModelServer(() => queue.shift()!)
    const model = modelAt(server.url, { api, failuresInARow: Infinity, retries: 0 })
    const seen = { answered: 0, failed: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...bytes),
        fc.array(mutation, { maxLength: 3 }),
        cuts,
        fc.boolean(),
        async (real, mutations, chunking, isJson) => {
          queue.push({ raw: mutate(real, mutations), chunking })
          const told: string[] = []
          const request = isJson ? point : hello
          const outcome = await model
            .complete(request, { signal: never, onText: (piece) => void told.push(piece) })
            .catch((error: unknown) => error)
          if (outcome instanceof Error) {
            seen.failed += 1
            expect(outcome).toBeInstanceOf(PlanloomError)
            expect(outcome).toMatchObject({ code: 'MODEL_ANSWER_BROKEN', usage: { tokens: expect.any(Number) } })
          } else {
            seen.answered += 1
            expect(outcome).toMatchObject({ text: expect.any(String), usage: { calls: 1, tokens: expect.any(Number) } })
            if (mutations.length === 0) expect(outcome).not.toMatchObject({ end: 'length' })
          }
        },
      ),
      { numRuns: 300 },
    )
    expect(Math.min(seen.answered, seen.failed)).toBeGreaterThan(20)
  })
})

it('events are the same wherever the bytes are cut (S1)', () => {
  const lines = fc.array(
    fc.oneof(
      fc.constantFrom('', '', ': comment', 'data', 'event: novel', 'data:', 'id: 7', 'retry: 5', ':'),
      fc.string({ unit: 'binary' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    ),
  )
  const ends = fc.constantFrom('\n', '\r\n', '\r')
  const read = (parts: Iterable<Uint8Array>): ServerSentEvent[] => {
    const reader = new ServerSentEvents()
    return [...[...parts].flatMap((part) => reader.push(part)), ...reader.end()]
  }
  fc.assert(
    fc.property(lines, ends, cuts, (said, end, sizes) => {
      const bytes = Buffer.from(said.map((line) => line + end).join(''))
      const parts: Uint8Array[] = []
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length]!
        parts.push(bytes.subarray(at, at + size))
        at += size
      }
      const whole = read([bytes])
      expect(read(parts)).toEqual(whole)
      expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
    }),
  )
})
