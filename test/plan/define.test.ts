import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { definePlan, step, type RefTo, type StepHandle, type TypedTool } from '../../src/plan/index.ts'
import { defineTool } from '../../src/tools/defineTool.ts'

const readCsv = tool(
  'read_csv',
  z.object({ path: z.string(), limit: z.number().optional() }),
  z.object({
    rows: z.array(z.object({ name: z.string(), size: z.number(), tag: z.string().nullable() })),
    file: z.object({ encoding: z.enum(['utf-8', 'latin-1']) }).nullable(),
    isWhole: z.boolean(),
    anything: z.unknown(),
    at: z.object({ then: z.string() }),
  }),
)
const note = tool(
  'note',
  z.object({
    name: z.string(),
    names: z.array(z.string()).optional(),
    isWhole: z.boolean().optional(),
    either: z.union([z.string(), z.number()]).optional(),
    deep: z.object({ size: z.number() }).optional(),
  }),
  z.object({ size: z.number() }),
)
const look = tool('look', z.object({}), z.object({ size: z.number() }))

function tool<I extends z.ZodType, O extends z.ZodType>(name: string, input: I, output: O): TypedTool<I, O> {
  return { description: { name }, input, output }
}

const read = step('read', { tool: readCsv, input: { path: 'a.csv' } })

describe('definePlan', () => {
  it('writes typed references as JSON', () => {
    const one = step('one', {
      tool: note,
      title: 'One',
      retry: { attempts: 3 },
      input: {
        name: read.output.rows.at(0).name,
        names: ['x', read.output.rows.at(1).name],
        isWhole: read.output.isWhole,
        either: read.output.rows.at(0).size,
        deep: { size: read.output.rows.at(2).size },
      },
      when: { value: read.output.isWhole, is: { const: true } },
    })
    const plan = definePlan({
      id: 'p',
      goal: 'note it',
      steps: [read, one],
      assumptions: [{ id: 'a', statement: 's', fact: 'f', is: true, steps: [read] }],
    })
    expect(plan.goal).toEqual({ text: 'note it' })
    expect(plan.assumptions[0]?.steps).toEqual(['read'])
    expect(plan.steps).toEqual([
      { id: 'read', tool: 'read_csv', input: { path: 'a.csv' } },
      {
        id: 'one',
        tool: 'note',
        title: 'One',
        retry: { attempts: 3, backoffMs: 200, factor: 2, maxBackoffMs: 30_000, jitter: 0.2 },
        input: {
          name: { $from: 'read', path: '/rows/0/name' },
          names: ['x', { $from: 'read', path: '/rows/1/name' }],
          isWhole: { $from: 'read', path: '/isWhole' },
          either: { $from: 'read', path: '/rows/0/size' },
          deep: { size: { $from: 'read', path: '/rows/2/size' } },
        },
        when: { value: { $from: 'read', path: '/isWhole' }, is: { const: true } },
      },
    ])
  })

  it('goes over lists with typed items, and over lists of steps', () => {
    const each = step('each', {
      tool: note,
      forEach: read.output.rows,
      input: (row) => ({ name: row.name, deep: { size: row.size } }),
    })
    const again = step('again', {
      tool: look,
      forEach: each.output,
      when: (item) => ({ value: item.size, is: { minimum: 1 } }),
    })
    const sum = step('sum', { tool: note, input: { name: 'all', deep: each.output.at(0) }, after: [again, 'each'] })
    const { steps } = definePlan({ id: 'p', goal: 'note all', steps: [read, each, again, sum] })
    expect(steps.slice(1)).toEqual([
      {
        id: 'each',
        tool: 'note',
        forEach: { $from: 'read', path: '/rows' },
        input: { name: { $item: '/name' }, deep: { size: { $item: '/size' } } },
      },
      {
        id: 'again',
        tool: 'look',
        forEach: { $from: 'each', path: '' },
        when: { value: { $item: '/size' }, is: { minimum: 1 } },
      },
      {
        id: 'sum',
        tool: 'note',
        input: { name: 'all', deep: { $from: 'each', path: '/0' } },
        after: ['again', 'each'],
      },
    ])
  })

  it('types what a person answers, and expects it', () => {
    const ask = step('ask', {
      instruction: 'Go on?',
      executor: 'person',
      input: { rows: read.output.rows },
      output: z.object({ go: z.boolean() }),
    })
    const then = step('then', { tool: note, input: { name: 'x', isWhole: ask.output.go } })
    const { steps } = definePlan({ id: 'p', goal: 'ask', steps: [read, ask, then] })
    expect(steps[1]).toMatchObject({
      instruction: 'Go on?',
      input: { rows: { $from: 'read', path: '/rows' } },
      expect: { type: 'object', required: ['go'] },
    })
    expect(steps[2]?.input).toEqual({ name: 'x', isWhole: { $from: 'ask', path: '/go' } })
  })

  it('lets a model use tools, by handle or by name', () => {
    const judge = step('judge', {
      instruction: 'Which name is best?',
      tools: [note, 'look'],
      input: { rows: read.output.rows },
      output: z.object({ name: z.string() }),
    })
    const then = step('then', { tool: note, input: { name: judge.output.name } })
    const { steps } = definePlan({ id: 'p', goal: 'ask', steps: [read, judge, then] })
    expect(steps[1]).toMatchObject({ instruction: 'Which name is best?', tools: ['note', 'look'] })
    expect(step('alone', { instruction: 'Well?', tools: [] }).step.tools).toEqual([])
    expect('tools' in step('plain', { instruction: 'Well?' }).step).toBe(false)
  })

  it('T2: refers to properties with any name', () => {
    const odd = step('odd', { tool: note, input: { name: read.output.at.then } })
    expect(odd.step.input).toEqual({ name: { $from: 'read', path: '/at/then' } })
    const free = step('free', { tool: 'by_name' }).output
    expect(step('b', { tool: note, input: { name: free['a/b']!['toJSON']!['length']! } }).step.input).toEqual({
      name: { $from: 'free', path: '/a~1b/toJSON/length' },
    })
  })

  it('says that a reference is no value yet, where it is taken for one', async () => {
    await expect(async () => await (read.output as unknown as Promise<unknown>)).rejects.toThrow(/not there yet/)
    expect(() => read.output.rows.at(-1)).toThrow(/at\(index\)/)
  })

  it('checks the plan', () => {
    expect(() => definePlan({ id: 'p', goal: 'x', steps: [step('a', { tool: look, after: ['b'] })] })).toThrow(
      expect.objectContaining({ code: 'PLAN_INVALID' }),
    )
  })

  it('takes tools as defineTool makes them', () => {
    const real = defineTool({
      name: 'real',
      description: 'Gives 1.',
      input: z.object({ n: z.number() }),
      output: z.object({ n: z.number() }),
      run: ({ n }) => ({ n }),
    })
    expect(step('a', { tool: real, input: { n: 1 } }).step).toEqual({ id: 'a', tool: 'real', input: { n: 1 } })
  })
})

