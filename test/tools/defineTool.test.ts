import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/tools/defineTool.ts'
import type { Tool } from '../../src/tools/tool.ts'

const read = {
  name: 'read',
  description: 'Reads.',
  input: z.object({ path: z.string(), limit: z.number().default(10) }),
  output: z.object({ text: z.string() }),
  run: ({ path }: { path: string }) => ({ text: path }),
}
/** As a JavaScript author may declare it. */
const define = (changes: Record<string, unknown>) => defineTool({ ...read, ...changes })

describe('a tool', () => {
  it('has the defaults filled in', () => {
    expect(defineTool(read).description).toEqual({
      name: 'read',
      description: 'Reads.',
      input: expect.objectContaining({ type: 'object', required: ['path'] }) as object,
      output: expect.objectContaining({ type: 'object', required: ['text'] }) as object,
      needs: {},
      requires: [],
      gives: {},
      cost: 1,
      likelihood: 1,
      effects: 'none',
      idempotent: true,
      version: '1',
    })
  })

  it.each([
    ['none', true],
    ['read', true],
    ['write', false],
    ['external', false],
  ])('with effects %s is idempotent by default: %s', (effects, idempotent) => {
    expect(define({ effects }).description.idempotent).toBe(idempotent)
    expect(define({ effects, idempotent: !idempotent }).description.idempotent).toBe(!idempotent)
  })

  it('describes the input as a step writes it, and the output as others read it', () => {
    const tool = defineTool({
      name: 'count',
      description: 'Counts.',
      input: z.object({ text: z.string().default('') }),
      output: z.object({ words: z.number().default(0) }),
      run: ({ text }) => ({ words: text.length }),
    })
    expect(tool.description.input).toMatchObject({ type: 'object', properties: { text: { default: '' } } })
    expect(tool.description.input).not.toHaveProperty('required')
    expect(tool.description.output).toMatchObject({ required: ['words'] })
  })

  it('has needs, gifts and the retry policy written out', () => {
    const tool = defineTool({
      ...read,
      needs: { path: 'file', limit: { fact: 'limit', is: { type: 'number' } } },
      gives: { text: '/text', lines: { from: '/lines', each: true } },
      retry: { attempts: 3 },
      requires: [{ fact: 'online', is: { const: true } }],
    })
    expect(tool.description).toMatchObject({
      needs: { path: { fact: 'file' }, limit: { fact: 'limit', is: { type: 'number' } } },
      gives: { text: { from: '/text' }, lines: { from: '/lines', each: true } },
      requires: [{ fact: 'online', is: { const: true } }],
      retry: { attempts: 3, backoffMs: 200, factor: 2, maxBackoffMs: 30_000, jitter: 0.2 },
    })
  })

  it('may need a property of any alternative of its input', () => {
    const input = z.union([z.object({ path: z.string() }), z.object({ url: z.string() })])
    expect(define({ input, needs: { path: 'a', url: 'b' } }).description.needs).toHaveProperty('url')
    expect(() => define({ input, needs: { other: 'a' } })).toThrow(/needs\.other/)
  })

  it('may need anything where its input is open', () => {
    expect(() => define({ input: z.looseObject({ a: z.string() }), needs: { b: 'b' } })).not.toThrow()
    expect(() => define({ input: z.record(z.string(), z.number()), needs: { b: 'b' } })).not.toThrow()
  })

  it('keeps its own `this`', async () => {
    const declaration = { ...read, prefix: '> ', run: function (this: { prefix: string }, { path }: { path: string }) { return { text: this.prefix + path } } } // prettier-ignore
    expect(await (defineTool(declaration as typeof read) as Tool).run({ path: 'a' }, {} as never)).toEqual({
      text: '> a',
    })
  })
})

describe('a declaration is refused', () => {
  it.each([
    [{ name: 'has space' }, /name: must begin with a letter/],
    [{ name: '' }, /name/],
    [{ description: '' }, /description/],
    [{ needs: { nope: 'fact' } }, /needs\.nope: the input has no property "nope"/],
    [{ needs: { path: '' } }, /needs\.path/],
    [{ gives: { text: 'text' } }, /gives\.text: must be a JSON Pointer/],
    [{ gives: { text: { from: '/a~2' } } }, /gives\.text/],
    [{ likelihood: 0 }, /likelihood/],
    [{ likelihood: 1.5 }, /likelihood/],
    [{ cost: -1 }, /cost/],
    [{ cost: NaN }, /cost/],
    [{ effects: 'all' }, /effects/],
    [{ concurrency: 0 }, /concurrency/],
    [{ retry: { attempts: 0 } }, /retry\.attempts/],
    [{ timeoutMs: 0 }, /timeoutMs/],
    [{ run: undefined }, /run: must be a function/],
    [{ input: z.string() }, /input: must be an object/],
    [{ input: { type: 'object' } }, /input of tool "read" is not a zod schema/],
    [{ output: undefined }, /output of tool "read" is not a zod schema/],
    [{ output: z.object({ at: z.date() }) }, /date at "\/properties\/at"/],
    [{ output: z.map(z.string(), z.string()) }, /map/],
    [{ input: z.object({ n: z.bigint() }) }, /bigint/],
  ])('with %j', (changes, message) => {
    expect(() => define(changes)).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringMatching(message) as string }),
    )
  })

  it('with everything that is wrong at once', () => {
    expect(() => define({ name: '1', likelihood: 2, needs: { a: 'a' }, gives: { b: 'b' } })).toThrow(
      /name.*gives\.b.*likelihood.*needs\.a/,
    )
  })
})

describe('types', () => {
  it('go from the schemas to the function and back', () => {
    const tool = defineTool({
      ...read,
      run: (input, context) => {
        expectTypeOf(input).toEqualTypeOf<{ path: string; limit: number }>()
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
        return { text: input.path }
      },
    })
    expectTypeOf(tool.run).parameter(0).toEqualTypeOf<{ path: string; limit: number }>()
    expectTypeOf(tool).toExtend<Tool>()
  })

  it('refuse what cannot be right', () => {
    // @ts-expect-error: the output has a text, not a number
    defineTool({ ...read, run: () => ({ text: 1 }) })
    // @ts-expect-error: the output is missing
    defineTool({ ...read, run: () => ({}) })
    // @ts-expect-error: the input has no such property
    expect(() => defineTool({ ...read, needs: { pfad: 'file' } })).toThrow('needs.pfad')
    // @ts-expect-error: no such effect
    expect(() => defineTool({ ...read, effects: 'some' })).toThrow('effects')
    // @ts-expect-error: the function must read what the input has
    defineTool({ ...read, run: ({ url }) => ({ text: String(url) }) })
  })
})
