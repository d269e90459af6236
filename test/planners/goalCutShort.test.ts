// Where the goal planner's search ends before it has looked at everything: what it says then.
import { describe, expect, it } from 'vitest'
import { createGoalPlanner } from '../../src/actors/planners/goal/goalPlanner.ts'
import type { Goal } from '../../src/plan/schema.ts'
import type { ToolDescription } from '../../src/plan/toolDescription.ts'
import { tool } from './auditTools.ts'
import { firstPlan } from './rehearsal.ts'

/** Pigeons, each with a hole of its own: short of one hole there is no way, but it takes all ways to know. */
function pigeons(count: number, holes: number): { readonly tools: readonly ToolDescription[]; readonly goal: Goal } {
  const numbers = (length: number): string[] => Array.from({ length }, (_, at) => String(at))
  const tools = numbers(holes).flatMap((hole) => [
    tool(`look_into_${hole}`, { gives: { [`hole${hole}`]: '/pigeon' } }),
    ...numbers(count).map((pigeon) =>
      tool(`house_${pigeon}_in_${hole}`, {
        requires: [{ fact: `hole${hole}`, is: { const: pigeon } }],
        gives: { [`home${pigeon}`]: '/home' },
      }),
    ),
  ])
  return { tools, goal: { text: 'house them all', want: numbers(count).map((pigeon) => ({ fact: `home${pigeon}` })) } }
}

async function planFor(count: number, holes: number, budget: number) {
  const { tools, goal } = pigeons(count, holes)
  return firstPlan(createGoalPlanner({ budget }), tools, goal)
}

const nothingFound = {
  giveUp: expect.stringMatching(/No way was found before the search was cut short.*"budget"/) as string,
}

describe('a search for a plan', () => {
  it('that does not exist ends, and says that it has not looked at everything', async () => {
    expect(await planFor(12, 11, 1)).toEqual(nothingFound)
  })

  it('that does not exist says what is wrong where it has looked at everything', async () => {
    const answer = await planFor(4, 3, 1)
    expect(answer).toHaveProperty('giveUp')
    expect(answer).not.toEqual(nothingFound)
  })

  it('finds the plan where there is one', async () => {
    expect(await planFor(8, 8, 1_000_000)).toHaveProperty('steps')
  })

  it('that it has found says that there may be a cheaper one', async () => {
    const answer = await planFor(8, 8, 1)
    expect('steps' in answer && answer.steps.some(({ why }) => why?.includes('cut short'))).toBe(true)
  })
})
