// How the goal planner goes on at each kind of trouble.
import { describe, expect, it } from 'vitest'
import { createGoalPlanner } from '../../src/actors/planners/goal/goalPlanner.ts'
import type { Goal } from '../../src/plan/schema.ts'
import type { ToolDescription } from '../../src/plan/toolDescription.ts'
import { tool } from './auditTools.ts'
import { rehearse, ToolFailure, type Behaviour, type Rehearsal } from './rehearsal.ts'

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
