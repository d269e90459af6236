import { describe, expect, it } from 'vitest'
import type { PoolInput } from '../../src/machines/pool.context.ts'
import { pool } from '../../src/machines/pool.machine.ts'
import { createActor } from '../../src/machines/xstate.ts'
import { abort, createHandBehaviour, execute, succeeded } from './attempts.ts'
import { createProbe } from './probe.ts'

function openPool(options: Partial<PoolInput> = {}) {
  const probe = createProbe()
  const hand = createHandBehaviour()
  const actor = createActor(pool, {
    input: { host: probe.ref, role: 'tool', behaviour: hand.behaviour, now: () => 0, ...options },
  })
  const errors: unknown[] = []
  actor.subscribe({ error: (error) => errors.push(error) })
  actor.start()
  const children = () => Object.keys(actor.getSnapshot().children).sort()
  const heard = () => hand.heard.map((message) => `${message.type} ${message.stepId}`)
  return { actor, probe, hand, errors, children, heard }
}

describe('pool', () => {
  it('starts executors when they are first needed, up to its size, and no more', () => {
    const { actor, children, heard } = openPool({ size: 2 })
    expect(children()).toEqual([])
    for (const id of ['a', 'b', 'c', 'd']) actor.send(execute(id))
    expect(children()).toEqual(['tool-1', 'tool-2'])
    expect(heard()).toEqual(['step.execute a', 'step.execute b'])
  })

  it('gives a free executor the next attempt instead of starting another', () => {
    const { actor, hand, children, probe } = openPool({ size: 8 })
    for (const id of ['a', 'b', 'c']) {
      actor.send(execute(id))
      hand.end(id)
    }
    expect(children()).toEqual(['tool-1'])
    expect(probe.messages).toEqual(['a', 'b', 'c'].map((id) => succeeded(id)))
  })

  it('serves waiting attempts in the order in which they came', () => {
    const { actor, hand, heard } = openPool({ size: 1 })
    for (const id of ['a', 'b', 'c']) actor.send(execute(id))
    for (const id of ['a', 'b', 'c']) hand.end(id)
    expect(heard()).toEqual(['step.execute a', 'step.execute b', 'step.execute c'])
  })

  it('takes an attempt that is delivered twice only once', () => {
    const { actor, hand, heard, probe } = openPool({ size: 1 })
    for (const id of ['a', 'a', 'b', 'b']) actor.send(execute(id))
    hand.end('a')
    hand.end('b')
    expect(heard()).toEqual(['step.execute a', 'step.execute b'])
    expect(probe.messages).toHaveLength(2)
  })

  it('counts an outcome once, and only from the executor that has the attempt', () => {
    const { actor, hand, probe } = openPool({ size: 2 })
    actor.send(execute('a'))
    actor.send({ type: 'attempt.settled', executorId: 'tool-7', outcome: succeeded('a') })
    actor.send({ type: 'attempt.settled', executorId: 'tool-1', outcome: succeeded('a', 2) })
    expect(probe.messages).toEqual([])
    hand.end('a')
    hand.end('a')
    expect(probe.messages).toEqual([succeeded('a')])
  })

  it('passes an abort on to the executor that has the attempt, and its late outcome to the host', () => {
    const { actor, hand, heard, probe } = openPool({ size: 2 })
    actor.send(execute('a'))
    actor.send(execute('b'))
    actor.send(abort('b'))
    actor.send(abort('b', 'again'))
    expect(heard().slice(2)).toEqual(['step.abort b'])
    hand.end('b')
    expect(probe.messages).toEqual([succeeded('b')])
  })

  it('answers for an attempt that is aborted while it waits, and never begins it', () => {
    const { actor, hand, heard, probe } = openPool({ size: 1 })
    for (const id of ['a', 'b', 'c']) actor.send(execute(id))
    actor.send(abort('b'))
    expect(probe.all('step.failed')).toMatchObject([{ stepId: 'b', failure: { code: 'ABORTED', retryable: false } }])
    hand.end('a')
    hand.end('c')
    expect(heard()).not.toContain('step.execute b')
  })

  it('lets others work while an executor hangs in a tool that ignores its signal (O2)', () => {
    const { actor, hand, children, heard } = openPool({ size: 1 })
    actor.send(execute('hangs'))
    actor.send(execute('waits'))
    actor.send(abort('hangs'))
    expect(heard()).toEqual(['step.execute hangs', 'step.abort hangs', 'step.execute waits'])
    expect(children()).toEqual(['tool-1', 'tool-2'])
    hand.end('hangs')
    expect(children(), 'the one too many is gone').toEqual(['tool-2'])
  })

  it('lets go of the executor that has hung longest when there are too many (O2)', () => {
    const { actor, hand, children, probe, heard } = openPool({ size: 64 })
    const begin = (prefix: string) => {
      for (let n = 0; n < 64; n++) actor.send(execute(`${prefix}${String(n)}`))
    }
    const hang = (prefix: string) => {
      for (let n = 0; n < 64; n++) actor.send(abort(`${prefix}${String(n)}`))
    }
    begin('first-')
    hang('first-')
    begin('second-')
    hang('second-')
    expect(children()).toHaveLength(128)
    expect(probe.messages).toEqual([])
    begin('third-')
    expect(children()).toHaveLength(128)
    expect(heard().filter((line) => line.startsWith('step.execute third-'))).toHaveLength(64)
    const answered = probe.all('step.failed')
    expect(new Set(answered.map(({ stepId }) => stepId))).toEqual(
      new Set(Array.from({ length: 64 }, (_, n) => `first-${String(n)}`)),
    )
    expect(hand.alive.size).toBe(128)
    for (let n = 0; n < 64; n++) hand.end(`first-${String(n)}`)
    expect(probe.messages, 'nobody hears an executor that was let go').toHaveLength(64)
  })

  it('never has more than 128 executors, whatever size it is given', () => {
    const { actor, children } = openPool({ size: 500 })
    for (let n = 0; n < 300; n++) actor.send(execute(`s${String(n)}`))
    expect(children()).toHaveLength(128)
  })

  it('carries out 10,000 steps with 64 executors, each step once', () => {
    const { actor, hand, probe, children } = openPool({ size: 64 })
    const steps = Array.from({ length: 10_000 }, (_, n) => `s${String(n)}`)
    for (const id of steps) actor.send(execute(id))
    for (const id of steps) hand.end(id)
    expect(children()).toHaveLength(64)
    expect(hand.heard).toHaveLength(10_000)
    expect(probe.messages).toHaveLength(10_000)
    expect(new Set(probe.all('step.succeeded').map(({ stepId }) => stepId)).size).toBe(10_000)
    const { held, queue, stopping, alive } = actor.getSnapshot().context
    expect({ held: held.size, waiting: queue.attempts.size, stopping, alive }).toEqual({
      held: 0,
      waiting: 0,
      stopping: 0,
      alive: 64,
    })
  })
})

