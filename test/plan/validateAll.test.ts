import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validatePlan } from '../../src/plan/index.ts'
import { brokenPlans } from '../arbitraries/faults.ts'
import { noopTools } from '../arbitraries/plans.ts'

describe('validatePlan', () => {
  it('C4: finds every fault of a plan at once, and nothing else', () => {
    fc.assert(
      fc.property(brokenPlans(), ({ value, expected }) => {
        const { findings } = validatePlan(value, { tools: noopTools, executors: ['tool'], limits: { cost: 1000 } })
        const found = findings.map(({ code, path }) => `${code} ${path}`)
        expect(found.sort()).toEqual(expected.map((parts) => parts.join(' ')).sort())
      }),
      { numRuns: 500 },
    )
  })
})
