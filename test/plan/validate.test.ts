import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  validatePlan,
  type Finding,
  type FindingCode,
  type JsonSchema,
  type Plan,
  type Step,
  type ValidateOptions,
} from '../../src/plan/index.ts'
import { noop, noopTools, plans } from '../arbitraries/plans.ts'

const tools = new Map(noopTools)
tools.set(
  'read_csv',
  noop('read_csv', {
    input: {
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
      required: ['path'],
      additionalProperties: false,
    },
  }),
)
tools.set('open', noop('open', { input: { type: 'object' }, output: { type: 'object' } }))
tools.set('list', noop('list', { input: true, output: { type: 'array', items: { type: 'string' } } }))
tools.set(
  'either',
  noop('either', {
    input: {
      anyOf: [
        { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    },
  }),
)
tools.set(
  'pair',
  noop('pair', {
    input: {
      type: 'object',
      properties: { row: { $ref: '#/$defs/row' } },
      $defs: { row: { type: 'object', required: ['name', 'weight'], properties: { name: { type: 'string' } } } },
    },
  }),
)
tools.set('loose', noop('loose', { input: { type: 'object', properties: { limit: { type: 'number' } } } }))
tools.set('round', noop('round', { input: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } } }))
tools.set(
  'union',
  noop('union', {
    output: {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'a' }, x: { type: 'number' } }, additionalProperties: false },
        { type: 'object', properties: { kind: { const: 'b' }, y: { type: 'string' } }, additionalProperties: false },
      ],
    },
  }),
)

function check(steps: readonly unknown[], more: object = {}, options: ValidateOptions = {}): readonly Finding[] {
  return validatePlan({ id: 'p', goal: { text: 'go' }, steps, ...more }, { tools, ...options }).findings
}

const a = { id: 'a', tool: 'noop' }
const ref = (path: string, $from = 'a'): object => ({ $from, path })