describe('pool: executors that crash', () => {
  it('answers the attempt, and puts a new executor under a new name in the place (O3)', () => {
    const { actor, hand, probe, children, errors } = openPool({ size: 2 })
    hand.poisoned.add('bad')
    actor.send(execute('good'))
    actor.send(execute('bad'))
    expect(probe.all('step.failed')).toMatchObject([
      {
        stepId: 'bad',
        attempt: 1,
        failure: { code: 'EXECUTOR_CRASHED', retryable: true, message: expect.stringContaining('broken by bad') },
      },
    ])
    expect(children()).toEqual(['tool-1', 'tool-2.2'])
    hand.end('good')
    expect(probe.all('step.succeeded')).toHaveLength(1)
    expect(errors).toEqual([])
  })

  it('gives the new executor what waits', () => {
    const { actor, hand, children } = openPool({ size: 1 })
    hand.poisoned.add('bad')
    for (const id of ['a', 'bad', 'b']) actor.send(execute(id))
    hand.end('a')
    expect(hand.executorOf('b')).toBe('tool-1.2')
    expect(children()).toEqual(['tool-1.2'])
  })

  it('counts generations', () => {
    const { actor, hand, children } = openPool({ size: 1 })
    for (const id of ['x', 'y', 'z']) {
      hand.poisoned.add(id)
      actor.send(execute(id))
    }
    expect(children()).toEqual(['tool-1.4'])
  })

  it('fails when more crash than may within the period, answers everything, and takes no more', () => {
    const { actor, hand, probe, children, errors } = openPool({ size: 2, intensity: 2, periodMs: 1_000 })
    for (const id of ['x', 'y', 'z']) hand.poisoned.add(id)
    for (const id of ['busy', 'x', 'y']) actor.send(execute(id))
    expect(probe.all('actor.failed')).toEqual([])
    for (const id of ['z', 'after']) actor.send(execute(id))
    expect(probe.all('actor.failed')).toMatchObject([{ actor: 'executor', failure: { code: 'POOL_FAILED' } }])
    expect(actor.getSnapshot().value).toBe('failed')
    expect(children()).toEqual([])
    expect([...hand.alive], 'all but the broken ones were cleaned up').toEqual(['tool-2', 'tool-2.2', 'tool-2.3'])
    expect(probe.all('step.failed').map(({ stepId, failure }) => `${stepId} ${failure.code}`)).toEqual([
      'x EXECUTOR_CRASHED',
      'y EXECUTOR_CRASHED',
      'z EXECUTOR_CRASHED',
      'busy EXECUTOR_CRASHED',
      'after POOL_CLOSED',
    ])
    expect(errors).toEqual([])
  })

  it('forgives crashes that lie further apart than the period', () => {
    let now = 0
    const { actor, hand, probe } = openPool({ size: 1, intensity: 1, periodMs: 1_000, now: () => now })
    for (const id of ['x', 'y', 'z']) {
      hand.poisoned.add(id)
      actor.send(execute(id))
      now += 1_001
    }
    expect(probe.all('actor.failed')).toEqual([])
    expect(actor.getSnapshot().value).toBe('open')
  })

  it('fails at the first crash when none is forgiven', () => {
    const { actor, hand } = openPool({ size: 1, intensity: 0 })
    hand.poisoned.add('x')
    actor.send(execute('x'))
    expect(actor.getSnapshot().value).toBe('failed')
  })
})

