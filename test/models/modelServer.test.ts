// The scripted model server speaks as real ones do, whatever the cut of its bytes.
import { describe, expect, it } from 'vitest'
import { openModelServer, refusedAddress, type Chunking, type Reply } from '../support/modelServer.ts'

const ask = { model: 'test', messages: [{ role: 'user', content: 'Hello?' }] }

async function post(url: string, body: object, path = '/chat/completions'): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

interface Chunk {
  choices: { delta: { content?: string }; finish_reason: string | null }[]
  usage?: { completion_tokens: number }
}

function chunksOf(stream: string): Chunk[] {
  const lines = stream.split(/\r?\n/).filter((line) => line.startsWith('data: {'))
  return lines.map((line) => JSON.parse(line.slice(6)) as Chunk)
}

describe('the scripted model server', () => {
  it.each<Chunking>(['events', 'whole', 'bytes', [3, 1, 7]])('streams an answer cut by %j', async (chunking) => {
    await using server = await openModelServer([{ text: 'Grüße, 🙂!', chunking, comments: true, crlf: true }])
    const answer = await post(server.url, { ...ask, stream: true, stream_options: { include_usage: true } })
    const chunks = chunksOf(await answer.text())
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Grüße, 🙂!')
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(3)
  })

  it('gives JSON as text, or as the arguments of the tool that is forced', async () => {
    await using server = await openModelServer([{ json: { a: 1 } }, { json: { a: 1 } }])
    const text = await (await post(server.url, ask)).json()
    expect(text).toMatchObject({ choices: [{ message: { content: '{"a":1}' }, finish_reason: 'stop' }] })
    const forced = { ...ask, tool_choice: { type: 'function', function: { name: 'answer' } } }
    const call = { function: { name: 'answer', arguments: '{"a":1}' } }
    expect(await (await post(server.url, forced)).json()).toMatchObject({
      choices: [{ message: { content: null, tool_calls: [call] } }],
    })
    expect(server.requests.map(({ body }) => body.model)).toEqual(['test', 'test'])
  })

  it('refuses what it cannot do without taking a reply, and a wrong key', async () => {
    await using server = await openModelServer([{ text: 'ok' }], { without: ['json_schema'], key: 'right' })
    expect((await post(server.url, ask)).status).toBe(401)
    await server.close()
    await using keyless = await openModelServer([{ text: 'ok' }], { without: ['json_schema'] })
    expect((await post(keyless.url, { ...ask, response_format: { type: 'json_schema' } })).status).toBe(400)
    expect((await post(keyless.url, ask)).status).toBe(200)
    expect((await post(keyless.url, ask)).status).toBe(500) // the script has run out
  })

  it('speaks Responses', async () => {
    await using server = await openModelServer([{ text: 'Hi', calls: [{ name: 'f', arguments: { b: 2 } }] }])
    const answer = await (await post(server.url, { model: 'test', input: [] }, '/responses')).json()
    expect(answer).toMatchObject({
      status: 'completed',
      output: [
        { type: 'message', content: [{ text: 'Hi' }] },
        { type: 'function_call', name: 'f', arguments: '{"b":2}' },
      ],
    })
  })

  it.each<[string, Reply]>([
    ['before any answer', { drop: true }],
    ['midway', { text: 'a long answer', cutAfter: 2 }],
  ])('cuts the connection %s', async (_when, reply) => {
    await using server = await openModelServer([reply])
    await expect(post(server.url, { ...ask, stream: true }).then((answer) => answer.text())).rejects.toThrow()
  })

  it('says when a client has gone, and stands at no address once it is closed', async () => {
    await using server = await openModelServer([{ hang: { text: 'a long answer', after: 2 } }])
    const stop = new AbortController()
    const body = JSON.stringify({ ...ask, stream: true })
    const answer = await fetch(`${server.url}/chat/completions`, { method: 'POST', body, signal: stop.signal })
    expect(answer.status).toBe(200)
    expect([server.open, server.mostOpen]).toEqual([1, 1])
    stop.abort()
    expect(await server.requests[0]!.gone).toBe(true)
    expect(server.open).toBe(0)
    await expect(post(await refusedAddress(), ask)).rejects.toThrow()
  })
})
