// How the goal planner goes on at each kind of trouble.
import { describe, expect, it } from 'vitest'
import { createGoalPlanner } from '../../src/actors/planners/goal/goalPlanner.ts'
import type { Goal } from '../../src/plan/schema.ts'
import type { ToolDescription } from '../../src/plan/toolDescription.ts'
import { tool } from './auditTools.ts'
import type { PlanSituation, StepReport, StepStatus, Trouble } from '../../src/machines/reports.messages.ts'
import { applyPatch } from '../../src/plan/patch.ts'
import { expectValid, firstPlan, rehearse, ToolFailure, toPlan, type Behaviour, type Rehearsal } from './rehearsal.ts'
import { contextAt, factsOf, requestFor, situationOf } from './requests.ts'

const fails: Behaviour = () => {
  throw new ToolFailure('out of order')
}

function go(
  tools: readonly ToolDescription[],
  goal: Omit<Goal, 'text'>,
  behaviours: Readonly<Record<string, Behaviour>>,
): Promise<Rehearsal> {
  return rehearse({ planner: createGoalPlanner(), tools, goal: { text: 'go', ...goal }, behaviours })
}

describe('failed', () => {
  it('goes another way to the goal when every step of the plan is lost', async () => {
    const run = await go(
      [
        tool('fetch', { gives: { page: '/page' } }),
        tool('parse', { needs: { page: 'page' }, gives: { text: '/text' } }),
        tool('remember', { gives: { text: '/text' }, cost: 9 }),
      ],
      { want: [{ fact: 'text' }] },
      { fetch: fails, parse: () => ({ text: 'parsed' }), remember: () => ({ text: 'remembered' }) },
    )
    expect(run.order).toEqual(['fetch', 'remember'])
    expect(run.facts.get('text')?.value).toBe('remembered')
  })

  it('asks another tool for the list when the first one that should give it fails', async () => {
    const run = await go(
      [
        tool('list', { gives: { file: { from: '/files', each: true } } }),
        tool('search', { gives: { file: { from: '/found', each: true } }, cost: 3 }),
        tool('read', { needs: { file: 'file' }, gives: { text: '/text' } }),
        tool('join', { needs: { texts: { fact: 'text', each: true } }, gives: { report: '/report' } }),
      ],
      { want: [{ fact: 'report' }] },
      {
        list: fails,
        search: () => ({ found: ['a', 'b'] }),
        read: ({ file }) => ({ text: file === 'a' ? 'text of a' : 'text of b' }),
        join: ({ texts }) => ({ report: texts ?? null }),
      },
    )
    expect(run.facts.get('report')?.value).toEqual(['text of a', 'text of b'])
  })

  it('does not send a waiting step back to the input on which its tool has failed', async () => {
    const run = await go(
      [tool('read', { needs: { file: 'file' }, gives: { text: '/text' } }), tool('mend', { gives: { file: '/file' } })],
      { want: [{ fact: 'text' }], facts: { file: 'broken.csv' } },
      { read: fails, mend: fails },
    )
    expect(run.order).toEqual(['read', 'mend'])
    expect(run.gaveUp).toMatch(/text/)
  })

  it('keeps to what a step requires, even where one giver gave both that and its input', async () => {
    const run = await go(
      [
        tool('login', { gives: { session: '/session', user: '/user' } }),
        tool('ask', { gives: { user: '/user' }, cost: 2 }),
        tool('order', { needs: { user: 'user' }, requires: [{ fact: 'session' }], gives: { receipt: '/receipt' } }),
      ],
      { want: [{ fact: 'receipt' }] },
      { login: fails, ask: () => ({ user: 'me' }), order: () => ({ receipt: 1 }) },
    )
    expect(run.gaveUp).toMatch(/session/)
    expect(run.order).not.toContain('order')
  })
})

describe('one trouble about a step', () => {
  const tools = [
    tool('fetch', { gives: { page: { from: '/page' } } }),
    tool('fetch_elsewhere', { gives: { page: '/page' }, cost: 5 }),
    tool('parse', { needs: { page: 'page' }, gives: { text: '/text' } }),
  ]
  const goal: Goal = { text: 'go', want: [{ fact: 'text' }] }

  /** The answer to a trouble about `fetch`, which has come as far as `status` says, and the plan with it. */
  async function answerTo(trouble: Omit<Trouble, 'text'>, status: StepStatus, of = tools) {
    const planner = createGoalPlanner()
    const draft = await firstPlan(planner, of, goal)
    if ('giveUp' in draft) throw new Error(draft.giveUp)
    const plan = toPlan(draft, goal)
    const situation = {
      ...situationOf(plan),
      step: (id: string) => ({ status: id === 'fetch' ? status : ('waiting' as const), attempt: 1 }),
    }
    const troubles = [{ text: 'trouble', ...trouble }]
    const answer = await planner.replan?.(
      { ...requestFor({ goal, tools: of }), plan, situation, troubles },
      contextAt(0),
    )
    if (answer === undefined || !('patch' in answer)) return { answer }
    const operations = [...answer.patch]
    const because = { type: 'trouble' as const, text: '' }
    const next = applyPatch(plan, { base: plan.revision, by: { planner: 'goal' }, because, operations })
    expectValid(next, of)
    return { answer, inputOfParse: next.steps.find(({ id }) => id === 'parse')?.input }
  }

  const elsewhere = { page: { $from: 'fetch_elsewhere', path: '/page' } }

  for (const [type, status] of [
    ['surprised', 'failed'],
    ['uncertain', 'uncertain'],
    ['repeated', 'failed'],
    ['rejected', 'waiting'],
  ] as const) {
    it(`${type}: those that waited take from another tool`, async () => {
      const { inputOfParse } = await answerTo({ type, stepId: 'fetch', tool: 'fetch' }, status)
      expect(inputOfParse).toEqual(elsewhere)
    })

    it(`${type}: gives up, with the trouble, where there is no other tool`, async () => {
      const { answer } = await answerTo({ type, stepId: 'fetch' }, status, [tools[0], tools[2]] as ToolDescription[])
      expect(answer).toEqual({ giveUp: expect.stringContaining('trouble') as string })
    })
  }

  it('leaves alone a step that has succeeded all the same', async () => {
    const { answer } = await answerTo({ type: 'uncertain', stepId: 'fetch' }, 'succeeded')
    expect(answer).toEqual({ keep: expect.any(String) as string })
  })
})

