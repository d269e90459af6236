// The tool executor as a run has it: behind a pool, with everything that tools may do wrong.
import { describe, expect, it } from 'vitest'
import { createExecutorBehaviour } from '../../src/actors/executorBehaviour.ts'
import type { ExecutorContext, StepResult } from '../../src/actors/executors/executor.ts'
import { createToolExecutor, type ToolExecutorOptions } from '../../src/actors/executors/toolExecutor.ts'
import { PlanloomError } from '../../src/errors.ts'
import type { StepExecute } from '../../src/machines/command.messages.ts'
import { pool } from '../../src/machines/pool.machine.ts'
import { createActor } from '../../src/machines/xstate.ts'
import { abort, execute, raise } from '../machines/attempts.ts'
import { createProbe, settle } from '../machines/probe.ts'

/** A tool as JavaScript lets people write it. */
type AnyTool = (work: StepExecute, context: ExecutorContext) => unknown

function start(tool: AnyTool, options: Partial<ToolExecutorOptions> & { readonly size?: number } = {}) {
  const probe = createProbe()
  const stopRun = new AbortController()
  const { size = 4, ...executorOptions } = options
  const executor = createToolExecutor({
    carryOut: tool as (work: StepExecute, context: ExecutorContext) => Promise<StepResult>,
    outputs: 'unchecked',
    ...executorOptions,
  })
  const behaviour = createExecutorBehaviour({ executor, now: () => 42, signal: stopRun.signal })
  const actor = createActor(pool, { input: { host: probe.ref, role: executor.role, behaviour, now: () => 0, size } })
  const errors: unknown[] = []
  actor.subscribe({ error: (error) => errors.push(error) })
  actor.start()
  return { actor, probe, stopRun, errors }
}

/** Carries out one step with this tool and gives its outcome. */
async function outcomeOf(tool: AnyTool, more: Partial<StepExecute> = {}, options: Partial<ToolExecutorOptions> = {}) {
  const { actor, probe, errors } = start(tool, options)
  const outcome = new Promise<(typeof probe.messages)[number]>((resolve) => {
    probe.onMessage = resolve
  })
  actor.send(execute('a', more))
  const message = await outcome
  expect(errors).toEqual([])
  expect(actor.getSnapshot().context.held.size).toBe(0)
  return message
}

