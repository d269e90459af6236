// Answers that servers write in ways of their own: nothing that was said for one call goes to another, and half an answer is none.
import { describe, expect, it } from 'vitest'
import { openModelServer, type Reply } from '../support/modelServer.ts'
import { hello, modelAt, never } from './calls.ts'

type Api = 'chat' | 'responses'

async function answerTo(reply: Reply, api: Api = 'chat') {
  await using server = await openModelServer([reply])
  return await modelAt(server.url, { api }).complete(hello, { signal: never })
}

const whole = (value: unknown): Reply => ({ raw: JSON.stringify(value), contentType: 'application/json' })
const stream = (...events: readonly unknown[]): Reply => ({
  raw: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
})
const choice = (more: object) => ({ choices: [{ index: 0, ...more }] })
const called = (name: string, q: number, more: object = {}) => ({
  type: 'function',
  function: { name, arguments: JSON.stringify({ q }) },
  ...more,
})
const two = [
  { name: 'x', arguments: '{"q":1}' },
  { name: 'y', arguments: '{"q":2}' },
]

describe('calls of tools', () => {
  it.each<[string, object, object]>([
    ['no id', {}, {}],
    ['the same id', { id: 'c' }, { id: 'c' }],
    ['an empty id and the same index', { id: '', index: 0 }, { id: '', index: 0 }],
  ])('with %s stay apart in a whole answer', async (_what, first, second) => {
    const message = { tool_calls: [called('x', 1, first), called('y', 2, second)] }
    const { end, calls } = await answerTo(whole(choice({ message, finish_reason: 'tool_calls' })))
    expect(end).toBe('calls')
    expect(calls).toMatchObject(two)
    expect(calls[0]?.id).not.toBe(calls[1]?.id)
  })

  it.each<[string, object, object]>([
    ['no id and no index', {}, {}],
    ['no id and the same index', { index: 0, id: '' }, { index: 0, id: '' }],
    ['the same id and index', { index: 0, id: 'c' }, { index: 0, id: 'c' }],
    ['the same id', { index: 0, id: 'c' }, { index: 1, id: 'c' }],
  ])('with %s stay apart in a stream', async (_what, first, second) => {
    const reply = stream(
      choice({ delta: { tool_calls: [called('x', 1, first)] } }),
      choice({ delta: { tool_calls: [called('y', 2, second)] }, finish_reason: 'tool_calls' }),
    )
    const { calls } = await answerTo(reply)
    expect(calls).toMatchObject(two)
    expect(calls[0]?.id).not.toBe(calls[1]?.id)
  })

  it('of the same tool without an id or an index of their own stay apart', async () => {
    const reply = stream(
      choice({ delta: { tool_calls: [called('x', 1, { index: 0 })] } }),
      choice({ delta: { tool_calls: [called('x', 2, { index: 0 })] }, finish_reason: 'tool_calls' }),
    )
    expect((await answerTo(reply)).calls.map((call) => call.arguments)).toEqual(['{"q":1}', '{"q":2}'])
  })

  it('that are told with id and name at each piece are one', async () => {
    const piece = (written: string) =>
      choice({ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'x', arguments: written } }] } })
    const { calls } = await answerTo(stream(piece('{"q"'), piece(':1}'), choice({ delta: {}, finish_reason: 'stop' })))
    expect(calls).toEqual([{ id: 'c', name: 'x', arguments: '{"q":1}' }])
  })
})

describe('an answer that ends with what is no end', () => {
  it.each<[string, object, RegExp]>([
    ['error', { error: { code: 502, message: 'upstream died' } }, /upstream died/],
    ['error', {}, /finish_reason: error/],
    ['abort', {}, /finish_reason: abort/],
  ])('is a failure that may pass: %s', async (finish, more, message) => {
    const failure = { code: 'MODEL_ANSWER_BROKEN', retryable: true, message: expect.stringMatching(message) }
    const said = { content: 'The result is par' }
    await expect(answerTo(whole(choice({ message: said, finish_reason: finish, ...more })))).rejects.toMatchObject(
      failure,
    )
    await expect(answerTo(stream(choice({ delta: said, finish_reason: finish, ...more })))).rejects.toMatchObject(
      failure,
    )
  })

  it.each(['cancelled', 'in_progress'])('is a failure that may pass, by responses: %s', async (status) => {
    const response = { status, output: [{ type: 'message', content: [{ type: 'output_text', text: 'par' }] }] }
    await expect(answerTo(whole(response), 'responses')).rejects.toMatchObject({
      code: 'MODEL_ANSWER_BROKEN',
      retryable: true,
    })
  })

  it.each([
    ['eos', 'stop'],
    ['STOP', 'stop'],
    ['end_turn', 'stop'],
    ['MAX_TOKENS', 'length'],
  ])('is none where a server has a word of its own: %s', async (finish, end) => {
    expect(await answerTo(whole(choice({ message: { content: 'Hi.' }, finish_reason: finish })))).toMatchObject({ end })
  })
})

describe('by responses', () => {
  const item = { type: 'function_call', call_id: 'c', name: 'x' }
  const completed = (output: unknown) => ({ type: 'response.completed', response: { status: 'completed', output } })

  it('arguments may be an object', async () => {
    const response = { status: 'completed', output: [{ ...item, arguments: { q: 1 } }] }
    expect((await answerTo(whole(response), 'responses')).calls).toMatchObject([two[0]])
  })

  it.each<[string, readonly unknown[]]>([
    ['with an index', [{ output_index: 0 }, { output_index: 0 }]],
    ['without', [{}, {}]],
  ])('arguments may come only when the call is complete, %s', async (_what, [first, second]) => {
    const reply = stream(
      { type: 'response.output_item.added', item: { ...item, arguments: '' }, ...(first as object) },
      { type: 'response.output_item.done', item: { ...item, arguments: '{"q":1}' }, ...(second as object) },
      completed([]),
    )
    expect((await answerTo(reply, 'responses')).calls).toEqual([{ id: 'c', name: 'x', arguments: '{"q":1}' }])
  })

  it('the last event may leave out what came before it', async () => {
    const delta = { type: 'response.output_text.delta', delta: 'Hi.' }
    const reply = stream(delta, { type: 'response.completed', response: { status: 'completed' } })
    expect(await answerTo(reply, 'responses')).toMatchObject({ end: 'stop', text: 'Hi.' })
  })

  it('all may come with the last event', async () => {
    const text = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi.' }] }]
    expect(await answerTo(stream(completed([...text, { ...item, arguments: '{"q":1}' }])), 'responses')).toMatchObject({
      text: 'Hi.',
      calls: [two[0]],
    })
  })
})
