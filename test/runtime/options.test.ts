// What comes in at the doors of the API without having been looked at by a compiler: JavaScript, JSON, a cast.
import { describe, expect, it } from 'vitest'
import { createRuntime, createToolRegistry, defineTool, PlanloomError, type Executor } from '../../src/index.ts'
import { planOf } from '../support/plans.ts'
import { collectTransitions } from '../support/runs.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'
import { echo } from '../support/tools.ts'

const create = createRuntime as (options: unknown) => ReturnType<typeof createRuntime>

function errorOf(door: () => unknown): PlanloomError {
  try {
    door()
  } catch (error) {
    expect(error).toBeInstanceOf(PlanloomError)
    return error as PlanloomError
  }
  throw new Error('it was let through')
}

const noop = (): undefined => undefined

describe('createRuntime', () => {
  it.each<[string, unknown, RegExp]>([
    ['null', null, /the options are null, and must be an object/],
    ['a misspelt option', { tols: [] }, /there is no option "tols" \(did you mean "tools"\?\)/],
    ['a misspelt limit, one floor too high', { concurency: 3 }, /no option "concurency" \(did you mean "limits\.concurrency"\?\)/],
    ['an option like no other', { colourScheme: 'red' }, /there is no option "colourScheme"\./],
    ['tools that are no list', { tools: { echo } }, /"tools" is an object with "echo", and must be an array of what defineTool\(\) makes/],
    ['a planner that does not plan', { planner: { name: 'p' } }, /"planner" is an object with "name", and lacks what makes it a planner: plan\(\)/],
    ['a planner without a name', { planner: { plan: noop } }, /"planner\.name" is undefined, and must be a text/],
    ['a planner that amends by a text', { planner: { name: 'p', plan: noop, replan: 'x' } }, /"planner\.replan" is "x", and must be a function, or left out/],
    ['an executor that is a function', { executors: [noop] }, /"executors\[0\]" is a function, and lacks what makes it an executor: execute\(\)/],
    ['an executor that is null', { executors: [null] }, /"executors\[0\]" is null/],
    ['an executor without a role', { executors: [{ execute: noop }] }, /"executors\[0\]\.role" is undefined/],
    ['an executor in the place of people', { executors: [{ role: 'person', execute: noop }] }, /give "ask" for them/],
    ['an executor that takes none at once', { executors: [{ role: 'x', execute: noop, concurrency: 0 }] }, /"executors\[0\]\.concurrency" is 0/],
    ['a journal without its methods', { journal: { create: noop } }, /lacks what makes it a journal: open\(\), read\(\), runs\(\), close\(\)/],
    ['a clock without its methods', { clock: {} }, /lacks what makes it a clock: now\(\), setTimeout\(\), clearTimeout\(\)/],
    ['a total that is no number', { limits: { totalConcurrency: '7' } }, /"limits\.totalConcurrency" is "7", and must be a whole number of at least 1/],
    ['half a place', { limits: { totalConcurrency: 1.5 } }, /"limits\.totalConcurrency" is 1\.5, and must be a whole number/],
    ['half a step at once', { limits: { concurrency: 1.5 } }, /"limits\.concurrency" is 1\.5, and must be a whole number of at least 1/],
    ['roles that are a number', { limits: { roles: 5 } }, /"limits\.roles" is 5, and must be an object/],
    ['half a step of a role', { limits: { roles: { tool: 0.5 } } }, /"limits\.roles\.tool" is 0\.5, and must be a whole number/],
    ['a limit that there is not', { limits: { concurency: 2 } }, /there is no option "limits\.concurency" \(did you mean "limits\.concurrency"\?\)/],
    ['a budget below nothing', { limits: { cost: -1 } }, /"limits\.cost" is -1, and must be a finite number of at least 0/],
    ['a budget that is no number', { limits: { tokens: NaN } }, /"limits\.tokens" is NaN, and must be a whole number/],
    ['time without end, as no JSON', { limits: { timeMs: Infinity } }, /"limits\.timeMs" is Infinity, and must be a finite number/],
    ['a part of a run to keep', { keepRuns: 0.5 }, /"keepRuns" is 0\.5, and must be a whole number of at least 0/],
    ['an executor for half a step', { executors: [{ role: 'x', execute: noop, concurrency: 1.5 }] }, /"executors\[0\]\.concurrency" is 1\.5/],
    ['an executor of endless speed', { executors: [{ role: 'x', execute: noop, ratePerSecond: Infinity }] }, /"executors\[0\]\.ratePerSecond" is Infinity/],
    ['limits that are none', { limits: null }, /"limits" is null, and must be an object/],
    ['an approval that there is not', { approval: 'maybe' }, /"approval" is "maybe", and must be "none" or "required" or "effects"/],
    ['a dispatch that there is not', { dispatch: 'later' }, /"dispatch" is "later", and must be "eager" or "whole"/],
    ['a question put by a text', { ask: 'me' }, /"ask" is "me", and must be a function/],
    ['a seed that is none', { seed: NaN }, /"seed" is NaN/],
  ])('refuses %s, and says what was given and what there is', (_what, options, words) => {
    const { code, message, hint } = errorOf(() => create(options))
    expect(code).toBe('OPTIONS_INVALID')
    expect(message).toMatch(words)
    expect(hint).toContain('Its options are tools, planner, executors,')
  }) // prettier-ignore

  it('says everything that is wrong at once', () => {
    const { message } = errorOf(() => create({ concurency: 1, clock: 5, executors: [1, 2] }))
    for (const part of ['concurency', '"clock" is 5', 'executors[0]', 'executors[1]']) expect(message).toContain(part)
  })

  it.each<[string, unknown, RegExp]>([
    ['a number', 5, /tools\[1\] is 5, and no tool/],
    ['nothing', undefined, /tools\[1\] is undefined, and no tool/],
    ['a function', noop, /tools\[1\] is a function, and no tool/],
    ['a declaration', { name: 'raw', run: noop }, /tools\[1\] is the declaration of "raw", and no tool/],
  ])('refuses %s among the tools, and points to defineTool()', (_what, tool, words) => {
    for (const door of [
      () => create({ tools: [echo, tool] }),
      () => (createToolRegistry as (tools: unknown) => unknown)([echo, tool]),
    ]) {
      const { code, message, hint } = errorOf(door)
      expect(code).toBe('TOOL_INVALID')
      expect(message).toMatch(words)
      expect(hint).toContain('defineTool()')
    }
  })

  it.each([[null], [{}], [5]])('is not given a registry of %j', (tools) => {
    expect(errorOf(() => createToolRegistry(tools as never))).toMatchObject({ code: 'TOOL_INVALID' })
  })

  it('takes whatever can do what is asked of it, of any class', async () => {
    class Doer implements Executor {
      readonly role = 'doer'
      execute() {
        return Promise.resolve({ output: 1 })
      }
    }
    await using runtime = createRuntime({ executors: [new Doer()], clock: new VirtualClock(), seed: 1, tools: [echo] })
    expect(runtime.runs).toEqual([])
  })
})

