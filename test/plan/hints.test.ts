import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyPatch,
  findingCodes,
  parsePlan,
  PatchRefusedError,
  planSchema,
  validatePlan,
  type Finding,
  type ValidateOptions,
} from '../../src/plan/index.ts'
import { exampleAt, exampleText } from '../../src/plan/validate/examplePlan.ts'
import { noop, noopTools } from '../arbitraries/plans.ts'

const a = { id: 'a', tool: 'noop' }
const goal = { text: 'go' }

function findingsOf(plan: object, options: ValidateOptions = {}): readonly Finding[] {
  return validatePlan({ id: 'p', goal, steps: [a], ...plan }, { tools: noopTools, executors: ['tool'], ...options })
    .findings
}

function hintFor(plan: object, path: string): string | undefined {
  return findingsOf(plan).find((finding) => finding.path === path)?.hint
}

describe('a hint says what to do', () => {
  it.each<[string, object, string, string | RegExp]>([
    ['a line to add for a goal', { goal: undefined }, '/goal', 'Add "goal": {"text": "Report how prices have changed"'],
    ['a line to add for an id', { id: undefined }, '/id', 'Add "id": "price-report"'],
    ['a line to add for steps', { steps: undefined }, '/steps', 'Add "steps": [{"id": "read", "tool": "read_file"'],
    ['a line to add for the id of a step', { steps: [{ tool: 'noop' }] }, '/steps/0/id', 'Add "id": "read"'],
    ['lines to add for what a step does', { steps: [{ id: 'a' }] }, '/steps/0', '"tool": "read_file"'],
    [
      'a line to add for a part of an assumption',
      { assumptions: [{ id: 'x', statement: '', fact: 'f', is: true }] },
      '/assumptions/0/steps',
      'Add "steps": ["read"]',
    ],
    [
      'the id that other steps refer to',
      { steps: [{ tool: 'noop' }, { ...a, after: ['load'] }] },
      '/steps/0/id',
      'Perhaps "id": "load"',
    ],
    ['the field that was meant', { gaol: goal, goal: undefined }, '/gaol', 'Did you mean "goal"?'],
    ['the field of a goal that was meant', { goal: { txet: 'go' } }, '/goal/txet', 'Did you mean "text"?'],
    [
      'the field of a part that was meant',
      { steps: [{ ...a, retry: { attempts: 2, backofMs: 1 } }] },
      '/steps/0/retry/backofMs',
      'Did you mean "backoffMs"?',
    ],
    [
      'the field that has another name elsewhere',
      { steps: [{ ...a, depends_on: [] }] },
      '/steps/0/depends_on',
      'Did you mean "after"?',
    ],
    ['the fields there are', { goal: { text: 'go', mood: 'gay' } }, '/goal/mood', 'text, want, facts, partial'],
    ['an example of a number', { steps: [{ ...a, timeoutMs: '5s' }] }, '/steps/0/timeoutMs', '"timeoutMs": 30000'],
    ['an example of a list', { steps: [{ ...a, after: 'b' }] }, '/steps/0/after', '"after": ["fetch"]'],
    ['an example of a goal', { goal: 'go' }, '/goal', '"goal": {"text": "Report how prices have changed"'],
    ['an example of a step', { steps: ['read'] }, '/steps/0', '{"id": "read", "tool": "read_file"}'],
    ['an example of retries', { steps: [{ ...a, retry: 3 }] }, '/steps/0/retry', '"retry": {"attempts": 3'],
    [
      'an example of a condition',
      { steps: [{ ...a, when: true }] },
      '/steps/0/when',
      '"when": {"value": {"$from": "fetch", "path": "/count"}, "is": {"minimum": 1}}',
    ],
    ['how long a text may be', { steps: [{ ...a, why: 'x'.repeat(10_001) }] }, '/steps/0/why', 'Shorten it to 10000'],
  ])('%s', (_, plan, path, hint) => {
    expect(hintFor(plan, path)).toContain(hint)
  })

  it('with examples that fit, for every field that there is', () => {
    const example = exampleAt([])
    expect(planSchema.parse(example)).toEqual(example)
    const places: (readonly (string | number)[])[] = []
    const walk = (schema: unknown, place: readonly (string | number)[]): void => {
      const { def, shape, element } = schema as {
        def: { innerType?: unknown; options?: readonly unknown[] }
        shape?: Record<string, unknown>
        element?: unknown
      }
      if (def.innerType !== undefined) walk(def.innerType, place)
      if (def.options !== undefined) walk(def.options[0], place)
      if (element !== undefined) walk(element, [...place, 0])
      for (const [key, inner] of Object.entries(shape ?? {})) {
        places.push([...place, key])
        walk(inner, [...place, key])
      }
    }
    walk(planSchema, [])
    expect(places.length).toBeGreaterThan(45)
    for (const place of places) {
      expect(exampleText(place), place.join('/')).toMatch(/^(?!\{…|\[…)/)
      const shown: unknown = JSON.parse(exampleText(place) ?? '')
      const plan = structuredClone(example) as Record<string, unknown>
      let parent = plan
      for (const part of place.slice(0, -1)) parent = parent[part] as Record<string, unknown>
      parent[place.at(-1) ?? ''] = shown
      expect(planSchema.safeParse(plan).error?.issues, place.join('/')).toBeUndefined()
    }
  })

  /** For each code a plan (or a patch) that has it, and what its hint tells. */
  const cases: Readonly<Record<(typeof findingCodes)[number], readonly [() => readonly Finding[], RegExp]>> = {
    PLAN_SHAPE: [() => findingsOf({ revision: 'one' }), /"revision": 2/],
    PLAN_TOO_LARGE: [() => findingsOf({}, { limits: { steps: 0 } }), /forEach/],
    CACHE_INVALID: [
      () => findingsOf({ steps: [{ ...a, tool: undefined, instruction: 'x', cache: true }] }),
      /Take "cache" out/,
    ],
    STEP_DUPLICATE: [() => findingsOf({ steps: [a, a] }), /id of its own/],
    STEP_KIND: [() => findingsOf({ steps: [{ ...a, instruction: 'x' }] }), /Keep one/],
    STEP_UNKNOWN: [() => findingsOf({ steps: [{ ...a, after: ['nobody'] }] }), /Name a step/],
    STEP_UNREACHABLE: [
      () =>
        findingsOf({
          steps: [
            { ...a, abandoned: 'x' },
            { ...a, id: 'b', after: ['a'] },
          ],
        }),
      /onSkipped/,
    ],
    STEP_UNUSED: [
      () =>
        findingsOf(
          { goal: { ...goal, want: [{ fact: 'f' }] }, steps: [{ id: 'a', tool: 'look' }] },
          { tools: new Map([['look', noop('look', { gives: { seen: { from: '/text' } } })]]) },
        ),
      /take it out/,
    ],
    PLAN_CYCLE: [() => findingsOf({ steps: [{ ...a, after: ['a'] }] }), /Take one of these dependencies out/],
    TOOL_UNKNOWN: [() => findingsOf({ steps: [{ ...a, tool: 'quite other' }] }), /There are: noop, rest, think/],
    INPUT_INVALID: [() => findingsOf({ steps: [{ ...a, input: { count: 'x' } }] }), /Give a value that fits/],
    INPUT_MISSING: [
      () =>
        findingsOf({}, { tools: new Map([['noop', noop('noop', { input: { type: 'object', required: ['path'] } })]]) }),
      /Add "path" to the input/,
    ],
    INPUT_UNKNOWN: [() => findingsOf({ steps: [{ ...a, input: { cuont: 1 } }] }), /Did you mean "count"\?/],
    REFERENCE_PATH: [
      () => findingsOf({ steps: [a, { ...a, id: 'b', input: { text: { $from: 'a', path: '/txt' } } }] }),
      /Did you mean "text"\?/,
    ],
    REFERENCE_TYPE: [
      () => findingsOf({ steps: [a, { ...a, id: 'b', input: { text: { $from: 'a', path: '/count' } } }] }),
      /another place/,
    ],
    ITEM_OUTSIDE_FOR_EACH: [() => findingsOf({ steps: [{ ...a, input: { text: { $item: '' } } }] }), /"forEach"/],
    TEMPLATE_IN_TEXT: [() => findingsOf({ steps: [{ ...a, input: { text: '#E1' } }] }), /Write a reference/],
    SCHEMA_INVALID: [() => findingsOf({ steps: [{ ...a, expect: { type: 7 } }] }), /"type": "object"/],
    ASSUMPTION_DUPLICATE: [
      () => findingsOf({ assumptions: [1, 2].map(() => ({ id: 'x', statement: '', fact: 'f', is: true, steps: [] })) }),
      /id of its own/,
    ],
    ASSUMPTION_UNKNOWN: [
      () => findingsOf({ assumptions: [{ id: 'x', statement: '', fact: 'f', is: true, steps: ['nobody'] }] }),
      /Name steps/,
    ],
    EXECUTOR_UNKNOWN: [() => findingsOf({ steps: [{ ...a, executor: 'somebody' }] }), /There are: tool/],
    BUDGET_TOO_SMALL: [() => findingsOf({}, { limits: { cost: 0 } }), /Raise the limit/],
    PATCH_REFUSED: [
      () => {
        try {
          const edit = { base: 1, by: { planner: 'me' }, because: { type: 'edited' as const, text: '' } }
          applyPatch(parsePlan({ id: 'p', goal, steps: [a] }), {
            ...edit,
            operations: [{ op: 'rewire', id: 'a', from: 'b', to: null }],
          })
          return []
        } catch (error) {
          return error instanceof PatchRefusedError ? error.findings : []
        }
      },
      /Name a dependency/,
    ],
  }
  it.each(findingCodes)('for the code %s', (code) => {
    const [find, hint] = cases[code]
    const findings = find()
    expect(findings.map((finding) => finding.code)).toEqual([code])
    expect(findings[0]?.hint).toMatch(hint)
  })
})

describe('findings are bounded', () => {
  const long = 'k'.repeat(5000)

  it('whatever names and texts the plan has', () => {
    const texts = fc.constantFrom(long, `${long}/~`, 'a', '\u0000', '/'.repeat(3000), '~'.repeat(3000))
    const values = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        texts,
        fc.dictionary(texts, tie('value'), { maxKeys: 3 }),
        fc.record({ $from: texts, path: texts }),
        fc.record({ $item: texts }),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
    })).value
    const step = fc.record(
      { id: texts, tool: texts, executor: texts, input: values, after: fc.array(texts), when: values, expect: values },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(step, values)), values, (steps, other) => {
        for (const { path, message, hint, stepId = '' } of findingsOf({ steps, assumptions: [other], odd: other })) {
          expect(path.length).toBeLessThanOrEqual(2000)
          expect(message.length).toBeLessThanOrEqual(1000)
          expect(hint.length).toBeLessThanOrEqual(1000)
          expect(stepId.length).toBeLessThanOrEqual(200)
        }
      }),
    )
  })

  it('never to depend on itself', () => {
    const steps = [{ id: 'read2', tool: 'noop', after: ['read'] }]
    expect(hintFor({ steps }, '/steps/0/after/0')).toBe('Name a step of this plan, or add it.')
  })

  it('for a cycle of many steps', () => {
    const steps = Array.from({ length: 5000 }, (_, nth) => ({
      id: `s${nth}`,
      tool: 'noop',
      after: [`s${(nth + 1) % 5000}`],
    }))
    expect(findingsOf({ steps }).map(({ message }) => message)).toEqual([
      'These steps wait for each other: s0 → s1 → s2 → s3 → s4 → s5 → s6 → … 4991 more … → s4998 → s4999 → s0.',
    ])
  })

  it('for what lies too deep: people see the ends of the way there, programs all of it', () => {
    const deep = Array.from({ length: 300 }).reduce<object>((inner) => ({ inside: inner }), {})
    const [finding, ...more] = findingsOf({ steps: [{ ...a, input: deep }] })
    expect(more).toEqual([])
    expect(finding).toMatchObject({ code: 'PLAN_TOO_LARGE', path: `/steps/0/input${'/inside'.repeat(200)}` })
    expect(finding?.message).toContain('"/inside/inside/inside/…/inside"')
  })

  it('for a mark of expansion into more children than there are steps', () => {
    const step = { ...a, forEach: { $from: 'b', path: '/rows' }, expanded: 100_000 }
    expect(findingsOf({ steps: [step, { ...a, id: 'b' }] })).toEqual([
      expect.objectContaining({ code: 'STEP_UNKNOWN', path: '/steps/0/expanded' }),
    ])
  })
})
