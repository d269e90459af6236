// The inspector of a runtime over a real port: what clients are told, and what hostile ones come to.
import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRuntime, defineTool, type Run, type Runtime } from '../../src/index.ts'
import { inspectRuntime, type Inspector, type InspectorOptions, type ServerFrame } from '../../src/inspector/index.ts'
import { from, planOf } from '../support/plans.ts'
import { factsOf, statusesOf } from '../support/runs.ts'
import { Client, closedWith, Follower, openSocket, refusedWith } from './client.ts'

const wait = defineTool({
  name: 'wait',
  description: 'Ends in its own time.',
  input: z.object({ of: z.string(), after: z.unknown().optional() }),
  output: z.object({ of: z.string() }),
  gives: { done: '/of' },
  run: async ({ of }) => {
    await new Promise((settle) => setImmediate(settle))
    return { of }
  },
})

let runtime: Runtime
const opened: Inspector[] = []

beforeEach(() => {
  runtime = createRuntime({ tools: [wait] })
})
afterEach(async () => {
  for (const inspector of opened.splice(0)) await inspector.close()
  await runtime.close()
})

async function inspected(options: InspectorOptions = {}): Promise<Inspector> {
  const inspector = await inspectRuntime(runtime, options)
  opened.push(inspector)
  return inspector
}

function startChain(steps: number): Run {
  const id = (index: number): string => `s${String(index)}`
  return runtime.start(
    planOf(
      Array.from({ length: steps }, (_, index) => ({
        id: id(index),
        tool: 'wait',
        input: { of: id(index), ...(index > 0 && { after: from(id(index - 1), '/of') }) },
      })),
    ),
  )
}

function isFor(id: number, type: ServerFrame['type']): (frame: ServerFrame) => boolean {
  return (frame) => frame.type === type && 'id' in frame && frame.id === id
}

function expectSame({ view }: Follower, run: Run): void {
  expect(Object.fromEntries([...view.steps.values()].map(({ id, status }) => [id, status]))).toEqual(statusesOf(run))
  expect([...view.facts.keys()].toSorted()).toEqual(Object.keys(factsOf(run)).toSorted())
  expect(view.face.state).toBe(run.state)
  expect(view.face.outcome?.reason).toBe(run.outcome?.reason)
  expect(view.face.plan.steps.map(({ id }) => id)).toEqual(run.plan?.steps.map(({ id }) => id))
}

describe('a client', () => {
  it('that follows a run from its beginning is told every event once, and that nothing more comes', async () => {
    const inspector = await inspected()
    const run = startChain(30)
    const client = await Client.open(inspector)
    client.say({ type: 'subscribe', id: 1, topic: { kind: 'run', runId: run.id }, from: 0 })
    await client.until(isFor(1, 'ended'))
    const follower = new Follower()
    expect(client.frames.flatMap((frame) => follower.take(frame) ?? [])).toEqual([])
    expect(follower.numbers).toEqual(follower.numbers.map((_, index) => index))
    expectSame(follower, run)
  })

  it('that comes late gets how things stand, and what follows', async () => {
    const inspector = await inspected()
    const run = startChain(30)
    await new Promise<void>((settle) => run.transitions(10).subscribe(() => settle()))
    const client = await Client.open(inspector)
    client.say({ type: 'subscribe', id: 1, topic: { kind: 'run', runId: run.id } })
    await client.until(isFor(1, 'ended'))
    expect(client.frames[1]).toMatchObject({ type: 'snapshot' })
    const follower = new Follower()
    expect(client.frames.flatMap((frame) => follower.take(frame) ?? [])).toEqual([])
    expectSame(follower, run)
  })

  it('has the state of the run in the end, however often its connection breaks', { timeout: 120_000 }, async () => {
    const inspector = await inspected()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(40), { maxLength: 6 }), fc.boolean(), async (breaks, isFromStart) => {
        const run = startChain(25)
        const follower = new Follower()
        for (const most of [...breaks, Infinity]) {
          const client = await Client.open(inspector)
          const from = follower.view.face.next
          const isFirst = from === 0 && !isFromStart
          client.say({ type: 'subscribe', id: 1, topic: { kind: 'run', runId: run.id }, ...(!isFirst && { from }) })
          const until = from + most
          await client.until(
            (frame) =>
              isFor(1, 'ended')(frame) ||
              (frame.type === 'entries' && frame.to >= until) ||
              (most < 5 && frame.type === 'snapshot'),
          )
          client.drop()
          expect(client.frames.flatMap((frame) => follower.take(frame) ?? [])).toEqual([])
          if (follower.hasEnded) break
        }
        await run.result
        expectSame(follower, run)
        expect(follower.numbers).toEqual(follower.numbers.map((_, index) => (follower.numbers[0] ?? 0) + index))
      }),
      { numRuns: 25 },
    )
  })

  it('asks for values, which no entry holds', async () => {
    const inspector = await inspected()
    const run = startChain(2)
    await run.result
    const client = await Client.open(inspector)
    client.say({ type: 'get', id: 7, runId: run.id, what: { kind: 'step', stepId: 's1' } })
    client.say({ type: 'get', id: 8, runId: run.id, what: { kind: 'event', n: 0 } })
    client.say({ type: 'get', id: 9, runId: run.id, what: { kind: 'event', n: 999 } })
    expect(await client.until(isFor(7, 'answer'))).toMatchObject({ value: { output: { of: 's1' } } })
    expect(await client.until(isFor(8, 'answer'))).toMatchObject({ value: { type: 'run.started' } })
    expect(await client.until(isFor(9, 'answer'))).toMatchObject({ error: { code: 'EVENT_UNKNOWN' } })
  })

  it('is told of a run that there is not, and goes on', async () => {
    const client = await Client.open(await inspected())
    client.say({ type: 'subscribe', id: 1, topic: { kind: 'run', runId: 'none' } })
    expect(await client.until(isFor(1, 'ended'))).toMatchObject({ error: { code: 'RUN_UNKNOWN' } })
    client.say({ type: 'get', id: 2, runId: 'none', what: { kind: 'questions' } })
    expect(await client.until(isFor(2, 'answer'))).toMatchObject({ error: { code: 'RUN_UNKNOWN' } })
  })
})

