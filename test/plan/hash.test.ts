import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, deepFreeze, hashJson, planHash, stepHash } from '../../src/plan/index.ts'
import { plans } from '../arbitraries/plans.ts'

const shuffled = (value: unknown, next: () => number): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => shuffled(item, next))
  const entries = Object.entries(value).map(([key, item]) => ({ key, item: shuffled(item, next), place: next() }))
  return Object.fromEntries(entries.sort((a, b) => a.place - b.place).map(({ key, item }) => [key, item]))
}

describe('canonical JSON', () => {
  it('is the same text for the same value, whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(fc.nat()), (value, stream) => {
        expect(canonicalJson(shuffled(value, () => Number(stream.next().value)))).toBe(canonicalJson(value))
      }),
    )
  })

  it('reads back as the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('sorts keys by code units, and counts undefined as absent', () => {
    expect(canonicalJson({ b: 1, a: [true, null, 'x"y'], é: -0, '10': 2, '9': undefined })).toBe(
      '{"10":2,"a":[true,null,"x\\"y"],"b":1,"é":0}',
    )
  })
})

describe('hashes', () => {
  it('are SHA-256 of the canonical text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(hashJson(value)).toBe(createHash('sha256').update(canonicalJson(value)).digest('hex'))
      }),
    )
  })

  it('tell steps apart by content, and not by identity', () => {
    const step = deepFreeze({ id: 'a', tool: 't', input: { x: 1, y: 2 } })
    expect(stepHash(step)).toBe(stepHash({ tool: 't', input: { y: 2, x: 1 }, id: 'a' }))
    expect(stepHash(step)).not.toBe(stepHash({ ...step, title: 'A' }))
  })

  it('notice a change of a step that is not frozen', () => {
    const step = { id: 'a', tool: 't' }
    const before = stepHash(step)
    step.tool = 'u'
    expect(stepHash(step)).not.toBe(before)
  })

  it('of plans leave out which revision it is, who made it and why', () => {
    fc.assert(
      fc.property(plans(), (plan) => {
        const again = {
          ...plan,
          id: 'q',
          revision: 77,
          parent: 76,
          by: { planner: 'x', model: 'y' },
          because: { type: 'edited' as const, text: 'z' },
        }
        expect(planHash(again)).toBe(planHash(plan))
      }),
    )
  })

  it('of plans take in goal, steps, their order, and assumptions', () => {
    const base = {
      id: 'p',
      goal: { text: 'g' },
      revision: 1,
      parent: null,
      by: { planner: 'x' },
      because: { type: 'first' as const, text: '' },
    }
    const [a, b] = [
      { id: 'a', tool: 't' },
      { id: 'b', tool: 't' },
    ]
    const assumption = { id: 'c', statement: '', fact: 'f', is: true, steps: [] }
    const hashes = [
      { ...base, steps: [a, b], assumptions: [] },
      { ...base, steps: [b, a], assumptions: [] },
      { ...base, steps: [a], assumptions: [] },
      { ...base, steps: [a, b], assumptions: [assumption] },
      { ...base, steps: [a, b], assumptions: [], goal: { text: 'h' } },
    ].map(planHash)
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('stay what they are: caches and journals hold them', () => {
    expect(hashJson({ b: [1, 'é', null], a: {} })).toBe(
      '2276520f08d37536b69eae75aca04f7b6cdbab5eb3a0ea28e5288f43a0030a10',
    )
  })
})