describe('validatePlan finds', () => {
  const cases: readonly [string, readonly unknown[], FindingCode, string, RegExp, RegExp?][] = [
    [
      'a field that is not there',
      [{ ...a, titel: 'x' }],
      'PLAN_SHAPE',
      '/steps/0/titel',
      /no field "titel"/,
      /Did you mean "title"\?/,
    ],
    [
      'a field of the wrong type',
      [{ ...a, timeoutMs: 'soon' }],
      'PLAN_SHAPE',
      '/steps/0/timeoutMs',
      /must be a number; got "soon"/,
    ],
    [
      'a word that is none of those allowed',
      [{ ...a, onFailure: 'retry' }],
      'PLAN_SHAPE',
      '/steps/0/onFailure',
      /"replan" or "skip" or "fail"; got "retry"/,
    ],
    ['a field that is missing', [{ tool: 'noop' }], 'PLAN_SHAPE', '/steps/0/id', /Step 0: "id" is missing/],
    [
      'an id with odd characters',
      [{ ...a, id: 'a b' }],
      'PLAN_SHAPE',
      '/steps/0/id',
      /must begin with a letter or digit/,
    ],
    [
      'a condition on something that is no reference',
      [{ ...a, when: { value: 3, is: true } }],
      'PLAN_SHAPE',
      '/steps/0/when/value',
      /must be a reference/,
    ],
    ['two steps with one id', [a, a], 'STEP_DUPLICATE', '/steps/1/id', /more than one step with the id "a"/],
    ['a step that does nothing', [{ id: 'a' }], 'STEP_KIND', '/steps/0', /does not say what to do/],
    [
      'a step that does two things',
      [{ ...a, instruction: 'x' }],
      'STEP_KIND',
      '/steps/0',
      /tool and instruction at once/,
    ],
    [
      'tools without anything to do',
      [{ id: 'a', tools: ['noop'] }],
      'STEP_KIND',
      '/steps/0',
      /does not say what to do/,
    ],
    [
      'tools for a model where a tool is called',
      [{ ...a, tools: ['noop'] }],
      'STEP_KIND',
      '/steps/0/tools',
      /asks none: it has a "tool"/,
    ],
    [
      'tools for a model, and a sub-goal',
      [{ id: 'a', goal: { text: 'x' }, tools: ['noop'] }],
      'STEP_KIND',
      '/steps/0/tools',
      /asks none: it has a "goal"/,
    ],
    [
      'tools for a person',
      [{ id: 'a', instruction: 'x', tools: ['noop'], executor: 'person' }],
      'STEP_KIND',
      '/steps/0/executor',
      /people use no tools/,
    ],
    [
      'a tool named twice',
      [{ id: 'a', instruction: 'x', tools: ['noop', 'open', 'noop'] }],
      'PLAN_SHAPE',
      '/steps/0/tools',
      /must not name a tool twice/,
    ],
    [
      'an unknown tool among those for a model',
      [{ id: 'a', instruction: 'x', tools: ['noop', 'read_cvs'] }],
      'TOOL_UNKNOWN',
      '/steps/0/tools/1',
      /"read_cvs", which is not there/,
    ],
    ['a mark of expansion without a list', [{ ...a, expanded: 0 }], 'PLAN_SHAPE', '/steps/0/expanded', /no "forEach"/],
    [
      'a dependency on nothing',
      [
        { ...a, id: 'read' },
        { id: 'b', tool: 'noop', after: ['raed'] },
      ],
      'STEP_UNKNOWN',
      '/steps/1/after/0',
      /depends on "raed"/,
      /Did you mean "read"\?/,
    ],
    [
      'a reference to nothing',
      [{ ...a, input: { text: ref('/text', 'gone') } }],
      'STEP_UNKNOWN',
      '/steps/0/input',
      /"gone"/,
    ],
    [
      'a missing child',
      [
        { ...a, forEach: ref('/rows', 's'), expanded: 1 },
        { id: 's', tool: 'noop' },
      ],
      'STEP_UNKNOWN',
      '/steps/0/expanded',
      /"a\[0\]"/,
    ],
    [
      'a cycle, and prints it',
      [
        { ...a, after: ['c'] },
        { id: 'b', tool: 'noop', after: ['a'] },
        { id: 'c', tool: 'noop', input: { text: ref('/text', 'b') } },
      ],
      'PLAN_CYCLE',
      '/steps/0',
      /a → c → b → a/,
    ],
    ['a step that waits for itself', [{ ...a, after: ['a'] }], 'PLAN_CYCLE', '/steps/0', /waits for itself: a → a/],
    [
      'a step that can never run',
      [
        { ...a, abandoned: 'x' },
        { id: 'b', tool: 'noop', after: ['a'] },
      ],
      'STEP_UNREACHABLE',
      '/steps/1',
      /needs "a", which was abandoned/,
    ],
    [
      'a condition that nothing fits',
      [a, { id: 'b', tool: 'noop', when: { value: ref('/count'), is: false } }],
      'STEP_UNREACHABLE',
      '/steps/1/when/is',
      /nothing satisfies/,
    ],
    [
      'a condition of the wrong type',
      [a, { id: 'b', tool: 'noop', when: { value: ref('/count'), is: { type: 'string' } } }],
      'STEP_UNREACHABLE',
      '/steps/1/when',
      /is integer, and its condition wants string/,
    ],
    [
      'an unknown tool',
      [{ id: 'a', tool: 'read-csv', input: {} }],
      'TOOL_UNKNOWN',
      '/steps/0/tool',
      /"read-csv"/,
      /Did you mean "read_csv"\?/,
    ],
    [
      'an input that is missing',
      [{ id: 'a', tool: 'read_csv' }],
      'INPUT_MISSING',
      '/steps/0/input',
      /"path" is missing/,
    ],
    [
      'an input that is missing beside a reference',
      [a, { id: 'b', tool: 'read_csv', input: { limit: ref('/count') } }],
      'INPUT_MISSING',
      '/steps/1/input',
      /"path" is missing/,
    ],
    [
      'an input that there is not',
      [{ id: 'a', tool: 'read_csv', input: { path: 'x', limt: 3 } }],
      'INPUT_UNKNOWN',
      '/steps/0/input/limt',
      /no property "limt"/,
      /Did you mean "limit"\?/,
    ],
    [
      'the same beside a reference',
      [a, { id: 'b', tool: 'read_csv', input: { path: ref('/text'), limt: 3 } }],
      'INPUT_UNKNOWN',
      '/steps/1/input/limt',
      /no property "limt"/,
      /Did you mean "limit"\?/,
    ],
    [
      'a literal of the wrong type',
      [{ id: 'a', tool: 'read_csv', input: { path: 7 } }],
      'INPUT_INVALID',
      '/steps/0/input/path',
      /expected string, got 7/,
    ],
    [
      'a literal out of bounds beside a reference',
      [a, { id: 'b', tool: 'read_csv', input: { path: ref('/text'), limit: 0 } }],
      'INPUT_INVALID',
      '/steps/1/input/limit',
      /0 is less than 1/,
    ],
    [
      'an object with references where a text belongs',
      [a, { id: 'b', tool: 'read_csv', input: { path: { x: ref('/text') } } }],
      'INPUT_INVALID',
      '/steps/1/input/path',
      /expected string, got an object/,
    ],
    [
      'a string wired into a number',
      [a, { id: 'b', tool: 'noop', input: { count: ref('/text') } }],
      'REFERENCE_TYPE',
      '/steps/1/input/count',
      /needs number at "\/count", and the reference there gives string/,
    ],
    [
      'the same through a definition',
      [a, { id: 'b', tool: 'noop', input: { count: ref('/rows/0/name') } }],
      'REFERENCE_TYPE',
      '/steps/1/input/count',
      /gives string/,
    ],
    [
      'the same in an array',
      [a, { id: 'b', tool: 'noop', input: { texts: ['x', ref('/count')] } }],
      'REFERENCE_TYPE',
      '/steps/1/input/texts/1',
      /needs string/,
    ],
    [
      'an object that lacks what is needed',
      [a, { id: 'b', tool: 'pair', input: { row: ref('/rows/0') } }],
      'REFERENCE_TYPE',
      '/steps/1/input/row',
      /at "\/weight" in it/,
    ],
    [
      'all alternatives missed',
      [a, { id: 'b', tool: 'either', input: { a: ref('/text') } }],
      'REFERENCE_TYPE',
      '/steps/1/input/a',
      /needs number/,
    ],
    [
      'a path that leads nowhere',
      [a, { id: 'b', tool: 'noop', input: { text: ref('/txt') } }],
      'REFERENCE_PATH',
      '/steps/1/input/text',
      /"\/txt" in the output of "a", and nothing is there/,
    ],
    [
      'a path into all ways of a union',
      [
        { id: 'a', tool: 'union' },
        { id: 'b', tool: 'noop', input: { text: ref('/y/z') } },
      ],
      'REFERENCE_PATH',
      '/steps/1/input/text',
      /nothing is there/,
    ],
    [
      'a path that is no pointer',
      [a, { id: 'b', tool: 'noop', input: { text: ref('text') } }],
      'REFERENCE_PATH',
      '/steps/1/input/text/path',
      /not a JSON Pointer/,
    ],
    [
      'a path into a list without an index',
      [
        a,
        { id: 'b', tool: 'noop', forEach: ref('/rows') },
        { id: 'c', tool: 'noop', input: { text: ref('/text', 'b') } },
      ],
      'REFERENCE_PATH',
      '/steps/2/input/text',
      /nothing is there/,
      /forEach/,
    ],
    [
      'a list wired into one value',
      [a, { id: 'b', tool: 'noop', forEach: ref('/rows') }, { id: 'c', tool: 'noop', input: { text: ref('', 'b') } }],
      'REFERENCE_TYPE',
      '/steps/2/input/text',
      /gives array/,
    ],
    [
      'a wrong type in an item',
      [a, { id: 'b', tool: 'noop', forEach: ref('/rows'), input: { count: { $item: '/name' } } }],
      'REFERENCE_TYPE',
      '/steps/1/input/count',
      /gives string/,
    ],
    [
      'a path that an item does not have',
      [a, { id: 'b', tool: 'noop', forEach: ref('/rows'), input: { text: { $item: '/nam' } } }],
      'REFERENCE_PATH',
      '/steps/1/input/text',
      /"\/nam" in its item/,
    ],
    [
      'a wrong type in an item of a list of lists',
      [
        a,
        { id: 'b', tool: 'noop', forEach: ref('/rows') },
        { id: 'c', tool: 'noop', forEach: ref('', 'b'), input: { count: { $item: '/text' } } },
      ],
      'REFERENCE_TYPE',
      '/steps/2/input/count',
      /gives null or string|gives string/,
    ],
    [
      'a forEach over no list',
      [a, { id: 'b', tool: 'noop', forEach: ref('/text') }],
      'REFERENCE_TYPE',
      '/steps/1/forEach',
      /which is string and no array/,
    ],
    [
      'an item without a forEach',
      [{ ...a, input: { text: { $item: '' } } }],
      'ITEM_OUTSIDE_FOR_EACH',
      '/steps/0/input/text',
      /goes over none/,
    ],
    [
      'an item without a forEach in a condition',
      [{ ...a, when: { value: { $item: '' }, is: true } }],
      'ITEM_OUTSIDE_FOR_EACH',
      '/steps/0/when/value',
      /goes over none/,
    ],
    [
      'an object that only looks like a reference',
      [a, { id: 'b', tool: 'open', input: { x: { $from: 'a', paht: '/text' } } }],
      'PLAN_SHAPE',
      '/steps/1/input/x',
      /not a reference/,
    ],
    [
      'what a step expects, wired wrongly',
      [
        { id: 'a', tool: 'open', expect: { type: 'object', properties: { n: { type: 'string' } } } },
        { id: 'b', tool: 'noop', input: { count: ref('/n') } },
      ],
      'REFERENCE_TYPE',
      '/steps/1/input/count',
      /gives string/,
    ],
    [
      'text in another notation',
      [{ ...a, input: { text: '${1}+${2}' } }],
      'TEMPLATE_IN_TEXT',
      '/steps/0/input/text',
      /"\$\{1\}"/,
    ],
    [
      'text that names a step in braces',
      [a, { id: 'b', tool: 'noop', input: { text: 'see {{ a.rows }}' } }],
      'TEMPLATE_IN_TEXT',
      '/steps/1/input/text',
      /"\{\{ a\.rows \}\}"/,
    ],
    ['text of another planner', [{ ...a, input: { text: '#E1' } }], 'TEMPLATE_IN_TEXT', '/steps/0/input/text', /"#E1"/],
    [
      'an expectation that is no schema',
      [{ ...a, expect: { type: 'strnig' } }],
      'SCHEMA_INVALID',
      '/steps/0/expect/type',
      /"strnig" is not a JSON Schema type/,
    ],
    [
      'a condition that is no schema',
      [a, { id: 'b', tool: 'noop', when: { value: ref('/text'), is: { pattern: '(a+)+' } } }],
      'SCHEMA_INVALID',
      '/steps/1/when/is/pattern',
      /for ever/,
    ],
    [
      'an input that goes too deep',
      [{ id: 'a', tool: 'open', input: nested(70) }],
      'PLAN_TOO_LARGE',
      `/steps/0/input${'/x'.repeat(65)}`,
      /deeper than 64/,
    ],
  ]
  it.each(cases)('%s', (_, steps, code, path, message, hint) => {
    const findings = check(steps)
    expect(findings).toContainEqual(
      expect.objectContaining({ code, path, message: expect.stringMatching(message) as string }),
    )
    expect(findings.map((finding) => finding.code)).toEqual(findings.map(() => code))
    if (hint) expect(findings[0]?.hint).toMatch(hint)
    expect(findings.every((finding) => finding.hint !== '')).toBe(true)
  })

  it('a name that is nearly that of an input that is missing, where others may come', () => {
    expect(check([{ id: 'a', tool: 'loose', input: { limt: 3, colour: 1 } }])).toEqual([
      expect.objectContaining({
        code: 'INPUT_UNKNOWN',
        severity: 'warning',
        path: '/steps/0/input/limt',
        hint: 'Did you mean "limit"?',
      }),
    ])
    expect(check([{ id: 'a', tool: 'loose', input: { limit: 3, limt: 3 } }])).toEqual([])
  })

  it('assumptions about what is not there', () => {
    const assumption = { id: 'x', statement: '', fact: 'f', is: { type: 'nope' }, steps: ['b'] }
    expect(
      check([a], { assumptions: [assumption, { ...assumption, is: true, steps: [] }] }).map(({ code, path }) => [
        code,
        path,
      ]),
    ).toEqual([
      ['ASSUMPTION_UNKNOWN', '/assumptions/0/steps/0'],
      ['ASSUMPTION_DUPLICATE', '/assumptions/1/id'],
      ['SCHEMA_INVALID', '/assumptions/0/is/type'],
    ])
  })

  it('unknown executors, where it knows which there are', () => {
    expect(check([{ ...a, executor: 'persn' }], {}, { executors: ['tool', 'person'] })).toEqual([
      expect.objectContaining({ code: 'EXECUTOR_UNKNOWN', path: '/steps/0/executor', hint: 'Did you mean "person"?' }),
    ])
    expect(check([{ ...a, executor: 'persn' }])).toEqual([])
  })

  it.each([
    ['/steps/0/tools', { tools: ['noop'] }],
    ['/steps/0/tools', { tools: [] }],
    ['/steps/0/executor', { executor: 'model' }],
    ['/steps/0/executor', { executor: 'model', tools: ['noop'] }],
  ])('at %s a step for a model where none is set, and says what to set', (path, more) => {
    const steps = [{ id: 'a', instruction: 'Sum up.', ...more }]
    expect(check(steps, {}, { executors: ['tool', 'person'] })).toEqual([
      expect.objectContaining({
        code: 'EXECUTOR_UNKNOWN',
        path,
        message: 'Step "a" is for a model, and none is set.',
        hint: expect.stringContaining('createRuntime({ model })'),
      }),
    ])
    expect(check(steps, {}, { executors: ['tool', 'person', 'model'] })).toEqual([])
  })

  it('a budget that cannot suffice, counting what certainly runs', () => {
    const steps = [
      a,
      { id: 'b', tool: 'noop', cost: 5, after: ['a'] },
      { id: 'c', tool: 'noop', cost: 90, when: { value: ref('/count'), is: true } },
      { id: 'd', tool: 'noop', cost: 90, after: ['c'] },
    ]
    expect(check(steps, {}, { limits: { cost: 5 } })).toEqual([
      expect.objectContaining({ code: 'BUDGET_TOO_SMALL', message: 'The steps cost at least 6, and 5 may be spent.' }),
    ])
    expect(check(steps, {}, { limits: { cost: 6 } })).toEqual([])
    expect(check(steps, {}, { limits: { timeMs: 19, leastMs: () => 10 } })).toEqual([
      expect.objectContaining({ code: 'BUDGET_TOO_SMALL' }),
    ])
    expect(check(steps, {}, { limits: { timeMs: 20, leastMs: () => 10 } })).toEqual([])
    expect(check(steps, {}, { limits: { steps: 3 } })).toEqual([expect.objectContaining({ code: 'PLAN_TOO_LARGE' })])
  })

  it('steps whose result nobody uses, where the goal says what it wants', () => {
    const giving = new Map([
      ['find', noop('find', { gives: { file: { from: '/text' } } })],
      ['look', noop('look', { gives: { format: { from: '/text' } } })],
      ['save', noop('save', { gives: { saved: { from: '/flag' } }, effects: 'write' })],
    ])
    const steps = [
      { id: 'f', tool: 'find' },
      { id: 'l', tool: 'look', after: ['f'] },
      { id: 's', tool: 'save' },
    ]
    const goal = { goal: { text: 'x', want: [{ fact: 'file' }] } }
    expect(check(steps, goal, { tools: giving })).toEqual([
      expect.objectContaining({ code: 'STEP_UNUSED', severity: 'warning', stepId: 'l' }),
    ])
    expect(check(steps, {}, { tools: giving })).toEqual([])
    expect(check(steps, { goal: { text: 'x', want: [{ fact: 'format' }] } }, { tools: giving })).toEqual([])
  })

  it('all problems at once, those of good steps beside broken ones', () => {
    const codes = check([
      { id: 'a', tool: 'nop', timeoutMs: 0 },
      { id: 'b', tool: 'nop' },
      { id: 'c', tool: 'read_csv', after: ['a', 'x'] },
    ]).map(({ code }) => code)
    expect(codes.sort()).toEqual(['INPUT_MISSING', 'PLAN_SHAPE', 'STEP_UNKNOWN', 'TOOL_UNKNOWN', 'TOOL_UNKNOWN'])
  })

  it('one cycle for each group of steps that wait for each other', () => {
    const steps = [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'd'],
      ['d', 'e'],
      ['e', 'c'],
      ['f', 'a'],
    ].map(([id, on]) => ({ id, tool: 'noop', after: [on] }))
    expect(check(steps).map(({ code, message }) => [code, /: (.*)\./.exec(message)?.[1]])).toEqual([
      ['PLAN_CYCLE', 'a → b → a'],
      ['PLAN_CYCLE', 'c → d → e → c'],
    ])
  })
})