describe('tool executor', () => {
  it('gives output, facts and usage', async () => {
    const result = { output: { rows: [1, 2] }, facts: [{ key: 'rows', value: 2 }], usage: { cost: 0.5 } }
    expect(await outcomeOf(() => result)).toEqual({ type: 'step.succeeded', stepId: 'a', attempt: 1, ...result })
  })

  it('hands the attempt, a signal and the clock to what runs the tool', async () => {
    let seen: unknown
    await outcomeOf(
      (work, { now, signal }) => {
        seen = [work.input, work.idempotencyKey, now(), signal.aborted]
        return { output: null }
      },
      { input: { text: 'hi' } },
    )
    expect(seen).toEqual([{ text: 'hi' }, 'run-1/a', 42, false])
  })

  it('refuses a step without a tool', async () => {
    const { tool, ...work } = execute('a')
    const { actor, probe } = start(() => ({ output: tool ?? null }))
    actor.send(work)
    expect((await probe.nth('step.failed')).failure).toMatchObject({ code: 'STEP_WITHOUT_TOOL', retryable: false })
  })

  it('passes on a failure as it is, with what it has cost', async () => {
    const failure = { code: 'NOT_FOUND', message: 'no such file', hint: 'look again', retryable: false }
    expect(
      await outcomeOf(() => ({ failure: { ...failure, extra: new Date(0) }, usage: { tokens: 3, else: 1 } })),
    ).toEqual({
      type: 'step.failed',
      stepId: 'a',
      attempt: 1,
      failure,
      usage: { tokens: 3 },
    })
  })

  it.each<[string, unknown, string, string?]>([
    ['a string', 'boom', 'Executor "tool" threw "boom".'],
    ['nothing', undefined, 'Executor "tool" threw undefined.'],
    ['an object', { code: 1 }, 'Executor "tool" threw an object that is no Error: {"code":1}.'],
    ['what cannot even be read', unreadable(), 'Executor "tool" threw something that cannot be read.'],
    [
      'an Error with causes',
      new Error('outer', { cause: new TypeError('inner', { cause: 'root' }) }),
      'Executor "tool" threw Error: outer',
      'TypeError: inner ← "root"',
    ],
  ])('makes a failure of a tool that throws or rejects with %s', async (_, thrown, message, cause) => {
    for (const tool of [() => raise(thrown), async () => raise(thrown)]) {
      const outcome = await outcomeOf(tool)
      expect(outcome).toMatchObject({
        type: 'step.failed',
        failure: { code: 'EXECUTOR_THREW', message, retryable: true },
      })
      expect('failure' in outcome && outcome.failure.cause).toBe(cause)
    }
  })

  it('keeps code, hint and place of an error of ours, and takes its word that another try cannot help', async () => {
    const error = new PlanloomError('FILE_MISSING', 'There is no file.', {
      hint: 'Look again.',
      where: { path: '/file' },
    })
    const outcome = await outcomeOf(() => raise(Object.assign(error, { retryable: false })))
    expect('failure' in outcome && outcome.failure).toEqual({
      code: 'FILE_MISSING',
      message: 'There is no file.',
      hint: 'Look again.',
      path: '/file',
      retryable: false,
    })
  })

  it('cuts what is thrown to a length that a journal can bear', async () => {
    const outcome = await outcomeOf(() => raise(new Error('x'.repeat(1_000_000))))
    expect(JSON.stringify(outcome).length).toBeLessThan(3_000)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a number', 7],
    ['a list', [1]],
    ['an object without output', { result: 1 }],
    ['an undefined output', { output: undefined }],
    ['a failure without a code', { failure: 'bad luck' }],
  ])('makes a failure of a result in a wrong shape: %s', async (_, result) => {
    expect(await outcomeOf(() => result)).toMatchObject({
      type: 'step.failed',
      failure: { code: 'RESULT_SHAPE', retryable: false },
    })
  })

  it.each<[string, unknown]>([
    ['a function', { run: () => 1 }],
    ['a number that JSON does not know', { size: Number.NaN }],
    ['a big integer', { size: 10n }],
    ['a date', { at: new Date(0) }],
  ])('makes a failure of an output that is no JSON: %s', async (_, output) => {
    const outcome = await outcomeOf(() => ({ output }))
    expect(outcome).toMatchObject({
      type: 'step.failed',
      failure: { retryable: expect.any(Boolean), message: expect.any(String) },
    })
  })

  it('makes a failure of facts that are none', async () => {
    for (const facts of ['none', [{ value: 1 }], [{ key: 'k', value: () => 1 }]]) {
      expect(await outcomeOf(() => ({ output: 1, facts }))).toMatchObject({ type: 'step.failed' })
    }
  })

  it('is surprised by an output that breaks the expectation, and names the place and what came', async () => {
    const expectation = { type: 'object', properties: { rows: { type: 'array', minItems: 1 } } }
    const outcome = await outcomeOf(() => ({ output: { rows: [] }, facts: [{ key: 'rows', value: 0 }] }), {
      expect: expectation,
    })
    expect(outcome).toMatchObject({
      type: 'step.surprised',
      output: { rows: [] },
      facts: [{ key: 'rows', value: 0 }],
      failure: {
        code: 'EXPECTATION_BROKEN',
        path: '/rows',
        message: expect.stringContaining('an array of 0'),
        retryable: false,
      },
    })
    expect(await outcomeOf(() => ({ output: { rows: [1] } }), { expect: expectation })).toMatchObject({
      type: 'step.succeeded',
    })
  })

  it('lets an executor say by itself that it is surprised', async () => {
    const surprise = { code: 'ODD', message: 'odd', retryable: false }
    expect(await outcomeOf(() => ({ output: 1, surprise }))).toMatchObject({
      type: 'step.surprised',
      output: 1,
      failure: surprise,
    })
  })

  it('does not look through outputs again that were checked already', async () => {
    const output = Object.freeze({ big: true })
    const outcome = await outcomeOf(() => ({ output }), {}, { outputs: 'checked' })
    expect('output' in outcome && outcome.output).toBe(output)
  })
})

