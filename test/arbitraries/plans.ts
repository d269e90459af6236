// Random plans for property tests: correct ones, of every shape that the format allows, over tools that do nothing.
import fc from 'fast-check'
import {
  branchOf,
  deepFreeze,
  dependenciesOf,
  parsePlan,
  type Json,
  type JsonSchema,
  type Plan,
  type Step,
  type ToolCatalogue,
  type ToolDescription,
} from '../../src/plan/index.ts'

const output: JsonSchema = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    text: { type: 'string' },
    maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    rows: { type: 'array', items: { $ref: '#/$defs/row' } },
    'a/b~c': { type: 'boolean' },
  },
  required: ['count', 'text', 'maybe', 'rows', 'a/b~c'],
  additionalProperties: false,
  $defs: {
    row: {
      type: 'object',
      properties: { name: { type: 'string' }, size: { type: 'number' } },
      required: ['name', 'size'],
      additionalProperties: false,
    },
  },
}

const input: JsonSchema = {
  type: 'object',
  properties: {
    count: { type: 'number' },
    text: { type: 'string' },
    maybe: { type: ['string', 'null'] },
    flag: { type: 'boolean' },
    rows: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
    texts: { type: 'array', items: { type: 'string' } },
    nested: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
  },
  additionalProperties: false,
}

/** A tool that does nothing, with outputs and inputs of many types. */
export function noop(name: string, more: Partial<ToolDescription> = {}): ToolDescription {
  return {
    name,
    description: 'Does nothing.',
    input,
    output,
    needs: {},
    requires: [],
    gives: {},
    cost: 1,
    likelihood: 1,
    effects: 'none',
    idempotent: true,
    version: '1',
    ...more,
  }
}

/** The tools that random plans use. */
export const noopTools: ToolCatalogue = new Map(['noop', 'rest', 'think'].map((name) => [name, noop(name)]))

/** Texts that are awkward somewhere: in Markdown, Mermaid, DOT, a terminal, or as a key. */
const awkwardTexts = fc.constantFrom(
  'walk',
  '',
  'naïve "quotes"',
  'two\nlines',
  '<b>',
  '```',
  'a|b',
  '日本',
  '__proto__',
  '"]',
  '\u001b[31m',
)

/** A step before it is known what stands before it: numbers say, counted round, which steps it depends on. */
interface Sketch {
  readonly tool: string
  /** In place of the tool: what a model may use. */
  readonly allowed: readonly string[] | undefined
  /** Goes over the rows of this step. */
  readonly over: number | undefined
  readonly fields: readonly {
    readonly name: keyof typeof paths
    readonly from: 'literal' | 'step' | 'item'
    readonly pick: number
    readonly text: string
  }[]
  readonly after: readonly number[]
  readonly when: number | undefined
  readonly more: Partial<Step>
}

/** Paths of the same type in the output and in an item. */
const paths = {
  count: { step: '/count', item: '/size', literal: 3 },
  text: { step: '/text', item: '/name', literal: 'x' },
  maybe: { step: '/maybe', item: '/name', literal: null },
  flag: { step: '/a~1b~0c', item: undefined, literal: true },
  rows: { step: '/rows', item: undefined, literal: [{ name: 'x' }] },
  texts: { step: '/rows/0/name', item: '/name', literal: 'x' },
  nested: { step: '/text', item: '/name', literal: 'x' },
} as const