describe('surprised', () => {
  it('takes another tool where a promise that was relied on is broken', async () => {
    const run = await go(
      [
        tool('guess', { gives: { unit: { from: '/unit', is: { const: 'm' } } } }),
        tool('measure', { gives: { unit: { from: '/unit', is: { const: 'm' } } }, cost: 4 }),
        tool('draw', { needs: { unit: { fact: 'unit', is: { const: 'm' } } }, gives: { map: '/map' } }),
      ],
      { want: [{ fact: 'map' }] },
      { guess: () => ({ unit: 'ft' }), measure: () => ({ unit: 'm' }), draw: ({ unit }) => ({ map: unit ?? null }) },
    )
    expect(run.order).toEqual(['guess', 'measure', 'draw'])
    expect(run.facts.get('map')?.value).toBe('m')
  })
})

describe('tools that take longer than they were declared to', () => {
  it('go first from the next amendment on', async () => {
    const tools = [
      tool('read', { needs: { file: 'file' }, gives: { text: '/text' }, cost: 2 }),
      tool('scan', { needs: { file: 'file' }, gives: { pixels: '/pixels' }, cost: 1 }),
    ]
    const goal: Goal = {
      text: 'go',
      want: [{ fact: 'text' }, { fact: 'pixels' }],
      facts: { 'file[0]': 'a', 'file[1]': 'b', 'file[2]': 'c' },
    }
    const planner = createGoalPlanner()
    const draft = await firstPlan(planner, tools, goal)
    if ('giveUp' in draft) throw new Error(draft.giveUp)
    const plan = toPlan(draft, goal)
    expect(plan.steps.map(({ id }) => id)).toEqual(['read[0]', 'read[1]', 'read[2]', 'scan[0]', 'scan[1]', 'scan[2]'])
    const facts = factsOf({ ...goal.facts, 'text[0]': 'text', 'pixels[0]': 'pixels' })
    const tookMs: Readonly<Record<string, number>> = { 'read[0]': 10, 'scan[0]': 1000 }
    const situation = {
      ...situationOf(
        plan,
        facts.map((fact) =>
          fact.key === 'text[0]'
            ? { ...fact, by: 'read[0]' }
            : fact.key === 'pixels[0]'
              ? { ...fact, by: 'scan[0]' }
              : fact,
        ),
      ),
      step: (id: string): StepReport => {
        const endedAt = tookMs[id]
        if (endedAt === undefined) return { status: 'waiting', attempt: 0 }
        return { status: 'succeeded', attempt: 1, startedAt: 0, endedAt }
      },
    }
    const troubles = [{ type: 'expanded', text: 'a list is known' }] as const
    const answer = await planner.replan?.({ ...requestFor({ goal, tools }), plan, situation, troubles }, contextAt(0))
    expect(answer).toMatchObject({
      patch: [{ op: 'reorder', ids: ['scan[1]', 'scan[2]', 'read[1]', 'read[2]'] }],
    })
  })
})

describe('an amendment', () => {
  it('looks at no more outputs and facts in a long plan than in a short one', async () => {
    const tools = [
      tool('read', { needs: { file: 'file' }, gives: { text: '/text' } }),
      tool('scan', { needs: { file: 'file' }, gives: { text: '/text' }, cost: 5 }),
      tool('sum_up', { needs: { text: 'text' }, gives: { gist: '/gist' } }),
      tool('report', { needs: { gists: { fact: 'gist', each: true } }, gives: { report: '/report' } }),
    ]
    async function looksWith(files: number): Promise<number> {
      const known = Object.fromEntries(
        Array.from({ length: files }, (_, nth) => [`file[${String(nth)}]`, `${String(nth)}.pdf`]),
      )
      const goal: Goal = { text: 'go', want: [{ fact: 'report' }], facts: known }
      const planner = createGoalPlanner()
      const draft = await firstPlan(planner, tools, goal)
      if ('giveUp' in draft) throw new Error(draft.giveUp)
      const plan = toPlan(draft, goal)
      const facts = factsOf(known)
      let looks = 0
      const situation: PlanSituation = {
        plan,
        step: (id) => ({ status: id === 'read[3]' ? 'failed' : 'waiting', attempt: 1 }),
        output: () => {
          looks += 1
          return undefined
        },
        fact: (key) => {
          looks += 1
          return facts.find((fact) => fact.key === key)
        },
        facts: () => facts,
      }
      const troubles = [{ type: 'failed', text: 'read[3] failed', stepId: 'read[3]' }] as const
      const answer = await planner.replan?.({ ...requestFor({ goal, tools }), plan, situation, troubles }, contextAt(0))
      expect(answer).toMatchObject({
        patch: [
          { op: 'replace', step: { id: 'sum_up[3]' } },
          { op: 'insert', step: { id: 'scan[3]' } },
        ],
      })
      return looks
    }
    expect(await looksWith(200)).toBe(await looksWith(10))
  })
})
