// What a cassette keeps, whatever goes over it; the server is a function here, so that its bytes can be anything.
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cassette, recordCassette, replayCassette } from '../../../src/models/cassette/cassette.ts'
import type { Fetch } from '../../../src/models/cassette/request.ts'
import { scratchFolder } from '../../support/scratchFolder.ts'

const url = 'http://localhost:1/v1/chat/completions'

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

async function chunksOf(response: Response): Promise<string[]> {
  const chunks: string[] = []
  for await (const chunk of response.body!) chunks.push(Buffer.from(chunk as Uint8Array).toString('hex'))
  return chunks
}

const ask = (fetch: Fetch, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

describe('a cassette', () => {
  const bytes = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
    fc.uint8Array({ maxLength: 40 }),
  )
  const cut = fc.tuple(bytes, fc.array(fc.nat(50), { maxLength: 6 })).map(([all, sizes]) => {
    const chunks: Uint8Array[] = []
    let at = 0
    for (const size of [...sizes, all.length]) {
      if (size > 0 && at < all.length) chunks.push(all.slice(at, at + size))
      at += size
    }
    return chunks
  })

  it('gives back the bytes of any answer, and of text that is streamed the chunks, also where they split a character', async () => {
    const folder = scratchFolder()
    let files = 0
    await fc.assert(
      fc.asyncProperty(cut, fc.boolean(), async (chunks, isStream) => {
        const path = join(folder, `${files++}.json`)
        const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json'
        const fetch: Fetch = async () => new Response(streamOf(chunks), { headers: { 'content-type': type } })
        const given = await chunksOf(await ask(recordCassette(path, { fetch }), { a: 1 }))
        const played = await chunksOf(await ask(replayCassette(path), { a: 1 }))
        const isText = Buffer.from(Buffer.concat(chunks).toString('utf8')).equals(Buffer.concat(chunks))
        if (isStream && isText) expect(played).toEqual(given)
        else expect(played.join('')).toBe(given.join(''))
        expect(given.join('')).toBe(Buffer.concat(chunks).toString('hex'))
      }),
    )
  })

  it('answers equal requests in their order, and others in any order, side by side', async () => {
    const folder = scratchFolder()
    let files = 0
    const body = fc.record({ x: fc.nat(3), y: fc.constantFrom('a', 'b') })
    await fc.assert(
      fc.asyncProperty(
        fc.array(body, { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        async (bodies, chance) => {
          const path = join(folder, `${files++}.json`)
          let count = 0
          const fetch: Fetch = async (_, init) => {
            const answer = `${init?.body as string} ${count++}`
            for (let turns = chance.next().value % 4; turns > 0; turns--) await new Promise(setImmediate)
            return new Response(answer)
          }
          const textOf = async (with_: Fetch, what: object) => (await ask(with_, what)).text()
          const recorder = recordCassette(path, { fetch })
          const recorded = await Promise.all(bodies.map((one) => textOf(recorder, one)))
          // Written with its keys in another order, it is the same request.
          const others = bodies.map(({ x, y }, index) => ({ y, x, index, at: chance.next().value }))
          others.sort((a, b) => a.at - b.at)
          const replay = replayCassette(path)
          const played = await Promise.all(
            others.map(async ({ x, y }) => ({ x, y, text: await textOf(replay, { y, x }) })),
          )
          const of = (list: readonly string[], x: number, y: string) =>
            list.filter((text) => text.startsWith(`{"x":${x},"y":"${y}"}`))
          for (const { x, y } of bodies) {
            const texts = played.filter((one) => one.x === x && one.y === y).map(({ text }) => text)
            expect(texts).toEqual(of(recorded, x, y))
          }
          // All have been played: one more of any is one too many.
          for (const one of bodies)
            await expect(textOf(replay, one)).rejects.toMatchObject({ code: 'CASSETTE_MISMATCH' })
          const again = cassette(path, { mode: 'auto', fetch: () => Promise.reject(new Error('not asked')) })
          for (const one of bodies) await textOf(again, one)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('holds no key, organisation or cookie, wherever the server repeats them', async () => {
    const folder = scratchFolder()
    let files = 0
    const secret = fc.stringMatching(/^[A-Za-z0-9_.~+-]{12,40}$/)
    await fc.assert(
      fc.asyncProperty(secret, secret, secret, secret, cut, fc.boolean(), fc.nat(40), async (...given) => {
        const [key, organisation, cookie, parameter, chunks, isStream, size] = given
        const secrets = [key, organisation, cookie, parameter]
        const path = join(folder, `${files++}.json`)
        const words = secrets.flatMap((one) => [one, Buffer.from(one).toString('base64')]).join('", "')
        const text = Buffer.concat([...chunks, Buffer.from(`data: {"message":"no: ${words}"}\n\n`), ...chunks])
        const sent: Uint8Array[] = []
        for (let at = 0; at < text.length; at += size + 1) sent.push(text.subarray(at, at + size + 1))
        const fetch: Fetch = async () =>
          new Response(streamOf(sent), {
            status: isStream ? 200 : 401,
            headers: {
              'content-type': isStream ? 'text/event-stream' : `application/json; of=${key}`,
              'retry-after': '1',
              'openai-organization': organisation,
              'set-cookie': `session=${cookie}; Path=/`,
            },
          })
        const response = await recordCassette(path, { fetch })(`${url}?api-key=${parameter}&v=1`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'OpenAI-Organization': organisation, cookie: `session=${cookie}` },
          body: JSON.stringify({ prompt: `use ${key} of ${organisation}`, api_key: 'short', [key]: [{ cookie }] }),
        })
        expect(Buffer.from(await response.arrayBuffer()).equals(text)).toBe(true) // the caller gets all of it
        const file = readFileSync(path, 'utf8')
        const base64 = [...file.matchAll(/"base64": "([^"]*)"/g)].map(([, bytes]) =>
          Buffer.from(bytes!, 'base64').toString('latin1'),
        )
        const joined = [...file.matchAll(/^\s*"((?:[^"\\]|\\.)*)",?$/gm)].map(([, piece]) => piece).join('')
        for (const one of secrets) for (const place of [file, joined, ...base64]) expect(place).not.toContain(one)
        expect(file).not.toContain('short')
        // Whoever asks the same with another key is answered.
        const other = 'another-key-altogether'
        const replayed = await replayCassette(path)(`${url}?api-key=${other}1&v=1`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${other}2`,
            'OpenAI-Organization': `${other}3`,
            cookie: `session=${other}4`,
          },
          body: JSON.stringify({
            prompt: `use ${other}2 of ${other}3`,
            api_key: 'else',
            [`${other}2`]: [{ cookie: `${other}4` }],
          }),
        })
        expect(replayed.status).toBe(isStream ? 200 : 401)
      }),
    )
  })
})
