// Lists within lists: not planned for, which is said in a way that helps.
import { describe, expect, it } from 'vitest'
import { createGoalPlanner } from '../../src/actors/planners/goal/goalPlanner.ts'
import type { Goal } from '../../src/plan/schema.ts'
import { tool } from './auditTools.ts'
import { firstPlan, rehearse } from './rehearsal.ts'

const goal: Goal = { text: 'profile all tables', want: [{ fact: 'report' }], facts: { folder: '/data' } }
const discover = tool('discover', { needs: { folder: 'folder' }, gives: { file: { from: '/files', each: true } } })
const open = tool('open', { needs: { file: 'file' }, gives: { table: { from: '/tables', each: true } } })
const openAll = tool('open_all', {
  needs: { files: { fact: 'file', each: true } },
  gives: { table: { from: '/tables', each: true } },
})
const profile = tool('profile', { needs: { table: 'table' }, gives: { profile: '/profile' } })
const report = tool('report', { needs: { all: { fact: 'profile', each: true } }, gives: { report: '/report' } })

describe('a list within a list', () => {
  it('is named with the tool that gives it, and with what would help', async () => {
    const answer = await firstPlan(createGoalPlanner(), [discover, open, profile, report], goal)
    expect(answer).toEqual({
      giveUp: expect.stringMatching(/open would give a list of table for each item.*one flat list of table/) as string,
    })
  })

  it('is planned around where a tool gives one flat list', async () => {
    const run = await rehearse({
      planner: createGoalPlanner(),
      tools: [discover, open, openAll, profile, report],
      goal,
      behaviours: {
        discover: () => ({ files: ['a', 'b'] }),
        open_all: ({ files }) => ({ tables: (files as string[]).flatMap((file) => [`${file}1`, `${file}2`]) }),
        profile: ({ table }) => ({ profile: table ?? null }),
        report: ({ all }) => ({ report: all ?? null }),
      },
    })
    expect(run.facts.get('report')?.value).toEqual(['a1', 'a2', 'b1', 'b2'])
  })
})
