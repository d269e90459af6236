import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PlanloomError } from '../../src/errors.ts'
import { carryOut } from '../../src/tools/carryOut.ts'
import { defineTool } from '../../src/tools/defineTool.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { ToolError } from '../../src/tools/toolError.ts'
import { toolContext } from './toolContext.ts'

const anyOutput = z.custom<unknown>(() => true)
const doing = (run: (input: unknown) => unknown, output: z.ZodType = anyOutput): Tool =>
  defineTool({ name: 'try', description: 'Tries.', input: z.looseObject({}), output, run })
const throwing = (thrown: unknown): Tool =>
  doing(() => {
    throw thrown
  })
const failureOf = async (tool: Tool, input: object = {}, context = toolContext()) => {
  const result = await carryOut(tool, input as never, context)
  if (!('failure' in result)) throw new Error(`it gave ${JSON.stringify(result.output)}`)
  return result.failure
}

describe('a tool that works', () => {
  it('gets its input parsed, and gives an output that nobody can change', async () => {
    const tool = defineTool({
      name: 'greet',
      description: 'Greets.',
      input: z.object({ name: z.string().trim(), times: z.number().default(2) }),
      output: z.object({ texts: z.array(z.string()), tone: z.string().default('kind') }),
      run: ({ name, times }) => ({ texts: Array.from({ length: times }, () => `Hello ${name}`) }),
    })
    const result = await carryOut(tool, { name: ' Ada ' }, toolContext())
    expect(result).toEqual({ output: { texts: ['Hello Ada', 'Hello Ada'], tone: 'kind' }, facts: [] })
    expect('output' in result && Object.isFrozen((result.output as { texts: unknown }).texts)).toBe(true)
  })

  it('may check its input and output with schemas that wait', async () => {
    const schema = z.object({ n: z.number().refine((n) => Promise.resolve(n < 5), 'must be below 5') })
    const tool = defineTool({
      name: 'n',
      description: 'n',
      input: schema,
      output: schema,
      run: ({ n }) => ({ n: n + 1 }),
    })
    expect(await carryOut(tool, { n: 1 }, toolContext())).toMatchObject({ output: { n: 2 } })
    expect(await failureOf(tool, { n: 7 })).toMatchObject({ code: 'INPUT_INVALID', path: '/n' })
    expect(await failureOf(tool, { n: 4 })).toMatchObject({ code: 'OUTPUT_INVALID', path: '/n' })
  })

  it('does not end the process when a check that waits breaks down', async () => {
    const schema = z.object({ n: z.number().refine(() => Promise.reject(new Error('database is down'))) })
    const tool = defineTool({ name: 'n', description: 'n', input: schema, output: schema, run: (input) => input })
    const unheard: unknown[] = []
    const hear = (reason: unknown) => unheard.push(reason)
    process.on('unhandledRejection', hear)
    const failures = [
      await failureOf(tool, { n: 'no number' }),
      await failureOf(tool, { n: 1 }),
      await failureOf(tool, { n: 1 }),
    ]
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', hear)
    expect(failures.map(({ code }) => code)).toEqual(['INPUT_INVALID', 'TOOL_FAILED', 'TOOL_FAILED'])
    expect(unheard).toEqual([])
  })

  it('has the context of its step', async () => {
    const tool = defineTool({
      name: 'key',
      description: 'Its key.',
      input: z.object({}),
      output: z.string(),
      run: (_, context) => {
        context.progress({ done: 1, total: 2 })
        return context.idempotencyKey
      },
    })
    const context = toolContext()
    expect(await carryOut(tool, {}, context)).toMatchObject({ output: 'run-1/step' })
    expect(context.reported).toEqual([{ done: 1, total: 2 }])
  })
})

