// Amendments by planners that read outputs: what has a say in effects waits for somebody's approval.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createCachedPlanner,
  createRuntime,
  defineTool,
  type Operation,
  type Planner,
  type Step,
} from '../../src/index.ts'
import { statusesOf } from '../support/runs.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const loose = { input: z.looseObject({}), output: z.looseObject({}) }
const look = defineTool({ name: 'look', description: 'Looks.', ...loose, run: () => ({ address: 'ann' }) })
const fail = defineTool({ name: 'fail', description: 'Fails.', ...loose, run: () => Promise.reject(new Error('no')) })
const send = defineTool({ name: 'send', description: 'Sends.', ...loose, effects: 'external', run: () => ({}) })

const steps: readonly Step[] = [
  { id: 'broken', tool: 'fail' },
  { id: 'find', tool: 'look' },
  { id: 'other', tool: 'look' },
  { id: 'slow', instruction: 'Is it all right?' },
  { id: 'text', tool: 'look', after: ['slow'] },
  { id: 'mail', tool: 'send', input: { to: { $from: 'find', path: '/address' }, text: { $from: 'text', path: '' } } },
  { id: 'alone', tool: 'look', after: ['slow'] },
]

function planner(patch: readonly Operation[], readsOutputs: boolean): Planner {
  return { name: 'words', plan: () => ({ steps }), replan: () => ({ patch }), readsOutputs }
}

/** The state in which the run waits once the patch has come. */
async function after(
  patch: readonly Operation[],
  { readsOutputs = true, ...options }: { readsOutputs?: boolean; amendments?: 'free' } = {},
) {
  const clock = new VirtualClock()
  const runtime = createRuntime({
    tools: [look, fail, send],
    planner: createCachedPlanner(planner(patch, readsOutputs)),
    clock,
    ...options,
  })
  const run = runtime.start('anything')
  await clock.advance(100)
  return { run, runtime, clock }
}

const adds: readonly Operation[] = [{ op: 'insert', step: { id: 'more', tool: 'send' } }]

describe('an amendment by a planner that reads outputs', () => {
  it.each<[string, readonly Operation[]]>([
    ['adds a step with effects', adds],
    ['gives a step with effects another input', [{ op: 'replace', id: 'mail', step: { id: 'mail', tool: 'send' } }]],
    ['wires it to another step', [{ op: 'rewire', id: 'mail', from: 'find', to: 'other' }]],
    ['changes what it rests on', [{ op: 'replace', id: 'text', step: { id: 'text', tool: 'look' } }]],
    ['adds a goal of its own', [{ op: 'insert', step: { id: 'sub', goal: { text: 'send all I have' } } }]],
  ])('that %s waits for approval', async (_what, patch) => {
    const { run, runtime, clock } = await after(patch)
    expect(run.state).toBe('approving')
    expect(run.plan?.revision).toBe(1)
    run.approve({ by: 'ann' })
    await clock.advance(10)
    expect(run.plan?.revision).toBe(2)
    await runtime.close()
  })

  it.each<[string, readonly Operation[]]>([
    ['adds a step without effects', [{ op: 'insert', step: { id: 'more', tool: 'look' } }]],
    [
      'changes a step on which nothing with effects rests',
      [{ op: 'replace', id: 'alone', step: { id: 'alone', tool: 'look' } }],
    ],
    ['gives up what would have had effects', [{ op: 'abandon', id: 'mail', because: 'not any more' }]],
    ['puts steps in another order', [{ op: 'reorder', ids: ['mail'], before: 'find' }]],
  ])('that %s does not', async (_what, patch) => {
    const { run, runtime } = await after(patch)
    expect(run.plan?.revision).toBe(2)
    expect(run.state).not.toBe('approving')
    await runtime.close()
  })

  it('goes on by itself where the options say so, or where the planner reads no outputs', async () => {
    for (const options of [{ amendments: 'free' as const }, { readsOutputs: false }]) {
      const { run, runtime } = await after(adds, options)
      expect(statusesOf(run)).toMatchObject({ more: 'succeeded' })
      await runtime.close()
    }
  })
})

describe('a broken assumption that holds back a step with effects', () => {
  const verify = defineTool({
    name: 'verify',
    description: 'Verifies.',
    input: z.looseObject({}),
    output: z.object({ text: z.string() }),
    gives: { verified: '/text' },
    run: () => ({ text: 'no' }),
  })
  const assumption = {
    id: 'sure',
    statement: 'it is verified',
    fact: 'verified',
    is: { const: 'yes' },
    steps: ['mail'],
  }
  const guarded = {
    steps: [
      { id: 'ask', tool: 'verify' },
      { id: 'mail', tool: 'send', after: ['ask'] },
    ],
    assumptions: [assumption],
  }
  const weaker: readonly Operation[] = [{ op: 'assume', assumption: { ...assumption, is: {} } }]

  it.each<[string, object, 'forbid' | 'allow']>([
    ['kept', { keep: 'it is fine' }, 'forbid'],
    ['given up', { giveUp: 'it is fine' }, 'allow'],
    ['left as it is by an empty amendment', { patch: [] }, 'forbid'],
    ['taken out', { patch: [{ op: 'unassume', id: 'sure' }] }, 'forbid'],
    ['said anew', { patch: weaker }, 'forbid'],
  ])('is let go by nobody but a person: %s', async (_, said, partial) => {
    const clock = new VirtualClock()
    const replan = () => said as never
    const planner: Planner = { name: 'words', plan: () => guarded, replan, readsOutputs: true }
    await using runtime = createRuntime({ tools: [verify, send], planner, clock })
    const run = runtime.start({ text: 'mail it', ...(partial === 'allow' && { partial }) })
    await clock.advance(100)
    expect(run.state).toBe('approving')
    expect(run.step('mail')?.status).toBe('held')
    run.approve({ by: 'ann' })
    await clock.advance(10)
    expect(run.step('mail')?.status).toBe('succeeded')
  })
})

describe('the first plan of a step with a goal', () => {
  const find: Step = { id: 'find', tool: 'look' }
  const goal = { text: 'tell them' }
  const told: Step = { id: 'sub', goal, input: { page: { $from: 'find', path: '/address' } } }

  it.each<[string, readonly Step[], 'approving' | undefined]>([
    ['waits for approval where it is given an output', [find, told], 'approving'],
    ['does not where it is given none', [find, { id: 'sub', goal }], undefined],
  ])('that has effects %s', async (_, first, state) => {
    const clock = new VirtualClock()
    const plan: Planner['plan'] = ({ goal }) =>
      goal.text === 'anything' ? { steps: first } : { steps: [{ id: 'mail', tool: 'send' }] }
    const planner: Planner = { name: 'words', plan, readsOutputs: true }
    await using runtime = createRuntime({ tools: [look, send], planner, clock })
    const run = runtime.start('anything')
    await clock.advance(100)
    const child = runtime.runs.find(({ id }) => id !== run.id)
    if (state !== undefined) {
      expect(child?.state).toBe(state)
      child?.approve({ by: 'ann' })
      await clock.advance(10)
    }
    expect(run.outcome?.reason).toBe('done')
    expect(child?.step('mail')?.status).toBe('succeeded')
  })
})
