import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createModelPlanner,
  createRuntime,
  defineTool,
  memoryJournal,
  noMoreThan,
  type JournalEvent,
} from '../../src/index.ts'
import type { Json } from '../../src/plan/json.ts'
import { statusesOf } from '../support/runs.ts'
import { scriptedModel, textOf, usageOfOneCall, type Said } from '../support/scriptedModel.ts'

const read = defineTool({
  name: 'read',
  description: 'Reads a file.',
  input: z.object({ path: z.string(), lines: z.int().optional() }),
  output: z.object({ text: z.string(), rows: z.array(z.object({ name: z.string(), size: z.number() })) }),
  run: ({ path }) => {
    if (path.startsWith('broken')) throw new Error(`cannot read ${path}`)
    return { text: `text of ${path}`, rows: [{ name: path, size: 3 }] }
  },
})
const print = defineTool({
  name: 'print',
  description: 'Prints a text.',
  input: z.object({ text: z.string() }),
  output: z.object({ printed: z.string() }),
  run: ({ text }) => ({ printed: text }),
})

const plan = {
  steps: [
    { id: 'read', tool: 'read', input: { path: 'a.txt' } },
    { id: 'print', tool: 'print', input: { text: { $from: 'read', path: '/text' } } },
  ],
}

async function runWith(script: readonly Said[], goal = 'print a.txt') {
  const model = scriptedModel(script)
  await using runtime = createRuntime({ tools: [read, print], planner: createModelPlanner(model) })
  const run = runtime.start(goal)
  const outcome = await run.result
  return { model, run, outcome }
}