describe('tool executor: signals', () => {
  it('fires the signal on an abort, and reports the tool that obeys as stopped', async () => {
    const { actor, probe } = start(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error)
          })
        }),
    )
    actor.send(execute('a'))
    actor.send(abort('a', 'it took too long'))
    expect((await probe.nth('step.failed')).failure).toMatchObject({
      code: 'ABORTED',
      message: 'The attempt was stopped: it took too long',
      retryable: false,
    })
    expect(actor.getSnapshot().context.stopping).toBe(0)
  })

  it('lets the next attempt go on while a tool ignores its signal, and passes on what it says late', async () => {
    let finish: (result: StepResult) => void = () => undefined
    const { actor, probe } = start(
      (work) =>
        work.stepId === 'hangs'
          ? new Promise((resolve) => {
              finish = resolve
            })
          : { output: work.stepId },
      { size: 1 },
    )
    actor.send(execute('hangs'))
    actor.send(abort('hangs'))
    actor.send(execute('next'))
    expect(await probe.nth('step.succeeded')).toMatchObject({ stepId: 'next' })
    finish({ output: 'late' })
    expect(await probe.nth('step.succeeded', 2)).toMatchObject({ stepId: 'hangs', output: 'late' })
    expect(Object.keys(actor.getSnapshot().children)).toHaveLength(1)
  })

  it('fires the signal of every attempt with the run, and begins none afterwards', async () => {
    const signals: AbortSignal[] = []
    const { actor, probe, stopRun } = start((_, { signal }) => {
      signals.push(signal)
      return new Promise(() => undefined)
    })
    actor.send(execute('a'))
    actor.send(execute('b'))
    stopRun.abort()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    actor.send(execute('c'))
    expect(await probe.nth('step.failed')).toMatchObject({ stepId: 'c', failure: { code: 'ABORTED' } })
    expect(signals).toHaveLength(2)
  })

  it('fires the signal when the pool is stopped, and leaves no listener on the run behind', async () => {
    let inner: AbortSignal | undefined
    const { actor, stopRun, probe } = start((_, { signal }) => {
      inner = signal
      return new Promise(() => undefined)
    })
    const removed: string[] = []
    const remove = stopRun.signal.removeEventListener.bind(stopRun.signal)
    stopRun.signal.removeEventListener = (...[type, listener]: Parameters<typeof remove>) => {
      removed.push(type)
      remove(type, listener)
    }
    actor.send(execute('a'))
    actor.stop()
    expect(inner?.aborted).toBe(true)
    expect(removed).toEqual(['abort'])
    await settle()
    expect(probe.messages).toEqual([])
  })

  it('gives each attempt a signal of its own', async () => {
    const signals = new Set<AbortSignal>()
    const { actor, probe } = start(
      (_, { signal }) => {
        signals.add(signal)
        return { output: null }
      },
      { size: 1 },
    )
    for (const id of ['a', 'b', 'c']) actor.send(execute(id))
    await probe.nth('step.succeeded', 3)
    expect(signals.size).toBe(3)
  })
})

describe('tool executor: progress', () => {
  it('reports progress, heartbeats and logs straight to the host', async () => {
    const { actor, probe } = start((_, { progress, heartbeat, log }) => {
      progress({ done: 1, total: 3, text: 'reading' })
      heartbeat()
      log('half way')
      return { output: null }
    })
    actor.send(execute('a'))
    await probe.nth('step.succeeded')
    const said = { type: 'step.progressed', stepId: 'a', attempt: 1 }
    expect(probe.all('step.progressed')).toEqual([
      { ...said, done: 1, total: 3, text: 'reading' },
      { ...said, heartbeat: true },
      { ...said, log: 'half way' },
    ])
  })

  it('takes nothing but numbers and texts, and nothing too long', async () => {
    const { actor, probe } = start((_, { progress, log }) => {
      for (const said of [{ done: Number.NaN, total: 'x', text: 'y'.repeat(9_999), more: {} }, null, 7])
        progress(said as never)
      log({ an: 'object' } as never)
      return { output: null }
    })
    actor.send(execute('a'))
    await probe.nth('step.succeeded')
    const said = probe.all('step.progressed')
    expect(said.map((message) => Object.keys(message).slice(3))).toEqual([['text'], [], [], ['log']])
    expect(JSON.stringify(said).length).toBeLessThan(3_000)
  })

  it('reports none after the outcome or the abort', async () => {
    const kept: ExecutorContext[] = []
    const { actor, probe } = start((work, context) => {
      kept.push(context)
      return work.stepId === 'quick' ? { output: null } : new Promise(() => undefined)
    })
    actor.send(execute('quick'))
    await probe.nth('step.succeeded')
    actor.send(execute('slow'))
    actor.send(abort('slow'))
    for (const context of kept) {
      context.progress({ done: 1 })
      context.heartbeat()
    }
    expect(probe.all('step.progressed')).toEqual([])
  })
})

it('carries out 10,000 steps with at most 64 at once', async () => {
  let out = 0
  let most = 0
  const { actor, probe } = start(
    async (work) => {
      most = Math.max(most, ++out)
      await Promise.resolve()
      out -= 1
      return { output: work.stepId }
    },
    { size: 64, outputs: 'checked' },
  )
  for (let n = 0; n < 10_000; n++) actor.send(execute(`s${String(n)}`))
  await probe.nth('step.succeeded', 10_000).catch(() => undefined)
  expect(most).toBe(64)
  expect(new Set(probe.all('step.succeeded').map(({ stepId }) => stepId)).size).toBe(10_000)
  expect(Object.keys(actor.getSnapshot().children)).toHaveLength(64)
})

/** Whatever is done to it throws. */
function unreadable(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