describe('the facts', () => {
  const tool = defineTool({
    name: 'list',
    description: 'Lists.',
    input: z.looseObject({}),
    output: z.looseObject({}),
    gives: { files: '/files', file: { from: '/files', each: true }, first: '/files/0', all: '' },
    run: (input) => input,
  })
  const factsOf = async (input: object, item?: string) => {
    const result = await carryOut(tool, input as never, toolContext(), item === undefined ? {} : { item })
    return 'facts' in result ? result.facts : result
  }

  it('are what stands at the pointers, one per element where a list is opened', async () => {
    expect(await factsOf({ files: ['a', 'b'] })).toEqual([
      { key: 'files', value: ['a', 'b'] },
      { key: 'file[0]', value: 'a' },
      { key: 'file[1]', value: 'b' },
      { key: 'first', value: 'a' },
      { key: 'all', value: { files: ['a', 'b'] } },
    ])
  })

  it('bear the number of the item that the step works on', async () => {
    expect(await factsOf({ files: ['a'] }, '3')).toEqual([
      { key: 'files[3]', value: ['a'] },
      { key: 'file[3.0]', value: 'a' },
      { key: 'first[3]', value: 'a' },
      { key: 'all[3]', value: { files: ['a'] } },
    ])
    expect(await factsOf({ files: ['a'] }, '3.1')).toContainEqual({ key: 'file[3.1.0]', value: 'a' })
  })

  it('are not given where the output does not hold them', async () => {
    expect(await factsOf({})).toEqual([{ key: 'all', value: {} }])
    expect(await factsOf({ files: [] })).toEqual([{ key: 'files', value: [] }, { key: 'all', value: { files: [] } }]) // prettier-ignore
  })

  it('must be a list where one is opened', async () => {
    expect(await failureOf(tool, { files: 'a' })).toMatchObject({
      code: 'OUTPUT_INVALID',
      path: '/files',
      retryable: false,
    })
  })

  it('are never found on a prototype', async () => {
    const sly = defineTool({ name: 's', description: 's', input: z.object({}), output: z.object({}), gives: { c: '/constructor', p: '/__proto__' }, run: () => ({}) }) // prettier-ignore
    expect(await carryOut(sly, {}, toolContext())).toEqual({ output: {}, facts: [] })
  })
})

describe('an input that does not fit', () => {
  const tool = defineTool({
    name: 'sum',
    description: 'Sums.',
    input: z.strictObject({
      rows: z.array(z.object({ n: z.number() })),
      by: z.union([z.strictObject({ column: z.string() }), z.strictObject({ index: z.number() })]).optional(),
    }),
    output: z.null(),
    run: () => {
      throw new Error('must not run')
    },
  })

  it.each([
    [
      { rows: [{ n: 1 }, { n: 'two' }] },
      '/rows/1/n',
      /at "\/rows\/1\/n": expected number, received string.*What came there: "two"/,
    ],
    [{}, '/rows', /expected array, received undefined.*What came there: nothing/],
    [{ rows: {} }, '/rows', /What came there: an empty object/],
    [{ rows: [], extra: 1 }, '', /Unrecognized key: "extra"/],
    [{ rows: [], by: { column: 1 } }, '/by/column', /expected string/],
    ['text', '', /expected object, received string.*"text"/],
  ])('%j is a failure with its place, and the tool does not run', async (input, path, message) => {
    const failure = await failureOf(tool, input as never)
    expect(failure).toMatchObject({ code: 'INPUT_INVALID', path, retryable: false })
    expect(failure.message).toMatch(message)
    expect(failure.hint).toMatch(/what the step passes/)
  })

  it('is not printed whole', async () => {
    expect((await failureOf(tool, { rows: 'x'.repeat(1_000_000) })).message.length).toBeLessThan(400)
  })
})

describe('an output that cannot be used', () => {
  it.each([
    ['undefined', undefined, 'OUTPUT_NOT_JSON', ''],
    ['a Map inside', { a: [new Map()] }, 'OUTPUT_NOT_JSON', '/a/0'],
    ['a bigint', { n: 1n }, 'OUTPUT_NOT_JSON', '/n'],
    ['100 MB', { text: 'x'.repeat(100_000_000) }, 'OUTPUT_TOO_LARGE', '/text'],
    [
      'a depth of 1000',
      Array.from({ length: 1000 }).reduce((inner) => [inner], 1),
      'OUTPUT_TOO_DEEP',
      '/0'.repeat(200),
    ],
  ])('%s is a failure that no retry is spent on', async (_, value, code, path) => {
    expect(await failureOf(doing(() => value))).toMatchObject({ code, path, retryable: false })
  })

  it('breaks the output schema: the place is named', async () => {
    const tool = doing(() => ({ rows: [{ id: 'a' }] }), z.object({ rows: z.array(z.object({ id: z.number() })) }))
    expect(await failureOf(tool)).toMatchObject({ code: 'OUTPUT_INVALID', path: '/rows/0/id', retryable: false })
  })

  it('is larger than the run allows', async () => {
    const result = await carryOut(
      doing(() => 'x'.repeat(100)),
      {},
      toolContext(),
      { maxOutputBytes: 50 },
    )
    expect(result).toMatchObject({
      failure: { code: 'OUTPUT_TOO_LARGE', message: expect.stringContaining('50 bytes') as string },
    })
  })

  it('comes out of a schema that makes something of it', async () => {
    const tool = doing(() => '5', z.string().transform((text) => BigInt(text))) // prettier-ignore
    expect(await failureOf(tool)).toMatchObject({ code: 'OUTPUT_NOT_JSON' })
  })
})