describe('who has no business here is refused before a socket opens:', () => {
  it.each([
    ['without the right token', { token: 'x'.repeat(32) }, 401],
    ['a page of another site, with the right token', { headers: { origin: 'http://127.0.0.1:1' } }, 403],
    ['under a name that was pointed here', { headers: { host: 'evil.test:80', origin: 'http://evil.test:80' } }, 421],
    ['at another path', { path: '/' }, 404],
  ])('%s', async (_name, options, status) => {
    expect(await refusedWith(openSocket(await inspected(), options))).toBe(status)
  })

  it('one more than there may be', async () => {
    const inspector = await inspected({ limits: { clients: 1 } })
    await Client.open(inspector)
    expect(await refusedWith(openSocket(inspector))).toBe(503)
  })

  it('and anybody on other machines, unless the user gives a token', async () => {
    await expect(inspectRuntime(runtime, { host: '0.0.0.0' })).rejects.toMatchObject({ code: 'INSPECTOR_EXPOSED' })
  })
})

describe('a client that breaks the protocol is told why, and the run goes on:', () => {
  it.each([
    ['garbage', ['{'], {}, 4422],
    ['a frame that there is not', ['{"type":"shutdown"}'], {}, 4422],
    ['no hello first', ['{"type":"unsubscribe","id":1}'], {}, 4400],
    ['another version', ['{"type":"hello","version":99}'], {}, 4406],
    ['a frame that is too long', [`"${'x'.repeat(70_000)}"`], {}, 1009],
    ['hello twice', Array<string>(2).fill('{"type":"hello","version":1}'), {}, 4400],
    [
      'too many frames',
      ['{"type":"hello","version":1}', ...Array<string>(60).fill('{"type":"unsubscribe","id":1}')],
      {},
      4429,
    ],
    ['silence', [], { helloMs: 1 }, 4400],
  ])('%s', async (_name, frames, limits, code) => {
    const run = startChain(20)
    const socket = openSocket(await inspected({ limits }))
    socket.on('open', () => {
      for (const frame of frames) socket.send(frame)
    })
    expect(await closedWith(socket)).toBe(code)
    expect(await run.result).toMatchObject({ status: 'completed' })
  })
})

it('waits for a client that takes nothing, and holds nothing for it', async () => {
  const inspector = await inspected({ limits: { bufferedBytes: 10_000 } })
  const client = await Client.open(inspector)
  client.socket.pause()
  const run = startChain(2_000)
  client.say({ type: 'subscribe', id: 1, topic: { kind: 'run', runId: run.id }, from: 0 })
  expect(await run.result).toMatchObject({ status: 'completed' })
  client.socket.resume()
  await client.until(isFor(1, 'ended'))
  const follower = new Follower()
  expect(client.frames.flatMap((frame) => follower.take(frame) ?? [])).toEqual([])
  expectSame(follower, run)
})

it('says in words where it cannot listen', async () => {
  const { port } = await inspected()
  await expect(inspectRuntime(runtime, { port })).rejects.toMatchObject({ code: 'INSPECTOR_PORT' })
})

it('closes with clients open, and with sockets that have said nothing', async () => {
  const inspector = await inspectRuntime(runtime)
  const client = await Client.open(inspector)
  const raw = connect(inspector.port, '127.0.0.1')
  await once(raw, 'connect')
  const closed = [once(client.socket, 'close'), once(raw, 'close')]
  await inspector.close()
  await Promise.all(closed)
})