// What does not compile (T1). Never run: the type-check is the test.
export function doesNotCompile(): void {
  // @ts-expect-error a path that is not there
  expect(read.output.rowz)
  // @ts-expect-error a path that is not there, inside
  step('x', { tool: note, input: { name: read.output.rows.at(0).nam } })
  // @ts-expect-error a number wired into a string
  step('x', { tool: note, input: { name: read.output.rows.at(0).size } })
  // @ts-expect-error a string that may be null wired into a string
  step('x', { tool: note, input: { name: read.output.rows.at(0).tag } })
  // @ts-expect-error an input that is missing
  step('x', { tool: note })
  // @ts-expect-error a property that is missing
  step('x', { tool: note, input: {} })
  // @ts-expect-error a property that is not there
  step('x', { tool: note, input: { name: 'a', nam: 'b' } })
  // @ts-expect-error a literal of the wrong type
  step('x', { tool: note, input: { name: 3 } })
  // @ts-expect-error an item of the wrong type
  step('x', { tool: note, forEach: read.output.rows, input: (row) => ({ name: row.size }) })
  // @ts-expect-error going over what is no list
  step('x', { tool: note, forEach: read.output.file, input: () => ({ name: 'x' }) })
}

describe('the types of references', () => {
  it('follow the schemas', () => {
    expectTypeOf(read).toExtend<StepHandle<z.output<typeof readCsv.output>>>()
    expectTypeOf(read.output.rows.at(0).name).toExtend<RefTo<string>>()
    expectTypeOf(read.output.file.encoding).toExtend<RefTo<'utf-8' | 'latin-1'>>()
    expectTypeOf(read.output.anything).toExtend<RefTo<number>>()
    expectTypeOf(read.output.rows.at(0).size).not.toExtend<RefTo<string>>()
  })
})