describe('start and plan', () => {
  it.each([[null], [42], [{}], [[]], [true], [undefined], [{ steps: 5 }]])(
    'refuse %j as a goal, and say what one is',
    async (goal) => {
      await using runtime = createRuntime()
      const { code, hint } = errorOf(() => runtime.start(goal as never))
      expect(['GOAL_INVALID', 'PLAN_INVALID']).toContain(code)
      expect(hint).toMatch(/A goal is a text|Add "id"/)
      await expect(runtime.plan(goal as never)).rejects.toMatchObject({ code: 'GOAL_INVALID' })
      expect(runtime.runs).toEqual([])
    },
  )

  it.each<[unknown, RegExp]>([
    [null, /the options are null/],
    [{ runid: 'x' }, /there is no option "runid" \(did you mean "runId"\?\)/],
    [{ runId: '' }, /"runId" is "", and must be a text that is not empty/],
    [{ signal: new AbortController() }, /"signal" is .*, and must be an AbortSignal/],
    [{ labels: { a: 1 } }, /"labels" is an object with "a", and must be an object of texts/],
    [
      { limits: { steps: 0, rolls: {} } },
      /no option "limits\.rolls" \(did you mean "limits\.roles"\?\); "limits\.steps" is 0/,
    ],
    [{ limits: { totalConcurrency: 3 } }, /there is no option "limits\.totalConcurrency"/],
    [{ planner: {} }, /lacks what makes it a planner: plan\(\)/],
  ])('refuse the options %j, and nothing has begun', async (options, words) => {
    await using runtime = createRuntime()
    const { code, message } = errorOf(() => runtime.start('a goal', options as never))
    expect(code).toBe('OPTIONS_INVALID')
    expect(message).toMatch(words)
    expect(runtime.runs).toEqual([])
  })

  it('refuse a signal that is none for planning alone, too', async () => {
    await using runtime = createRuntime()
    await expect(runtime.plan('a goal', { signal: 5 as never })).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })
})