describe('whatever a tool throws', () => {
  const hostile = new Proxy({}, { get: () => { throw new Error('no') }, getPrototypeOf: () => { throw new Error('no') } }) // prettier-ignore
  const getter = Object.defineProperty(new Error('x'), 'message', { get: () => { throw new Error('no') } }) // prettier-ignore
  it.each([
    ['a string', 'boom', 'Tool "try" threw "boom".'],
    ['undefined', undefined, 'Tool "try" threw undefined.'],
    ['null', null, 'Tool "try" threw null.'],
    ['a number', 5, 'Tool "try" threw a number that is no Error: 5.'],
    ['an object', { a: 1 }, 'Tool "try" threw an object that is no Error: {"a":1}.'],
    ['an object without a prototype', Object.create(null), 'Tool "try" threw an object that is no Error: {}.'],
    ['a symbol', Symbol('s'), 'Tool "try" threw a symbol that is no Error: Symbol(s).'],
    ['a TypeError', new TypeError('not a function'), 'Tool "try" threw TypeError: not a function'],
    ['an Error without a message', new Error(), 'Tool "try" threw Error without a message'],
    ['a proxy that throws', hostile, 'Tool "try" threw something that cannot be read.'],
    ['an Error with a getter that throws', getter, 'Tool "try" threw something that cannot be read.'],
    ['an AbortError of its own', new DOMException('timed out', 'AbortError'), 'Tool "try" threw AbortError: timed out'],
  ])('%s becomes a failure that may be tried again', async (_, thrown, message) => {
    const expected = { code: 'TOOL_FAILED', message, retryable: true }
    expect(await failureOf(throwing(thrown))).toMatchObject(expected)
    expect(await failureOf(doing(() => Promise.reject(thrown as Error)))).toMatchObject(expected)
  })

  it('never makes it throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withNullPrototype: true, withMap: true, withBigInt: true }), async (thrown) => {
        expect(await failureOf(throwing(thrown))).toMatchObject({ retryable: true })
      } ), // prettier-ignore
    )
  })

  it('keeps what lay beneath', async () => {
    const error = new Error('upload failed', { cause: new Error('socket closed', { cause: 'ECONNRESET' }) })
    expect(await failureOf(throwing(error))).toMatchObject({ cause: 'Error: socket closed ← "ECONNRESET"' })
  })

  it('does not run in circles for a cause that is its own', async () => {
    const error: Error & { cause?: unknown } = new Error('a')
    error.cause = error
    expect((await failureOf(throwing(error))).cause).toMatch(/^Error: a ← Error: a/)
  })

  it('has its own code, hint and place when it is a ToolError', async () => {
    const error = new ToolError('CARD_REFUSED', 'The card was refused.', {
      hint: 'Ask for another.',
      retryable: false,
      where: { path: '/card' },
    })
    expect(await failureOf(throwing(error))).toEqual({
      code: 'CARD_REFUSED',
      message: 'The card was refused.',
      hint: 'Ask for another.',
      path: '/card',
      retryable: false,
    })
    expect(await failureOf(throwing(new PlanloomError('TABLE_UNREADABLE', 'No.')))).toMatchObject({
      code: 'TABLE_UNREADABLE',
      retryable: true,
    })
  })

  it('is cut to a length that a journal can bear', async () => {
    expect((await failureOf(throwing(new Error('x'.repeat(1_000_000))))).message.length).toBeLessThan(2100)
  })

  it('is called ABORTED once the signal has fired', async () => {
    const context = toolContext()
    const tool = doing(() => {
      context.abort(new Error('the run was cancelled'))
      return Promise.reject(new DOMException('This operation was aborted', 'AbortError'))
    })
    expect(await failureOf(tool, {}, context)).toEqual({
      code: 'ABORTED',
      message: 'Tool "try" was stopped: the run was cancelled',
      retryable: false,
      cause: 'TOOL_FAILED: Tool "try" threw AbortError: This operation was aborted',
    })
  })

  it('is the same from a schema of the tool', async () => {
    const schema = z.unknown().transform(() => {
      throw new Error('schema broke')
    })
    expect(await failureOf(doing(() => 1, schema))).toMatchObject({ code: 'TOOL_FAILED' })
  })
})

describe('an attempt that is stopped while its input is checked', () => {
  it('does not start the tool any more', async () => {
    const stop = new AbortController()
    let isStarted = false
    const input = z.object({}).refine(() => {
      stop.abort(new Error('enough'))
      return Promise.resolve(true)
    })
    const tool = doing(() => (isStarted = true))
    const failure = await failureOf({ ...tool, input }, {}, { ...toolContext(), signal: stop.signal })
    expect(failure).toMatchObject({ code: 'ABORTED' })
    expect(isStarted).toBe(false)
  })
})
