// Random plans for property tests: correct ones, of every shape that the format allows, over tools that do nothing.
import fc from 'fast-check'
import { parsePlan, type JsonSchema, type Plan, type Step, type ToolCatalogue, type ToolDescription } from '../../src/plan/index.ts'

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

/** Where a random step stands: the ids it may depend on, the `forEach` steps among them apart. */
interface Before {
  readonly plain: readonly string[]
  readonly each: readonly string[]
}

const words = fc.constantFrom('a', 'walk', 'naïve "quotes"', 'line\nbreak', '<b>', '```', '`|`', '日本', '', '__proto__')

function reference(ids: readonly string[], path: string): fc.Arbitrary<{ $from: string; path: string }> {
  return fc.constantFrom(...ids).map(($from) => ({ $from, path }))
}

/** A value for one property of the input: literal, or a reference of a type that fits. */
function inputs({ plain }: Before, isEach: boolean): fc.Arbitrary<Record<string, unknown>> {
  const or = (literal: fc.Arbitrary<unknown>, path: string, item?: string): fc.Arbitrary<unknown> =>
    fc.oneof(
      literal,
      ...(plain.length > 0 ? [reference(plain, path)] : []),
      ...(isEach && item !== undefined ? [fc.constant({ $item: item })] : []),
    )
  return fc.record(
    {
      count: or(fc.integer(), '/count', '/size'),
      text: or(words, '/text', '/name'),
      maybe: or(fc.constant(null), '/maybe'),
      flag: or(fc.boolean(), '/a~1b~0c'),
      rows: or(fc.constant([{ name: 'x' }]), '/rows'),
      texts: fc.array(or(words, '/rows/0/name', '/name'), { maxLength: 3 }),
      nested: fc.record({ text: or(words, '/text', '/name') }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  )
}

function stepAfter(id: string, before: Before): fc.Arbitrary<Step> {
  const { plain, each } = before
  const forEach =
    plain.length === 0 ? fc.constant(undefined) : fc.option(reference(plain, '/rows'), { nil: undefined, freq: 4 })
  return forEach.chain((list) =>
    fc
      .record(
        {
          id: fc.constant(id),
          tool: fc.constantFrom(...noopTools.keys()),
          title: words,
          input: inputs(before, list !== undefined),
          after: fc.uniqueArray(fc.constantFrom(...plain, ...each, ...(plain.length + each.length === 0 ? [''] : [])), { maxLength: 3 }),
          forEach: fc.constant(list),
          when: plain.length === 0 ? fc.constant(undefined) : reference(plain, '/count').map((value) => ({ value, is: { minimum: 3 } })),
          expect: fc.constant({ type: 'object', required: ['text'] }),
          retry: fc.constant({ attempts: 2, backoffMs: 1, factor: 2, maxBackoffMs: 10, jitter: 0 }),
          onFailure: fc.constantFrom('replan', 'skip', 'fail'),
          onSkipped: fc.constantFrom('skip', 'run'),
          timeoutMs: fc.integer({ min: 1, max: 1000 }),
          cost: fc.integer({ min: 0, max: 9 }),
          why: words,
        } as const,
        { requiredKeys: ['id', 'tool', ...(list === undefined ? [] : ['forEach' as const])] },
      )
      .map((step) => clean(step as Step)),
  )
}

function clean(step: Step): Step {
  const entries = Object.entries(step).filter(([key, value]) => value !== undefined && !(key === 'after' && (value as string[]).includes('')))
  return Object.fromEntries(entries) as Step
}

export interface PlanShape {
  readonly minSteps?: number
  /** @default 12 */
  readonly maxSteps?: number
  /** Whether there may be `forEach` steps. @default true */
  readonly forEach?: boolean
}

/** Steps whose dependencies all come before them. */
export function stepsInOrder({ minSteps = 0, maxSteps = 12, forEach = true }: PlanShape = {}): fc.Arbitrary<Step[]> {
  return fc.integer({ min: minSteps, max: maxSteps }).chain((count) => {
    let steps: fc.Arbitrary<Step[]> = fc.constant([])
    for (let index = 0; index < count; index++) {
      steps = steps.chain((so) => {
        const isEach = (step: Step): boolean => step.forEach !== undefined
        const plain = so.filter((step) => !isEach(step)).map(({ id }) => id)
        const each = so.filter(isEach).map(({ id }) => id)
        return stepAfter(`s${index}`, { plain, each }).map((step) => [...so, forEach ? step : without(step, 'forEach')])
      })
    }
    return steps
  })
}

function without<K extends keyof Step>(step: Step, key: K): Step {
  const { [key]: _, ...rest } = step
  if (key !== 'forEach') return rest as Step
  return JSON.parse(JSON.stringify(rest, (_key, value: unknown) => (isItem(value) ? undefined : value)).replaceAll('null,', '"",').replaceAll('null]', '""]')) as Step
}

function isItem(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '$item' in value
}

/** Correct plans over `noopTools`: any order of steps, references, control dependencies, conditions, lists, assumptions. */
export function plans(shape?: PlanShape): fc.Arbitrary<Plan> {
  return stepsInOrder(shape)
    .chain((steps) => fc.tuple(fc.shuffledSubarray(steps, { minLength: steps.length }), fc.constantFrom(...(steps.length > 0 ? steps : [undefined])), words, fc.integer({ min: 1, max: 9 })))
    .map(([steps, on, text, revision]) =>
      parsePlan(
        {
          id: 'p',
          goal: { text: text === '' ? 'go' : text, partial: 'allow' },
          revision,
          parent: revision === 1 ? null : revision - 1,
          steps,
          assumptions: on === undefined ? [] : [{ id: 'as', statement: text, fact: 'fact', is: { const: 1 }, steps: [on.id] }],
        },
        { tools: noopTools },
      ),
    )
}
