import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyPatch,
  branchOf,
  canonicalJson,
  diffPlans,
  parsePlan,
  PatchRefusedError,
  planHash,
  touchedBy,
  validatePlan,
  type Operation,
  type Patch,
  type Plan,
  type Step,
} from '../../src/plan/index.ts'
import { noopTools, plans, relatives } from '../arbitraries/plans.ts'

const pairs = plans({ models: true }).chain((a) => fc.tuple(fc.constant(a), relatives(a)))

describe('patches (laws)', () => {
  it('K3: applying the difference of two plans to the first gives the second, to the byte', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const patch = diffPlans(a, b)
        const made = applyPatch(a, patch)
        expect(made).toEqual(b)
        expect(canonicalJson(made)).toBe(canonicalJson(b))
        expect(planHash(made)).toBe(planHash(b))
      }),
      { numRuns: 200 },
    )
  })

  it('K3: holds for plans that have nothing to do with each other', () => {
    fc.assert(
      fc.property(plans({ models: true }), plans({ models: true }), (a, b) => {
        expect(canonicalJson(applyPatch(a, diffPlans(a, b)))).toBe(canonicalJson(b))
      }),
    )
  })

  it('finds no operation between a plan and itself', () => {
    fc.assert(
      fc.property(plans({ models: true }), (plan) => {
        expect(diffPlans(plan, plan).operations).toEqual([])
      }),
    )
  })

  it('K1: leaves the first plan as it was, gives a frozen one, and shares the steps that it does not touch', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const before = canonicalJson(a)
        const patch = diffPlans(a, b)
        const made = applyPatch(a, patch)
        expect(canonicalJson(a)).toBe(before)
        expect(Object.isFrozen(made) && Object.isFrozen(made.steps) && made.steps.every(Object.isFrozen)).toBe(true)
        const touched = new Set(touchedBy(patch, a))
        const old = new Map(a.steps.map((step) => [step.id, step]))
        for (const step of made.steps) if (!touched.has(step.id)) expect(step).toBe(old.get(step.id))
      }),
    )
  })

  it('keeps a plan valid whose branch is abandoned, whichever it is', () => {
    fc.assert(
      fc.property(plans({ minSteps: 1, models: true }), fc.nat(), (plan, nth) => {
        const id = plan.steps[nth % plan.steps.length]!.id
        const next = applyPatch(plan, patchOf(plan, { op: 'abandon', id, because: 'lost' }))
        expect(
          next.steps
            .filter((step) => step.abandoned !== undefined)
            .map((step) => step.id)
            .sort(),
        ).toEqual([...branchOf(plan, id)].sort())
        expect(validatePlan(next, { tools: noopTools }).findings).toEqual([])
      }),
    )
  })
})

/** Operations on steps of a plan, of which some fit and some do not. */
const operationsOn = (plan: Plan): fc.Arbitrary<Operation[]> => {
  const id = fc.constantFrom(...plan.steps.map((step) => step.id), 'new')
  const after = fc.uniqueArray(id, { maxLength: 2 })
  const step = fc.record({ id, tool: fc.constantFrom('noop', 'rest'), after })
  return fc.array(
    fc.oneof(
      fc.record({ op: fc.constant('insert' as const), step, before: id }),
      fc.record({ op: fc.constant('remove' as const), id }),
      step.map((one): Operation => ({ op: 'replace', id: one.id, step: one })),
      fc.record({
        op: fc.constant('reorder' as const),
        ids: fc.uniqueArray(id, { minLength: 1, maxLength: 3 }),
        before: id,
      }),
      fc.record({ op: fc.constant('rewire' as const), id, from: id, to: fc.option(id) }),
      fc.record({ op: fc.constant('abandon' as const), id, because: fc.constantFrom('x', 'y') }),
    ),
    { minLength: 1, maxLength: 12 },
  )
}