describe('validatePlan does not complain', () => {
  it.each<[string, readonly unknown[]]>([
    [
      'where a tool says nothing of its output',
      [
        { id: 'a', tool: 'open' },
        { id: 'b', tool: 'noop', input: { count: ref('/any/thing') } },
      ],
    ],
    [
      'where one way of a union fits',
      [
        { id: 'a', tool: 'union' },
        { id: 'b', tool: 'noop', input: { text: ref('/y'), count: ref('/x') } },
      ],
    ],
    ['where a schema goes round', [a, { id: 'b', tool: 'round', input: { x: ref('/text') } }]],
    ['where null may come', [a, { id: 'b', tool: 'noop', input: { text: ref('/maybe') } }]],
    ['where one alternative may fit', [a, { id: 'b', tool: 'either', input: { b: ref('/text') } }]],
    ['about an integer where a number belongs', [a, { id: 'b', tool: 'noop', input: { count: ref('/count') } }]],
    [
      'about a step that runs without what was abandoned',
      [
        { ...a, abandoned: 'x' },
        { id: 'b', tool: 'noop', after: ['a'], onSkipped: 'run' },
      ],
    ],
    [
      'about prices, variables and templates in text',
      [{ id: 'a', tool: 'open', input: { text: 'costs $10, ${HOME}, {{title}}, s/(.)/$1/' } }],
    ],
    [
      'about a list of texts gone over',
      [
        { id: 'a', tool: 'list' },
        { id: 'b', tool: 'noop', forEach: ref(''), input: { text: { $item: '' } } },
      ],
    ],
    [
      'about a model with tools, or with none',
      [
        { id: 'a', instruction: 'x', tools: ['noop', 'open'] },
        { id: 'b', instruction: 'y', tools: [] },
      ],
    ],
    ['about tools for an executor of ones own', [{ id: 'a', instruction: 'x', tools: ['noop'], executor: 'crew' }]],
    [
      'about the output of a person',
      [
        { id: 'a', instruction: 'how many?', executor: 'person' },
        { id: 'b', tool: 'noop', input: { count: ref('/n') } },
      ],
    ],
  ])('%s', (_, steps) => {
    expect(check(steps)).toEqual([])
  })

  it('C1: about correct plans, and finds each thing that is broken in them', () => {
    const breaks: readonly [FindingCode, (step: Step, plan: Plan) => Step | undefined][] = [
      ['TOOL_UNKNOWN', (step) => ({ ...step, tool: 'nope' })],
      ['STEP_UNKNOWN', (step) => ({ ...step, after: ['nobody'] })],
      ['PLAN_CYCLE', (step) => ({ ...step, after: [step.id] })],
      [
        'PLAN_CYCLE',
        (step, plan) => {
          const user = plan.steps.find((other) => other.after?.includes(step.id) === true)
          return user && { ...step, after: [user.id] }
        },
      ],
      ['INPUT_UNKNOWN', (step) => ({ ...step, input: { ...step.input, nope: 1 } })],
      ['INPUT_INVALID', (step) => ({ ...step, input: { ...step.input, flag: 'yes' } })],
      [
        'REFERENCE_TYPE',
        (step, plan) => {
          const giver = plan.steps.find(({ id, forEach }) => id !== step.id && forEach === undefined)
          return giver && { ...step, input: { ...step.input, flag: { $from: giver.id, path: '/text' } } }
        },
      ],
      [
        'REFERENCE_PATH',
        (step, plan) => {
          const giver = plan.steps.find(({ id }) => id !== step.id)
          return giver && { ...step, input: { ...step.input, text: { $from: giver.id, path: '/nowhere' } } }
        },
      ],
      ['STEP_KIND', (step) => ({ ...step, instruction: 'and this' })],
      ['SCHEMA_INVALID', (step) => ({ ...step, expect: { type: 7 } })],
    ]
    fc.assert(
      fc.property(plans({ minSteps: 1 }), fc.nat(), fc.constantFrom(...breaks), (plan, nth, [code, broken]) => {
        const at = nth % plan.steps.length
        const step = broken(plan.steps[at]!, plan)
        fc.pre(step !== undefined)
        const { plan: given, findings } = validatePlan(
          { ...plan, steps: plan.steps.with(at, step) },
          { tools: noopTools },
        )
        expect(given).toBeUndefined()
        expect(findings.map((finding) => finding.code)).toContain(code)
      }),
      { numRuns: 200 },
    )
  })
})

