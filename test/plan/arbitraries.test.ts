import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validatePlan } from '../../src/plan/index.ts'
import { noopTools, plans } from '../arbitraries/plans.ts'

describe('validation of correct plans', () => {
  it('never complains', () => {
    fc.assert(
      fc.property(plans({ models: true }), (plan) => {
        expect(
          validatePlan(plan, { tools: noopTools, executors: ['tool', 'model'], limits: { steps: 100, cost: 1000 } })
            .findings,
        ).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