describe('operations (laws)', () => {
  it('do the same in one patch as in a patch each', () => {
    fc.assert(
      fc.property(
        plans({ minSteps: 1, models: true }).chain((plan) => fc.tuple(fc.constant(plan), operationsOn(plan))),
        ([plan, operations]) => {
          const fitting: Operation[] = []
          let made = plan
          for (const operation of operations) {
            if (findingsOf(made, [operation]).length > 0) continue
            made = applyPatch(made, patchOf(made, operation))
            fitting.push(operation)
          }
          expect(applyPatch(plan, patchOf(plan, ...fitting)).steps).toEqual(made.steps)
          expect(
            diffPlans(plan, { ...made, revision: plan.revision + 1, parent: plan.revision }).operations.length,
          ).toBeLessThanOrEqual(plan.steps.length + made.steps.length)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('alter no step but those that touchedBy names', () => {
    fc.assert(
      fc.property(
        plans({ minSteps: 1, models: true }).chain((plan) => fc.tuple(fc.constant(plan), operationsOn(plan))),
        ([plan, operations]) => {
          for (const operation of operations) {
            if (findingsOf(plan, [operation]).length > 0) continue
            const made = new Map(applyPatch(plan, patchOf(plan, operation)).steps.map((step) => [step.id, step]))
            const touched = new Set(touchedBy(operation, plan))
            for (const step of plan.steps) if (!touched.has(step.id)) expect(made.get(step.id)).toBe(step)
          }
        },
      ),
    )
  })
})

describe('differences', () => {
  const chain = planOf(
    Array.from({ length: 6 }, (_, i) => ({ id: `s${i}`, tool: 'noop', ...(i > 0 && { after: [`s${i - 1}`] }) })),
  )

  it('says a move of neighbours in one operation', () => {
    const { steps } = chain
    const moved = {
      ...chain,
      revision: 2,
      parent: 1,
      steps: [...steps.slice(3, 5), ...steps.slice(0, 3), ...steps.slice(5)],
    }
    expect(diffPlans(chain, moved).operations).toEqual([{ op: 'reorder', ids: ['s3', 's4'], before: 's0' }])
  })

  it('says an abandoned branch in one operation', () => {
    const lost = applyPatch(chain, patchOf(chain, { op: 'abandon', id: 's2', because: 'gone' }))
    expect(diffPlans(chain, lost).operations).toEqual([{ op: 'abandon', id: 's2', because: 'gone' }])
  })

  it('does not say "abandon" where more would be abandoned than was', () => {
    const marked = {
      ...chain,
      steps: chain.steps.map((step) => (step.id === 's2' ? { ...step, abandoned: 'gone' } : step)),
    }
    expect(diffPlans(chain, marked).operations.map(({ op }) => op)).toEqual(['replace'])
  })

  it('says another dependency in the place of one as a rewiring', () => {
    const plan = planOf([
      { id: 'a', tool: 'noop' },
      { id: 'b', tool: 'noop' },
      {
        id: 'c',
        tool: 'noop',
        input: { text: { $from: 'a', path: '/text' }, texts: [{ $from: 'a', path: '/text' }] },
        after: ['a'],
      },
    ])
    const next = applyPatch(plan, patchOf(plan, { op: 'rewire', id: 'c', from: 'a', to: 'b' }))
    expect(next.steps[2]).toMatchObject({
      input: { text: { $from: 'b', path: '/text' }, texts: [{ $from: 'b' }] },
      after: ['b'],
    })
    expect(diffPlans(plan, next).operations).toEqual([{ op: 'rewire', id: 'c', from: 'a', to: 'b' }])
    const less = applyPatch(plan, patchOf(plan, { op: 'rewire', id: 'c', from: 'a', to: null }))
    expect(less.steps[2]).toEqual({ id: 'c', tool: 'noop', input: { texts: [] } })
    expect(diffPlans(plan, less).operations).toEqual([{ op: 'rewire', id: 'c', from: 'a', to: null }])
  })

  it('carries only what differs in the head', () => {
    const next = applyPatch(chain, patchOf(chain, { op: 'remove', id: 's5' }))
    expect(Object.keys(diffPlans(chain, next)).sort()).toEqual(['base', 'because', 'by', 'operations'])
  })
})

describe('refusals', () => {
  const plan = planOf([
    { id: 'a', tool: 'noop' },
    { id: 'b', tool: 'noop', after: ['a'] },
    { id: 'list', tool: 'noop', forEach: { $from: 'a', path: '/rows' } },
  ])
  const cases: readonly [string, Operation[], string][] = [
    ['removes what is not there', [{ op: 'remove', id: 'x' }], 'STEP_UNKNOWN'],
    ['inserts what is there', [{ op: 'insert', step: { id: 'a', tool: 'noop' } }], 'STEP_DUPLICATE'],
    [
      'inserts before what is not there',
      [{ op: 'insert', step: { id: 'c', tool: 'noop' }, before: 'x' }],
      'STEP_UNKNOWN',
    ],
    ['replaces under another id', [{ op: 'replace', id: 'a', step: { id: 'c', tool: 'noop' } }], 'PATCH_REFUSED'],
    ['moves what is not there', [{ op: 'reorder', ids: ['a', 'x'] }], 'STEP_UNKNOWN'],
    ['moves a step before itself', [{ op: 'reorder', ids: ['a', 'b'], before: 'a' }], 'PATCH_REFUSED'],
    ['leaves a dependency dangling', [{ op: 'remove', id: 'a' }], 'STEP_UNKNOWN'],
    ['brings a dangling dependency', [{ op: 'insert', step: { id: 'c', tool: 'noop', after: ['x'] } }], 'STEP_UNKNOWN'],
    ['closes a cycle', [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'noop', after: ['b'] } }], 'PLAN_CYCLE'],
    ['makes a step wait for itself', [{ op: 'rewire', id: 'b', from: 'a', to: 'b' }], 'PLAN_CYCLE'],
    ['rewires what is not wired', [{ op: 'rewire', id: 'a', from: 'b', to: null }], 'PATCH_REFUSED'],
    ['takes the list from a forEach', [{ op: 'rewire', id: 'list', from: 'a', to: null }], 'PATCH_REFUSED'],
    ['abandons what is not there', [{ op: 'abandon', id: 'x', because: '' }], 'STEP_UNKNOWN'],
    ['takes back what was not assumed', [{ op: 'unassume', id: 'x' }], 'ASSUMPTION_UNKNOWN'],
  ]
  it.each(cases)('refuses a patch that %s', (_, operations, code) => {
    const before = canonicalJson(plan)
    expect(findingsOf(plan, operations)).toContain(code)
    expect(canonicalJson(plan)).toBe(before)
  })

  it('prints the cycle', () => {
    const operations: Operation[] = [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'noop', after: ['b'] } }]
    expect(() => applyPatch(plan, patchOf(plan, ...operations))).toThrow(/a → b → a/)
  })

  it('gives all reasons at once', () => {
    expect(
      findingsOf(plan, [
        { op: 'remove', id: 'x' },
        { op: 'remove', id: 'y' },
      ]),
    ).toEqual(['STEP_UNKNOWN', 'STEP_UNKNOWN'])
  })

  it('takes a chain of changes whose middle would not stand by itself', () => {
    const next = applyPatch(
      plan,
      patchOf(plan, { op: 'remove', id: 'a' }, { op: 'insert', step: { id: 'a', tool: 'rest' }, before: 'b' }),
    )
    expect(next.steps[0]).toEqual({ id: 'a', tool: 'rest' })
  })
})

describe('abandoning', () => {
  it('stops at steps that run without it, and at those that gather', () => {
    const plan = planOf([
      { id: 'a', tool: 'noop' },
      { id: 'each[0]', tool: 'noop', input: { text: { $from: 'a', path: '/rows/0/name' } }, item: '0' },
      { id: 'each', tool: 'noop', forEach: { $from: 'src', path: '/rows' }, expanded: 1 },
      { id: 'src', tool: 'noop' },
      { id: 'report', tool: 'noop', after: ['each'] },
      { id: 'hard', tool: 'noop', after: ['a'] },
      { id: 'soft', tool: 'noop', after: ['hard'], onSkipped: 'run' },
      { id: 'behind', tool: 'noop', after: ['soft'] },
    ])
    expect([...branchOf(plan, 'a')].sort()).toEqual(['a', 'each[0]', 'hard'])
  })

  it('keeps what an earlier loss was put down to', () => {
    const plan = planOf([
      { id: 'a', tool: 'noop' },
      { id: 'b', tool: 'noop', after: ['a'] },
    ])
    const once = applyPatch(plan, patchOf(plan, { op: 'abandon', id: 'b', because: 'first' }))
    const twice = applyPatch(once, patchOf(once, { op: 'abandon', id: 'a', because: 'second' }))
    expect(twice.steps.map((step) => step.abandoned)).toEqual(['second', 'first'])
  })
})

describe('hostile patches', () => {
  it('change no prototype, whatever their keys', () => {
    const plan = planOf([{ id: 'a', tool: 'noop' }])
    const step = JSON.parse(
      '{"id":"b","tool":"noop","input":{"__proto__":{"polluted":{"$from":"a"}},"constructor":{"prototype":{"polluted":1}}}}',
    ) as Step
    const next = applyPatch(plan, patchOf(plan, { op: 'insert', step }, { op: 'rewire', id: 'b', from: 'a', to: null }))
    expect(JSON.stringify(next.steps[1]?.input)).toBe('{"__proto__":{},"constructor":{"prototype":{"polluted":1}}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(findingsOf(plan, [{ op: 'remove', id: '__proto__' }])).toEqual(['STEP_UNKNOWN'])
    expect(findingsOf(plan, [{ op: 'unassume', id: 'constructor' }])).toEqual(['ASSUMPTION_UNKNOWN'])
  })
})

describe('cost', () => {
  it('looks at steps and operations a number of times that grows with their sum', () => {
    const looks = (size: number): number => {
      const plan = planOf(
        Array.from({ length: size }, (_, i) => ({ id: `s${i}`, tool: 'noop', ...(i > 0 && { after: [`s${i - 1}`] }) })),
      )
      let count = 0
      const operations = Array.from({ length: size / 10 }, (_, i): Operation => {
        const step = new Proxy(
          { id: `n${i}`, tool: 'noop', after: [`s${i}`] },
          { get: (on, key) => ((count += 1), Reflect.get(on, key) as unknown) },
        )
        return { op: 'insert', step, before: `s${i}` }
      })
      applyPatch(plan, patchOf(plan, ...operations))
      return count
    }
    expect(looks(4000) / looks(1000)).toBeLessThan(4.5)
  })
})

function planOf(steps: readonly object[]): Plan {
  return parsePlan({ id: 'p', goal: { text: 'go' }, steps })
}

function patchOf(plan: Plan, ...operations: Operation[]): Patch {
  return { base: plan.revision, by: { planner: 'test' }, because: { type: 'edited', text: 'test' }, operations }
}

function findingsOf(plan: Plan, operations: Operation[]): string[] {
  try {
    applyPatch(plan, patchOf(plan, ...operations))
    return []
  } catch (error) {
    if (error instanceof PatchRefusedError) return error.findings.map(({ code }) => code)
    throw error
  }
}