describe('limits', () => {
  it('that are undefined stand for their defaults, and those of roles add up', async () => {
    const executors = ['a', 'b'].map((role) => ({ role, execute: () => Promise.resolve({ output: null }) }))
    const limits = { concurrency: undefined as never, roles: { a: 1, b: 1 } }
    await using runtime = createRuntime({ executors, limits })
    const run = runtime.start(planOf([]), { limits: { replans: undefined as never, roles: { b: 2 } } })
    await run.result
    expect(collectTransitions(run).seen[0]?.event).toMatchObject({
      settings: { limits: { concurrency: 64, replans: 50, roles: { a: 1, b: 2 } } },
    })
  })

  it('of a role that no executor has are refused, and the roles named', async () => {
    const limits = { roles: { tol: 2 } }
    const refusal = expect.objectContaining({
      code: 'OPTIONS_INVALID',
      message: expect.stringContaining('"limits.roles.tol"') as unknown,
      hint: expect.stringContaining('tool') as unknown,
    }) as unknown
    expect(errorOf(() => createRuntime({ limits }))).toEqual(refusal)
    await using runtime = createRuntime()
    expect(errorOf(() => runtime.start(planOf([]), { limits }))).toEqual(refusal)
  })

  it.each<[unknown, RegExp]>([
    [{ tokns: 5 }, /there is no option "tokns" \(did you mean "tokens"\?\)/],
    [{ concurrency: 0, cost: NaN }, /"concurrency" is 0.*"cost" is NaN/],
    [5, /the options are 5, and must be an object/],
  ])('%j given to a run that goes on are refused, and nothing has changed', async (limits, words) => {
    await using runtime = createRuntime()
    const run = runtime.start(planOf([{ id: 'ask', instruction: 'Well?' }]))
    await settlePromises()
    const { code, message } = errorOf(() => {
      run.extend(limits as never)
    })
    expect(code).toBe('OPTIONS_INVALID')
    expect(message).toMatch(words)
    expect(errorOf(() => run.report('', 1))).toMatchObject({ code: 'OPTIONS_INVALID' })
  })
})

describe('usage', () => {
  it.each([-5, NaN, Infinity, '7', null])(
    'of %o that an executor or planner reports gives nothing back',
    async (tokens) => {
      const usage = { tokens, cost: tokens } as never
      const planned = Number.isFinite(tokens) ? { usage } : {} // of a planner, what is no JSON is no answer at all
      const spender: Executor = {
        role: 'spender',
        execute: ({ stepId }) =>
          Promise.resolve({ output: 1, usage: stepId === 'a' ? { tokens: 10, cost: 2 } : usage }),
      }
      const steps = [
        { id: 'a', instruction: 'spend', executor: 'spender' },
        { id: 'b', instruction: 'take', executor: 'spender', after: ['a'] },
      ]
      await using runtime = createRuntime({
        executors: [spender],
        planner: { name: 'p', plan: () => ({ steps, ...planned }) },
      })
      expect(await runtime.start('goal').result).toMatchObject({ reason: 'done', usage: { tokens: 10, cost: 2 } })
    },
  )
})

describe('defineTool', () => {
  it.each([null, undefined, 5])('refuses %j as a declaration', (declaration) => {
    expect(errorOf(() => defineTool(declaration as never))).toMatchObject({
      code: 'TOOL_INVALID',
      message: expect.stringContaining(`was given ${String(declaration)}`),
    })
  })
})