const sketches: fc.Arbitrary<Sketch> = fc.record({
  tool: fc.constantFrom(...noopTools.keys()),
  allowed: fc.option(fc.subarray([...noopTools.keys()]), { nil: undefined, freq: 4 }),
  over: fc.option(fc.nat(), { nil: undefined, freq: 3 }),
  fields: fc.array(
    fc.record({
      name: fc.constantFrom(...(Object.keys(paths) as (keyof typeof paths)[])),
      from: fc.constantFrom('literal', 'step', 'item'),
      pick: fc.nat(),
      text: awkwardTexts,
    }),
    { maxLength: 4 },
  ),
  after: fc.array(fc.nat(), { maxLength: 2 }),
  when: fc.option(fc.nat(), { nil: undefined, freq: 4 }),
  more: fc.record(
    {
      title: awkwardTexts,
      why: awkwardTexts,
      expect: fc.constant({ type: 'object', required: ['text'] }),
      retry: fc.constant({ attempts: 2, backoffMs: 1, factor: 2, maxBackoffMs: 10, jitter: 0 }),
      onFailure: fc.constantFrom('replan', 'skip', 'fail'),
      onSkipped: fc.constantFrom('skip', 'run'),
      timeoutMs: fc.integer({ min: 1, max: 1000 }),
      cost: fc.integer({ min: 0, max: 9 }),
    } as const,
    { requiredKeys: [] },
  ),
})

function draw(sketch: Sketch, index: number, before: readonly Step[], withForEach: boolean): Step {
  const plain = before.filter((step) => step.forEach === undefined)
  const pick = (from: readonly Step[], nth: number): string | undefined => from[nth % Math.max(from.length, 1)]?.id
  const source = withForEach && sketch.over !== undefined ? pick(plain, sketch.over) : undefined
  const input: Record<string, Json> = {}
  for (const { name, from, pick: nth, text } of sketch.fields) {
    const { step, item, literal } = paths[name]
    const giver = pick(plain, nth)
    const given: Json =
      from === 'step' && giver !== undefined
        ? { $from: giver, path: step }
        : from === 'item' && source !== undefined && item !== undefined
          ? { $item: item }
          : typeof literal === 'string'
            ? text
            : literal
    input[name] = name === 'texts' ? [given, text] : name === 'nested' ? { text: given } : given
  }
  const after = [...new Set(sketch.after.flatMap((nth) => pick(before, nth) ?? []))]
  const asked = sketch.when === undefined ? undefined : pick(plain, sketch.when)
  return {
    id: `s${index}`,
    ...(sketch.allowed === undefined
      ? { tool: sketch.tool }
      : { instruction: sketch.fields[0]?.text ?? 'think', tools: [...sketch.allowed] }),
    ...sketch.more,
    ...(sketch.fields.length > 0 && { input }),
    ...(after.length > 0 && { after }),
    ...(source !== undefined && { forEach: { $from: source, path: '/rows' } }),
    ...(asked !== undefined && { when: { value: { $from: asked, path: '/count' }, is: { minimum: 3 } } }),
  }
}

export interface PlanShape {
  /** @default 0 */
  readonly minSteps?: number
  /** @default 12 */
  readonly maxSteps?: number
  /** Whether there may be `forEach` steps. @default true */
  readonly forEach?: boolean
  /** Whether there may be steps with an instruction for a model, in place of a tool. @default false */
  readonly models?: boolean
}

/** Correct steps, `s0`, `s1`, …, whose dependencies all come before them. */
function stepsInOrder({ minSteps = 0, maxSteps = 12, forEach = true, models = false }: PlanShape = {}): fc.Arbitrary<
  Step[]
> {
  return fc.array(sketches, { minLength: minSteps, maxLength: maxSteps }).map((all) => {
    const steps: Step[] = []
    for (const [index, { allowed, ...sketch }] of all.entries())
      steps.push(draw({ ...sketch, allowed: models ? allowed : undefined }, index, steps, forEach))
    return steps
  })
}

/** Correct plans over `noopTools`: any order of steps, references, control dependencies, conditions, lists, assumptions. */
export function plans(shape?: PlanShape): fc.Arbitrary<Plan> {
  return fc
    .record({
      steps: stepsInOrder(shape),
      places: fc.infiniteStream(fc.nat()),
      text: awkwardTexts,
      revision: fc.integer({ min: 1, max: 9 }),
    })
    .map(({ steps, places, text, revision }) => {
      const order = steps
        .map((step) => ({ step, place: places.next().value as number }))
        .sort((a, b) => a.place - b.place)
      const [first] = steps
      return parsePlan(
        {
          id: 'p',
          goal: { text: `go ${text}`, partial: 'allow' },
          revision,
          parent: revision === 1 ? null : revision - 1,
          steps: order.map(({ step }) => step),
          assumptions:
            first === undefined
              ? []
              : [{ id: 'as', statement: text, fact: 'fact', is: { const: 1 }, steps: [first.id] }],
        },
        { tools: noopTools },
      )
    })
}