describe('the model planner', () => {
  it('has a goal in words carried out by the plan that the model wrote', async () => {
    const { run, outcome, model } = await runWith([{ json: plan }])
    expect(outcome.reason).toBe('done')
    expect(run.output('print')).toEqual({ printed: 'text of a.txt' })
    expect(run.plan?.by).toEqual({ planner: 'model', model: 'scripted-1' })
    expect(model.requests).toHaveLength(1)
    expect(outcome.usage.tokens).toBe(usageOfOneCall.tokens)
  })

  it('tells rules and tools first, and then the goal, the same bytes each time', async () => {
    const first = await runWith([{ json: plan }])
    const other = await runWith([{ json: plan }], 'something else')
    const [system, user] = first.model.requests[0]?.messages ?? []
    expect(system).toEqual(other.model.requests[0]?.messages[0])
    expect(system?.role).toBe('system')
    expect(system?.text).toMatch(/## print\nPrints a text\.\ninput: \{.*"text".*\n[^]*## read\n/)
    expect(user?.text).toContain('print a.txt')
  })

  it('is held to the tools and their inputs by the schema of the answer', async () => {
    const { model } = await runWith([{ json: plan }])
    const schema = JSON.stringify(model.requests[0]?.format?.schema)
    expect(schema).toContain('"tool":{"type":"string","enum":["read"]}')
    expect(schema).toContain('"path":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/reference"}]}')
  })

  const step = plan.steps[0]
  const withSteps = (...steps: readonly Json[]): Said => ({ json: { steps } })
  it.each<[string, Said, RegExp]>([
    [
      'a cycle',
      withSteps({ ...step, after: ['b'] }, { ...step, id: 'b', after: ['read'] }),
      /wait for each other|cycle/,
    ],
    ['a missing dependency', withSteps({ ...step, after: ['nobody'] }), /"nobody"/],
    ['an argument of the wrong type', withSteps({ ...step, input: { path: 7 } }), /string/],
    ['a tool that does not exist', withSteps({ ...step, tool: 'raed' }), /"raed"[^]*"read"/],
    ['an argument that does not exist', withSteps({ ...step, input: { path: 'a', mode: 'r' } }), /mode/],
    [
      'a reference to a step that is not there',
      withSteps({ ...step, input: { path: { $from: 'x', path: '' } } }),
      /"x"/,
    ],
    [
      'a reference to a place that is not there',
      withSteps(step as Json, { id: 'p', tool: 'print', input: { text: { $from: 'read', path: '/txet' } } }),
      /"text"/,
    ],
    [
      'a template in place of a reference',
      withSteps(step as Json, { id: 'p', tool: 'print', input: { text: '${read.text}' } }),
      /not filled in/,
    ],
    [
      'another template',
      withSteps(step as Json, { id: 'p', tool: 'print', input: { text: 'It says: {{read}}' } }),
      /not filled in/,
    ],
    [
      'a reference inside a text',
      withSteps(step as Json, { id: 'p', tool: 'print', input: { text: '{"$from": "read", "path": "/text"}' } }),
      /not filled in/,
    ],
    ['ids with spaces', withSteps({ ...step, id: 'read the file' }), /letters, digits/],
    ['a tree of steps', withSteps({ id: 'all', steps: plan.steps }), /"steps"/],
    ['one giant step', withSteps({ id: 'all', instruction: 'Print a.txt!' }), /hands the whole goal on/],
    ['an empty plan', { json: { steps: [] } }, /no steps/],
    ['arguments that are no JSON', withSteps({ ...step, input: '{path: a.txt}' }), /object/],
    ['ids given twice', withSteps(step as Json, { ...step, input: { path: 'b' } }), /"read"/],
    ['words without JSON', 'I would read the file first.', /no JSON\. It begins/],
    ['broken JSON', '{"steps": [{"id": "a",}]}', /no JSON\. Expected/],
    ['two answers', `${JSON.stringify(plan)}\nor rather\n${JSON.stringify({ steps: [step] })}`, /2 JSON values/],
    ['a list', JSON.stringify(plan.steps), /a list/],
    ['another shape', { json: { plan } }, /none of/],
    ['nothing', '', /empty/],
    ['a plan and giving up', { json: { ...plan, giveUp: 'no' } }, /may have one of them/],
    ['an answer that is cut off', { text: '{"steps": [{"id": "a"', end: 'length' }, /cut off/],
    ['a content filter', { text: '', end: 'filtered' }, /filter/],
    [
      'calling tools itself',
      { text: '', end: 'calls', calls: [{ id: '1', name: 'read', arguments: '{}' }] },
      /calls "read" itself/,
    ],
    [
      'the same key twice',
      `{"steps":[${JSON.stringify({ id: 'x', tool: 'read', input: { path: 'x' } })}],"steps":${JSON.stringify(plan.steps)}}`,
      /same key/,
    ],
  ])('asks again with what was found: %s', async (_, said, found) => {
    const { run, outcome, model } = await runWith([said, { json: plan }])
    expect(textOf(model.requests[1] ?? { messages: [] })).toMatch(found)
    expect(outcome.reason).toBe('done')
    expect(run.output('print')).toEqual({ printed: 'text of a.txt' })
    expect(model.requests).toHaveLength(2)
    expect(outcome.usage.tokens).toBe(2 * usageOfOneCall.tokens)
  })

  it.each<[string, Said]>([
    ['in a fence', `\`\`\`json\n${JSON.stringify(plan, undefined, 2)}\n\`\`\``],
    ['with words around it', `Sure! Here is {the} plan:\n\n${JSON.stringify(plan)}\n\nIt reads, then prints.`],
    [
      'with the nulls of strict mode',
      {
        json: {
          giveUp: null,
          ask: null,
          assumptions: [],
          steps: plan.steps.map((one) => ({ ...one, when: null, after: null, why: null })),
        },
      },
    ],
    [
      'with nulls for arguments that may be left out',
      withSteps({ ...step, input: { path: 'a.txt', lines: null } }, plan.steps[1] as Json),
    ],
    ['with an example before it', `Not {"tool": "all at once"}, but:\n${JSON.stringify(plan)}`],
    ['twice the same', `${JSON.stringify(plan)}\n\nOnce more:\n${JSON.stringify(plan)}`],
    ['with words beside it', { json: { thought: 'hm', ...plan } }],
    ['with the head of a plan', { json: { id: 'p', goal: { text: 'x' }, revision: 1, ...plan } }],
  ])('takes a plan %s', async (_, said) => {
    const { run, outcome, model } = await runWith([said])
    expect(outcome.reason).toBe('done')
    expect(run.plan?.steps).toEqual(plan.steps)
    expect(model.requests).toHaveLength(1)
  })

  it('reads an input that is JSON in a text as the object that it is, and says so', async () => {
    const { run } = await runWith([withSteps({ ...step, input: '{"path":"a.txt"}' }, plan.steps[1] as Json)])
    expect(run.plan?.steps[0]).toEqual({ ...step, why: expect.stringContaining('JSON in a text') })
  })

  it('gives up where the model refuses or gives up, with its words', async () => {
    const refused = await runWith([{ text: '', end: 'refused', refusal: 'That is not nice.' }])
    expect(refused.outcome).toMatchObject({ reason: 'gave_up', message: expect.stringContaining('That is not nice.') })
    const gaveUp = await runWith([{ json: { giveUp: 'no printer' } }])
    expect(gaveUp.outcome).toMatchObject({ reason: 'gave_up', message: expect.stringContaining('no printer') })
    expect(gaveUp.outcome.usage.tokens).toBe(usageOfOneCall.tokens)
  })

  it('fails with the last findings when the rounds are used up, and each is in the record', async () => {
    const model = scriptedModel(['nonsense'])
    const journal = memoryJournal()
    await using runtime = createRuntime({
      tools: [read, print],
      planner: createModelPlanner({ model, rounds: 1 }),
      journal,
    })
    const run = runtime.start('print a.txt')
    const outcome = await run.result
    expect(outcome).toMatchObject({ reason: 'invalid_plan', failure: { code: 'PLAN_INVALID' } })
    expect(model.requests).toHaveLength(2)
    const failed = [...(journal.read(run.id) as Iterable<JournalEvent>)].find(({ type }) => type === 'plan.failed')
    expect(failed).toMatchObject({ unsound: [{ model: 'scripted-1' }, { findings: [{ code: 'ANSWER_UNREADABLE' }] }] })
  })

  it('is shown its last answer when it is asked again', async () => {
    const { model } = await runWith(['I would read.', { json: plan }])
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(model.requests[1]?.messages[2]?.text).toBe('I would read.')
  })

  it('amends its plan when a step fails, with what happened in front of it', async () => {
    const broken = { steps: [{ ...step, input: { path: 'broken.txt' } }, plan.steps[1]] }
    const patch = [
      { op: 'insert', step: { id: 'again', tool: 'read', input: { path: 'a.txt' } }, before: null },
      { op: 'rewire', id: 'print', from: 'read', to: 'again' },
    ]
    const { run, outcome, model } = await runWith([{ json: broken }, { json: { because: 'another file', patch } }])
    expect(outcome.reason).toBe('done')
    expect(run.output('print')).toEqual({ printed: 'text of a.txt' })
    const asked = textOf(model.requests[1] ?? { messages: [] })
    expect(asked).toMatch(/cannot read broken\.txt/)
    expect(asked).toMatch(/read: failed/)
    expect(model.requests[1]?.messages[0]).toEqual(model.requests[0]?.messages[0])
    expect(run.plan?.because.text).toBe('another file')
    expect(statusesOf(run)).toEqual({ read: 'failed', again: 'succeeded', print: 'succeeded' })
  })

  it('asks again for an amendment that is not sound', async () => {
    const broken = { steps: [{ ...step, input: { path: 'broken.txt' } }, plan.steps[1]] }
    const bad = { patch: [{ op: 'insert', step: { id: 'x', tool: 'print', input: { text: '{{read}}' } } }] }
    const { outcome, model } = await runWith([
      { json: broken },
      { json: bad },
      { json: { patch: [{ op: 'rewire', id: 'nobody', from: 'a', to: 'b' }] } },
      { json: { giveUp: 'enough' } },
    ])
    expect(textOf(model.requests[2] ?? { messages: [] })).toMatch(/not filled in/)
    expect(textOf(model.requests[3] ?? { messages: [] })).toMatch(/"nobody"/)
    expect(outcome.reason).toBe('gave_up')
  })

  it('is told values in full that it asks for', async () => {
    const long = defineTool({
      name: 'long',
      description: 'Gives a long text, and fails if told to.',
      input: z.object({ fail: z.boolean(), text: z.string().optional() }),
      output: z.object({ rows: z.array(z.string()) }),
      run: ({ fail }) => {
        if (fail) throw new Error('told to')
        return { rows: Array.from({ length: 500 }, (_, index) => `row ${String(index)}`) }
      },
    })
    const model = scriptedModel([
      {
        json: {
          steps: [
            { id: 'a', tool: 'long', input: { fail: false } },
            { id: 'b', tool: 'long', input: { fail: true, text: { $from: 'a', path: '/rows/0' } } },
          ],
        },
      },
      {
        json: {
          ask: [
            { step: 'a', path: '/rows/499' },
            { step: 'zzz', path: '' },
          ],
        },
      },
      { json: { giveUp: 'seen' } },
    ])
    await using runtime = createRuntime({ tools: [long], planner: createModelPlanner(model) })
    await runtime.start('look').result
    expect(textOf(model.requests[1] ?? { messages: [] })).not.toContain('row 499')
    const told = textOf(model.requests[2] ?? { messages: [] })
    expect(told).toContain('"a" "/rows/499": "row 499"')
    expect(told).toContain('"zzz" "": there is nothing')
  })

  it('may not ask without end', async () => {
    const broken = { steps: [{ ...step, input: { path: 'broken.txt' } }] }
    const { outcome, model } = await runWith([{ json: broken }, { json: { ask: [{ step: 'read', path: '' }] } }])
    expect(outcome.reason).toBe('invalid_plan')
    expect(model.requests).toHaveLength(1 + 3 * 3)
  })

  it('has critics judge plans, and their objections go back to the model', async () => {
    const model = scriptedModel([{ json: plan }, { json: { steps: [step] } }])
    const planner = createModelPlanner({ model, critics: [noMoreThan(1)] })
    await using runtime = createRuntime({ tools: [read, print], planner })
    const run = runtime.start('print a.txt')
    expect((await run.result).reason).toBe('done')
    expect(textOf(model.requests[1] ?? { messages: [] })).toContain(
      'The plan has 2 steps, and no more than 1 are wanted.',
    )
    expect(run.plan?.steps).toEqual([step])
  })
})