describe('validatePlan', () => {
  it('takes a plan that it made as it is, and judges it anew where the question is another one', () => {
    const given = { id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 'open' }] }
    const { plan } = validatePlan(given)
    expect(plan).not.toBe(given)
    expect(validatePlan(plan, { tools }).plan).toBe(plan)
    expect(validatePlan(plan, { tools }).plan).toBe(plan)
    const fewer = new Map([...tools].filter(([name]) => name !== 'open'))
    expect(validatePlan(plan, { tools: fewer }).findings.map(({ code }) => code)).toEqual(['TOOL_UNKNOWN'])
    expect(validatePlan(plan, { tools }).plan).toBe(plan)
  })

  it('judges the same as before what it made before, whatever it is asked', () => {
    fc.assert(
      fc.property(plans(), fc.boolean(), fc.boolean(), (plan, withTools, again) => {
        const made = validatePlan(plan).plan
        const options = withTools ? { tools } : {}
        const fresh = validatePlan(structuredClone(made), options)
        if (again) validatePlan(made, options)
        expect(validatePlan(made, options)).toEqual(fresh)
      }),
    )
  })

  it('fills in defaults, freezes, and leaves what it was given alone', () => {
    const value = { id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 'noop', retry: { attempts: 2 } }] }
    const { plan } = validatePlan(value)
    expect(plan).toMatchObject({
      revision: 1,
      parent: null,
      by: { planner: 'fixed' },
      assumptions: [],
      steps: [{ retry: { attempts: 2, backoffMs: 200 } }],
    })
    expect(Object.isFrozen(plan?.steps[0]?.retry)).toBe(true)
    expect(Object.isFrozen(value.steps)).toBe(false)
  })

  it('C3: never throws, whatever it is given', () => {
    const circular: Record<string, unknown> = { id: 'p', goal: { text: 'x' } }
    circular['steps'] = [{ id: 'a', tool: 't', input: circular }]
    for (const value of [
      undefined,
      null,
      1,
      'x',
      [],
      {},
      { steps: 3 },
      { steps: [null, 1, []] },
      circular,
      { id: 'p', goal: { text: 'g' }, steps: [{ id: 'a', tool: 't', input: { f: () => 1 } }] },
    ]) {
      const { plan, findings } = validatePlan(value, { tools })
      expect(plan).toBeUndefined()
      expect(findings.length).toBeGreaterThan(0)
    }
    fc.assert(
      fc.property(fc.object(), (value) => {
        expect(() => validatePlan({ id: 'p', goal: { text: 'x' }, steps: [value], ...value }, { tools })).not.toThrow()
      }),
    )
  })

  it('takes keys that would pollute prototypes as data, and says that they are no fields', () => {
    const text =
      '{"id":"p","goal":{"text":"g","facts":{"__proto__":{"x":1}}},"steps":[{"id":"a","tool":"open","input":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}]}'
    const { plan, findings } = validatePlan(JSON.parse(text), { tools })
    expect(findings).toEqual([])
    expect(JSON.stringify(plan?.steps[0]?.input)).toBe(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    )
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    const inStep = validatePlan(
      JSON.parse('{"id":"p","goal":{"text":"g"},"steps":[{"id":"a","tool":"open","__proto__":{"title":"x"}}]}'),
      { tools },
    )
    expect(inStep.plan?.steps[0]?.title).toBeUndefined()
  })

  it('C2: looks at each part of a plan a number of times that does not grow with the plan', () => {
    const looks = (size: number): number => {
      let count = 0
      const watched = <T extends object>(value: T): T =>
        new Proxy(value, {
          get: (on, key) => ((count += 1), Reflect.get(on, key) as unknown),
          ownKeys: (on) => ((count += 1), Reflect.ownKeys(on)),
        })
      const input: JsonSchema = watched({
        type: 'object',
        properties: watched({ text: watched({ type: 'string' }) }),
        additionalProperties: false,
      })
      const output: JsonSchema = watched({
        type: 'object',
        properties: watched({ text: watched({ type: 'string' }) }),
        additionalProperties: false,
      })
      const steps = Array.from({ length: size }, (_, i) =>
        watched({
          id: `s${i}`,
          tool: 't',
          ...(i > 3 && { input: { text: { $from: `s${i - 3}`, path: '/text' } }, after: [`s${i - 1}`] }),
        }),
      )
      const { findings } = validatePlan(
        { id: 'p', goal: { text: 'g' }, steps },
        { tools: new Map([['t', noop('t', { input, output })]]) },
      )
      expect(findings).toEqual([])
      return count
    }
    expect(looks(2000) / looks(500)).toBeLessThan(4.2)
  })
})

function nested(levels: number): object {
  let value: object = {}
  for (let i = 0; i < levels; i++) value = { x: value }
  return value
}