describe('pool: closing', () => {
  it('aborts what is out, answers for what waits, and is closed when the last attempt has settled', () => {
    const { actor, hand, probe, heard } = openPool({ size: 2 })
    for (const id of ['a', 'b', 'c']) actor.send(execute(id))
    actor.send({ type: 'pool.close' })
    expect(heard().slice(2).sort()).toEqual(['step.abort a', 'step.abort b'])
    expect(probe.all('step.failed').map(({ stepId }) => stepId)).toEqual(['c'])
    actor.send(execute('late'))
    expect(probe.all('step.failed').at(-1)).toMatchObject({ stepId: 'late', failure: { code: 'POOL_CLOSED' } })
    hand.end('a')
    expect(actor.getSnapshot().value).toBe('closing')
    hand.end('b')
    expect(actor.getSnapshot()).toMatchObject({ value: 'closed', status: 'done' })
    expect(hand.alive.size).toBe(0)
  })

  it('is closed at once when nothing is out', () => {
    const { actor } = openPool()
    actor.send({ type: 'pool.close' })
    expect(actor.getSnapshot().value).toBe('closed')
  })

  it('is closed by the crash of the last executor, too', () => {
    const { actor, hand, probe, errors } = openPool({ size: 1 })
    actor.send(execute('a'))
    hand.poisoned.add('a')
    actor.send({ type: 'pool.close' })
    expect(actor.getSnapshot().value).toBe('closed')
    expect(probe.all('step.failed')).toMatchObject([{ stepId: 'a', failure: { code: 'EXECUTOR_CRASHED' } }])
    expect(errors).toEqual([])
  })
})
