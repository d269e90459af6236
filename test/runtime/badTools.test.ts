// Tools that misbehave: each a clear failure of its step, and nothing else is touched.
/* eslint-disable @typescript-eslint/only-throw-error -- tools throw anything */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRuntime, defineTool, type Executor } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { echo } from '../support/tools.ts'

const thrower = (run: () => unknown) =>
  defineTool({
    name: 'bad',
    description: 'Misbehaves.',
    input: z.object({}),
    output: z.unknown(),
    run,
  })

function cyclic(): unknown {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

describe('a tool that misbehaves', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'throws a string',
      () => {
        throw 'boom'
      },
      /boom/,
    ],
    [
      'throws undefined',
      () => {
        throw undefined
      },
      /undefined/,
    ],
    [
      'throws an Error with a cause',
      () => {
        throw new Error('outer', { cause: new Error('inner') })
      },
      /outer/,
    ],
    ['rejects', () => Promise.reject(new TypeError('late')), /late/],
    ['gives a function', () => () => 1, /function|JSON/i],
    ['gives a bigint', () => 10n, /bigint|JSON/i],
    ['gives undefined', () => undefined, /undefined|nothing|JSON/i],
    ['gives a value with a cycle', cyclic, /cycle|circular|itself/i],
    ['gives a value that is nested too deeply', () => nested(100_000), /deep|nest/i],
    ['gives a Map', () => new Map([['a', 1]]), /Map|JSON|plain/i],
  ])('and %s fails its step with words, and its neighbour succeeds', async (_what, run, words) => {
    await using runtime = createRuntime({ tools: [thrower(run), echo] })
    const started = runtime.start(
      planOf(
        [
          { id: 'bad', tool: 'bad', retry: { attempts: 1, backoffMs: 0, factor: 1, maxBackoffMs: 0, jitter: 0 } },
          { id: 'good', tool: 'echo', input: { x: 1 } },
        ],
        { goal: { partial: 'allow' } },
      ),
    )
    expect(await started.result).toMatchObject({ reason: 'partial', counts: { succeeded: 1, failed: 1 } })
    expect(started.step('bad')?.failure?.message).toMatch(words)
    expect(started.output('good')).toEqual({ x: 1 })
  })

  it('keeps the cause of an error', async () => {
    await using runtime = createRuntime({
      tools: [
        thrower(() => {
          throw new Error('outer', { cause: new Error('inner') })
        }),
      ],
    })
    const run = runtime.start(planOf([{ id: 'bad', tool: 'bad', onFailure: 'fail' }]))
    expect((await run.result).failure?.cause).toContain('inner')
  })

  it('gets no input that does not fit its schema once references are filled in', async () => {
    const half = defineTool({
      name: 'half',
      description: 'Halves.',
      input: z.object({ x: z.number().max(10) }),
      output: z.number(),
      run: ({ x }) => x / 2,
    })
    await using runtime = createRuntime({ tools: [half, echo] })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'echo', input: { x: 11 } },
        { id: 'b', tool: 'half', input: { x: { $from: 'a', path: '/x' } }, onFailure: 'fail' },
      ]),
    )
    expect((await run.result).failure).toMatchObject({ code: 'INPUT_INVALID', path: '/x', retryable: false })
  })

  it('gets no input where a reference leads nowhere', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'echo', input: { x: 11 } },
        { id: 'b', tool: 'echo', input: { x: { $from: 'a', path: '/y/z' } }, onFailure: 'fail' },
      ]),
    )
    expect((await run.result).failure).toMatchObject({ code: 'REFERENCE_UNRESOLVED' })
  })
})

describe('an executor of one’s own that misbehaves', () => {
  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no')
      },
      'EXECUTOR_THREW',
    ],
    ['gives nothing', () => Promise.resolve(undefined), 'RESULT_SHAPE'],
    ['gives neither output nor failure', () => Promise.resolve({}), 'RESULT_SHAPE'],
    ['gives what is not JSON', () => Promise.resolve({ output: 1n }), 'JSON'],
  ])('and %s fails its step only', async (_what, execute, code) => {
    const executor = { role: 'odd', execute } as Executor
    await using runtime = createRuntime({ tools: [echo], executors: [executor] })
    const run = runtime.start(
      planOf(
        [
          { id: 'bad', instruction: 'x', executor: 'odd' },
          { id: 'good', tool: 'echo' },
        ],
        { goal: { partial: 'allow' } },
      ),
    )
    expect(await run.result).toMatchObject({ reason: 'partial' })
    expect(run.step('bad')?.failure?.code).toContain(code)
  })
})
