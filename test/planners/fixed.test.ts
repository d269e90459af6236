// The fixed planner: the plan it was given, and what it says to trouble.
import { describe, expect, it } from 'vitest'
import { createFixedPlanner } from '../../src/actors/planners/fixed.ts'
import type { Planner, ReplanAnswer } from '../../src/actors/planners/planner.ts'
import type { Trouble } from '../../src/machines/reports.messages.ts'
import type { Plan } from '../../src/plan/schema.ts'
import { contextAt, requestFor, situationOf } from './requests.ts'

const plan: Plan = {
  id: 'p',
  goal: { text: 'say and log' },
  revision: 1,
  parent: null,
  by: { planner: 'fixed' },
  because: { type: 'first', text: 'first plan' },
  steps: [
    { id: 'say', tool: 'print' },
    { id: 'log', tool: 'append', onFailure: 'skip' },
  ],
  assumptions: [
    { id: 'loud', statement: 'somebody listens', fact: 'listeners', is: { minimum: 1 }, steps: ['say', 'log'] },
  ],
}

function replan(planner: Planner, troubles: readonly Trouble[]): ReplanAnswer | Promise<ReplanAnswer> | undefined {
  return planner.replan?.(
    { ...requestFor({ goal: plan.goal }), plan, situation: situationOf(plan), troubles },
    contextAt(0),
  )
}

const failed = (stepId: string): Trouble => ({ type: 'failed', text: `"${stepId}" failed: no paper`, stepId })

describe('the fixed planner', () => {
  it('proposes the steps and assumptions it was given, whatever the goal is', () => {
    const planner = createFixedPlanner(plan)
    const answer = planner.plan(requestFor({ goal: { text: 'something else' } }), contextAt(0))
    expect(answer).toEqual({ steps: plan.steps, assumptions: plan.assumptions })
  })

  it('takes steps alone', () => {
    const { steps } = plan
    expect(createFixedPlanner({ steps }).plan(requestFor({}), contextAt(0))).toEqual({ steps })
  })

  it('gives up on trouble, saying what it is', () => {
    expect(replan(createFixedPlanner(plan), [failed('say')])).toEqual({
      giveUp: 'The plan is fixed, and there is trouble: "say" failed: no paper',
    })
  })

  it('keeps the plan when all trouble is with steps that may be skipped', () => {
    expect(replan(createFixedPlanner(plan), [failed('log')])).toEqual({
      keep: 'the plan lets it be skipped: "log" failed: no paper',
    })
    expect(replan(createFixedPlanner(plan), [failed('log'), failed('say')])).toHaveProperty('giveUp')
  })

  it('gives up on a broken assumption when some step that rests on it is needed', () => {
    const [assumption] = plan.assumptions
    const broken: Trouble = { type: 'assumption_broken', text: 'nobody listens', ...(assumption && { assumption }) }
    expect(replan(createFixedPlanner(plan), [broken])).toHaveProperty('giveUp')
    const onlyLog: Trouble = { ...broken, ...(assumption && { assumption: { ...assumption, steps: ['log'] } }) }
    expect(replan(createFixedPlanner(plan), [onlyLog])).toHaveProperty('keep')
  })

  it("leaves trouble to the user's own function where there is one", () => {
    const planner = createFixedPlanner(plan, {
      replan: ({ troubles }) => ({ patch: [{ op: 'abandon', id: 'say', because: troubles[0]?.text ?? '' }] }),
    })
    expect(replan(planner, [failed('say')])).toEqual({
      patch: [{ op: 'abandon', id: 'say', because: '"say" failed: no paper' }],
    })
  })
})
