import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  dependenciesOf,
  isReference,
  referencesIn,
  resolveReferences,
  rewireStep,
  type Json,
  type JsonObject,
  type Reference,
  type Step,
} from '../../src/plan/index.ts'
import { plans } from '../arbitraries/plans.ts'

describe('isReference', () => {
  it.each([{ $from: 'a' }, { $from: 'a', path: '' }, { path: '/x', $from: 'a' }])('says yes to %j', (value) => {
    expect(isReference(value)).toBe(true)
  })
  it.each([
    null,
    'a',
    [],
    {},
    { path: '/x' },
    { $from: 1 },
    { $from: 'a', path: 1 },
    { $from: 'a', x: 1 },
    Object.create({ $from: 'a' }),
  ] as const)('says no to %j', (value) => {
    expect(isReference(value)).toBe(false)
  })
})

describe('dependenciesOf', () => {
  it('gives each id once, in order of first appearance', () => {
    const step: Step = {
      id: 'x',
      tool: 't',
      after: ['d', 'a'],
      input: { deep: [{ b: { $from: 'b', path: '/x' } }], again: { $from: 'a' } },
      when: { value: { $from: 'c', path: '' }, is: true },
      forEach: { $from: 'a', path: '/rows' },
    }
    expect(dependenciesOf(step)).toEqual(['a', 'c', 'b', 'd'])
  })

  it('adds the children of an expanded step', () => {
    expect(
      dependenciesOf({ id: 'x', tool: 't', forEach: { $from: 'a', path: '' }, expanded: 3, after: ['b'] }),
    ).toEqual(['a', 'b', 'x[0]', 'x[1]', 'x[2]'])
  })

  it('does not remember a step that may still change', () => {
    const step: Step = { id: 'x', tool: 't', after: ['a'] }
    expect(dependenciesOf(step)).toEqual(['a'])
    step.after = ['b']
    expect(dependenciesOf(step)).toEqual(['b'])
  })
})

describe('resolveReferences', () => {
  const outputs: Record<string, Json> = { a: { rows: [1, 2] }, b: 'text' }
  const lookup = ({ $from, path }: Reference): Json | undefined => (path === '' ? outputs[$from] : undefined)

  it('fills references in wherever they stand', () => {
    expect(resolveReferences({ x: { $from: 'b' }, y: [1, { z: { $from: 'a', path: '' } }] }, lookup)).toEqual({
      value: { x: 'text', y: [1, { z: { rows: [1, 2] } }] },
    })
  })

  it('R2: shares what holds no references, and the outputs that it fills in', () => {
    const input = { same: { deep: [1, 2, 3] }, x: { $from: 'a' } }
    const resolved = resolveReferences(input, lookup) as { value: JsonObject }
    expect(resolved.value['same']).toBe(input.same)
    expect(resolved.value['x']).toBe(outputs['a'])
    const plain = { y: [{ z: 1 }] }
    expect(resolveReferences(plain, lookup)).toEqual({ value: plain })
    expect((resolveReferences(plain, lookup) as { value: JsonObject }).value).toBe(plain)
  })

  it('names the first reference that leads nowhere', () => {
    expect(resolveReferences({ x: [{ $from: 'b' }, { $from: 'gone' }, { $from: 'gone too' }] }, lookup)).toEqual({
      missing: { $from: 'gone', path: '' },
    })
  })

  it('does not look for references in what it has filled in', () => {
    const hostile = { x: { $from: 'b', path: '' } }
    expect(resolveReferences({ a: { $from: 'h' } }, () => hostile)).toEqual({ value: { a: hostile } })
  })

  it('R3: copies an own "__proto__" as an own property, and pollutes nothing', () => {
    const input = JSON.parse(
      '{"__proto__":{"polluted":{"$from":"b"}},"constructor":{"prototype":{"x":{"$from":"b"}}}}',
    ) as JsonObject
    const { value } = resolveReferences(input, lookup) as { value: JsonObject }
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":"text"},"constructor":{"prototype":{"x":"text"}}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('fills in as many references as there are', () => {
    fc.assert(
      fc.property(plans({ minSteps: 1 }), ({ steps }) => {
        for (const { input = {} } of steps) {
          let count = 0
          const resolved = resolveReferences(input, () => ((count += 1), 0))
          expect(count).toBe(referencesIn(input).length)
          if ('value' in resolved) expect(referencesIn(resolved.value)).toEqual([])
        }
      }),
    )
  })
})

describe('rewireStep', () => {
  it('keeps paths, and names each dependency of "after" once', () => {
    const step: Step = {
      id: 'x',
      tool: 't',
      after: ['a', 'b'],
      input: { v: { $from: 'a', path: '/x' } },
      when: { value: { $from: 'a', path: '/y' }, is: true },
      forEach: { $from: 'a', path: '/z' },
    }
    expect(rewireStep(step, 'a', 'b')).toEqual({
      id: 'x',
      tool: 't',
      after: ['b'],
      input: { v: { $from: 'b', path: '/x' } },
      when: { value: { $from: 'b', path: '/y' }, is: true },
      forEach: { $from: 'b', path: '/z' },
    })
  })

  it('leaves no dependency behind when it goes', () => {
    fc.assert(
      fc.property(plans({ minSteps: 2, forEach: false }), ({ steps }) => {
        for (const step of steps)
          for (const from of dependenciesOf(step))
            expect(dependenciesOf(rewireStep(step, from, null))).not.toContain(from)
      }),
    )
  })
})
