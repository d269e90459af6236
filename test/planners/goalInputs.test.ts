// Inputs that needs do not fill: the planner says so, or fills in what a tool's schema leaves no choice about.
import { describe, expect, it } from 'vitest'
import { createGoalPlanner } from '../../src/actors/planners/goal/goalPlanner.ts'
import type { JsonSchema } from '../../src/plan/json.ts'
import type { Goal } from '../../src/plan/schema.ts'
import { tool } from './auditTools.ts'
import { expectValid, firstPlan, rehearse, ToolFailure, toPlan } from './rehearsal.ts'

const goal: Goal = { text: 'read it', want: [{ fact: 'text' }], facts: { file: 'a.csv' } }
const takes = (more: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties: { file: {}, ...more },
  required: ['file', ...Object.keys(more)],
})
const strict = tool('read', {
  needs: { file: 'file' },
  gives: { text: '/text' },
  input: takes({ mode: { type: 'string' } }),
})

describe('a required input that no need fills', () => {
  it('is named, with its tool, where there is no other tool', async () => {
    const answer = await firstPlan(createGoalPlanner(), [strict], goal)
    expect(answer).toEqual({ giveUp: expect.stringMatching(/read cannot be used.*required input "mode"/) as string })
  })

  it('is named where it is missing further down', async () => {
    const count = tool('count', { needs: { text: 'text' }, gives: { words: '/words' } })
    const answer = await firstPlan(createGoalPlanner(), [strict, count], { ...goal, want: [{ fact: 'words' }] })
    expect(answer).toEqual({ giveUp: expect.stringMatching(/read cannot be used.*required input "mode"/) as string })
  })

  it('does not stand in the way of other tools, and is told in the why of the one that is taken', async () => {
    const other = tool('scan', { needs: { file: 'file' }, gives: { text: '/text' }, cost: 9 })
    const draft = await firstPlan(createGoalPlanner(), [strict, other], goal)
    if ('giveUp' in draft) throw new Error(draft.giveUp)
    expect(draft.steps.map(({ tool: used }) => used)).toEqual(['scan'])
    expect(draft.steps[0]?.why).toContain('required input "mode"')
    expectValid(toPlan(draft, goal), [strict, other])
  })
})

describe('a required input that the schema itself fills', () => {
  const loose = tool('read', {
    needs: { file: 'file' },
    gives: { text: '/text' },
    input: takes({ version: { const: 2 }, mode: { type: 'string', default: 'plain' } }),
  })

  it('gets its constant or its default', async () => {
    const draft = await firstPlan(createGoalPlanner(), [loose], goal)
    if ('giveUp' in draft) throw new Error(draft.giveUp)
    expect(draft.steps[0]?.input).toEqual({ file: 'a.csv', version: 2, mode: 'plain' })
    expectValid(toPlan(draft, goal), [loose])
  })

  it('counts as input that was tried', async () => {
    const mend = tool('mend', { needs: { file: 'file' }, gives: { file: '/file' } })
    const calls: unknown[] = []
    const run = await rehearse({
      planner: createGoalPlanner(),
      tools: [loose, mend],
      goal,
      behaviours: {
        read: ({ file }) => {
          calls.push(file)
          throw new ToolFailure('cannot read')
        },
        mend: ({ file }) => ({ file: `${JSON.stringify(file)} mended` }),
      },
    })
    expect(run.gaveUp).toMatch(/text|tried/)
    expect(new Set(calls).size).toBe(calls.length)
  })
})