/** Another correct plan made of parts of one: steps left out (with what depended on them), moved, changed, given up, brought in. */
export function relatives(plan: Plan): fc.Arbitrary<Plan> {
  const ids = plan.steps.map(({ id }) => id)
  const some = fc.subarray(ids)
  return fc
    .record({
      leave: fc.subarray(ids, { maxLength: Math.ceil(ids.length / 4) }),
      move: some,
      change: fc.subarray(ids, { maxLength: Math.min(2, ids.length) }),
      rewire: fc.subarray(ids, { maxLength: Math.min(1, ids.length) }),
      give: fc.subarray(ids, { maxLength: Math.min(2, ids.length) }),
      text: awkwardTexts,
      news: fc.array(fc.record({ after: fc.nat(), at: fc.nat() }), { maxLength: 3 }),
      goal: fc.boolean(),
      head: fc.record({
        revision: fc.integer({ min: 1, max: 9 }),
        parent: fc.option(fc.integer({ min: 1, max: 9 })),
        id: fc.constantFrom('p', 'q'),
      }),
    })
    .map((edit) => {
      const gone = new Set<string>()
      for (const id of edit.leave) for (const member of spread(plan.steps, id)) gone.add(member)
      const moved = new Set(edit.move)
      const kept = plan.steps.filter(({ id }) => !gone.has(id))
      const steps = [...kept.filter(({ id }) => !moved.has(id)), ...kept.filter(({ id }) => moved.has(id))].map(
        (step) => {
          return edit.change.includes(step.id) ? { ...step, title: `${edit.text}!`, cost: 7 } : step
        },
      )
      for (const [nth, { after, at }] of edit.news.entries()) {
        const on = steps[after % Math.max(steps.length, 1)]
        steps.splice(at % (steps.length + 1), 0, {
          id: `n${nth}`,
          tool: 'rest',
          ...(on !== undefined && { after: [on.id] }),
        })
      }
      for (const id of edit.rewire) {
        const index = steps.findIndex((step) => step.id === id && step.after !== undefined)
        const step = steps[index]
        if (step !== undefined) steps[index] = without(step, 'after')
      }
      const lost = new Map<string, string>()
      for (const [nth, id] of edit.give.entries())
        for (const member of branchOf(steps, id)) if (!lost.has(member)) lost.set(member, `lost ${nth}`)
      return deepFreeze({
        ...plan,
        ...edit.head,
        goal: edit.goal ? { text: 'another' } : plan.goal,
        because: { type: 'edited' as const, text: edit.text },
        steps: steps.map((step) => (lost.has(step.id) ? { ...step, abandoned: lost.get(step.id) ?? '' } : step)),
        assumptions: plan.assumptions.flatMap((one) => {
          const on = one.steps.filter((id) => !gone.has(id))
          return edit.goal && on.length > 0
            ? [
                { ...one, id: 'other', steps: on },
                { ...one, steps: on },
              ]
            : on.length > 0
              ? [{ ...one, steps: on }]
              : []
        }),
      })
    })
}

/** The step and all that depends on it. */
function spread(steps: readonly Step[], id: string): Set<string> {
  const found = new Set([id])
  for (let size = 0; size < found.size;) {
    size = found.size
    for (const step of steps) if (dependenciesOf(step).some((one) => found.has(one))) found.add(step.id)
  }
  return found
}

function without(step: Step, key: 'after'): Step {
  const { [key]: _, ...rest } = step
  return rest
}
