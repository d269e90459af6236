import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyPatch,
  dependenciesOf,
  expandForEach,
  parsePlan,
  referencesIn,
  validatePlan,
  type Plan,
  type Step,
} from '../../src/plan/index.ts'
import { noopTools, plans } from '../arbitraries/plans.ts'

describe('expanding', () => {
  it('makes a child per item, right before the parent, with the item in place of $item', () => {
    const next = expand(
      planOf([
        { id: 'last', tool: 'noop', after: ['read'] },
        {
          id: 'read',
          tool: 'noop',
          forEach: { $from: 'list', path: '/rows' },
          input: { text: { $item: '/name' }, rows: [{ $item: '' }], texts: [{ $from: 'list', path: '/text' }] },
          when: { value: { $item: '/size' }, is: { minimum: 1 } },
          onFailure: 'skip',
          cost: 3,
        },
        { id: 'list', tool: 'noop' },
      ]),
      'read',
      2,
    )
    expect(next.steps.map(({ id }) => id)).toEqual(['last', 'read[0]', 'read[1]', 'read', 'list'])
    expect(next.steps[2]).toEqual({
      id: 'read[1]',
      tool: 'noop',
      item: '1',
      input: {
        text: { $from: 'list', path: '/rows/1/name' },
        rows: [{ $from: 'list', path: '/rows/1' }],
        texts: [{ $from: 'list', path: '/text' }],
      },
      when: { value: { $from: 'list', path: '/rows/1/size' }, is: { minimum: 1 } },
      onFailure: 'skip',
      cost: 3,
    })
    expect(next.steps[3]).toMatchObject({ id: 'read', expanded: 2 })
    expect(next.steps[3]).not.toHaveProperty('when') // N2
    expect(dependenciesOf(next.steps[3]!)).toEqual(['list', 'read[0]', 'read[1]'])
  })

  it('N1: expands a chain of lists at once, each child waiting for its own item alone', () => {
    const next = expand(
      planOf([
        { id: 'list', tool: 'noop' },
        { id: 'look', tool: 'noop', forEach: { $from: 'list', path: '/rows' }, input: { text: { $item: '/name' } } },
        { id: 'read', tool: 'noop', forEach: { $from: 'look', path: '' }, input: { count: { $item: '/count' } } },
        { id: 'note', tool: 'noop', forEach: { $from: 'read', path: '' } },
        { id: 'sum', tool: 'noop', input: { texts: [{ $from: 'note', path: '/0/text' }] } },
      ]),
      'look',
      3,
    )
    const step = (id: string): Step => next.steps.find((one) => one.id === id)!
    expect(step('read[2]').input).toEqual({ count: { $from: 'look[2]', path: '/count' } })
    expect(dependenciesOf(step('read[2]'))).toEqual(['look[2]'])
    expect(dependenciesOf(step('note[1]'))).toEqual(['read[1]']) // N3
    expect(step('note')).toMatchObject({ expanded: 3 })
    expect(step('sum')).toEqual({ id: 'sum', tool: 'noop', input: { texts: [{ $from: 'note', path: '/0/text' }] } })
  })

  it('zips a list that comes later with children that are there, and gives up those whose item was', () => {
    const first = expand(
      planOf([
        { id: 'list', tool: 'noop' },
        { id: 'look', tool: 'noop', forEach: { $from: 'list', path: '/rows' } },
      ]),
      'look',
      2,
    )
    const lost = patch(first, [{ op: 'abandon', id: 'look[1]', because: 'broken' }])
    const more = patch(lost, [
      {
        op: 'insert',
        step: { id: 'read', tool: 'noop', forEach: { $from: 'look', path: '' }, input: { text: { $item: '/text' } } },
      },
    ])
    const next = expand(more, 'read', 2)
    expect(next.steps.find(({ id }) => id === 'read[0]')?.input).toEqual({ text: { $from: 'look[0]', path: '/text' } })
    expect(next.steps.find(({ id }) => id === 'read[1]')?.abandoned).toBe('broken')
    expect(next.steps.find(({ id }) => id === 'read')?.abandoned).toBeUndefined()
  })

  it('takes an empty list', () => {
    const next = expand(
      planOf([
        { id: 'list', tool: 'noop' },
        { id: 'look', tool: 'noop', forEach: { $from: 'list', path: '/rows' } },
      ]),
      'look',
      0,
    )
    expect(next.steps.map(({ id, expanded }) => [id, expanded])).toEqual([
      ['list', undefined],
      ['look', 0],
    ])
  })

  it('numbers items of items', () => {
    const plan = planOf([
      { id: 'list', tool: 'noop' },
      { id: 'in', tool: 'noop', item: '3', forEach: { $from: 'list', path: '/rows' } },
    ])
    expect(expand(plan, 'in', 2).steps.map(({ item }) => item)).toEqual([undefined, '3.0', '3.1', '3'])
  })

  it('has what was assumed for all assumed for each, too', () => {
    const plan = parsePlan({
      ...planOf([
        { id: 'list', tool: 'noop' },
        { id: 'read', tool: 'noop', forEach: { $from: 'list', path: '/rows' } },
      ]),
      assumptions: [
        { id: 'utf8', statement: 'text is UTF-8', fact: 'encoding', is: { const: 'utf-8' }, steps: ['read', 'list'] },
      ],
    })
    expect(expand(plan, 'read', 2).assumptions.map(({ id, fact, steps }) => [id, fact, steps])).toEqual([
      ['utf8', 'encoding', ['read', 'list', 'read[0]', 'read[1]']],
      ['utf8[0]', 'encoding[0]', ['read[0]']],
      ['utf8[1]', 'encoding[1]', ['read[1]']],
    ])
  })

  it('refuses what cannot be expanded', () => {
    const plan = planOf([{ id: 'list', tool: 'noop' }])
    for (const id of ['list', 'gone'])
      expect(() => expandForEach(plan, id, 1)).toThrow(expect.objectContaining({ code: 'EXPANSION_REFUSED' }))
  })

  it('keeps plans correct, and leaves no $item in a child', () => {
    fc.assert(
      fc.property(plans({ minSteps: 2, models: true }), fc.nat({ max: 4 }), (plan, length) => {
        let next = plan
        for (const { id, forEach } of plan.steps) {
          if (forEach === undefined || next.steps.find((step) => step.id === id)?.expanded !== undefined) continue
          next = expand(next, id, length)
        }
        expect(validatePlan(next, { tools: noopTools }).findings).toEqual([])
        for (const step of next.steps.filter(({ item }) => item !== undefined)) {
          expect(JSON.stringify(step)).not.toContain('$item')
          expect(referencesIn(step.input).every(({ $from }) => next.steps.some(({ id }) => id === $from))).toBe(true)
        }
      }),
    )
  })
})

function planOf(steps: readonly object[]): Plan {
  return parsePlan({ id: 'p', goal: { text: 'go' }, steps }, { tools: noopTools })
}

function patch(plan: Plan, operations: Parameters<typeof applyPatch>[1]['operations']): Plan {
  return applyPatch(plan, {
    base: plan.revision,
    by: { planner: 'test' },
    because: { type: 'expanded', text: '' },
    operations,
  })
}

function expand(plan: Plan, id: string, length: number): Plan {
  return patch(plan, [...expandForEach(plan, id, length)])
}
