import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDurations } from '../../src/cli/progress/durations.ts'
import { estimate, type Remaining } from '../../src/cli/progress/estimate.ts'
import { rehearse, type OpenStep } from '../../src/cli/progress/rehearsal.ts'

const step = (id: string, after: string[] = [], kind = 'x', elapsedMs?: number): OpenStep => ({
  id,
  kind,
  after,
  ...(elapsedMs !== undefined && { elapsedMs }),
})
const played = (steps: OpenStep[], concurrency: number, kindLimits = {}): number =>
  rehearse(steps, { durationMs: () => 10, concurrency, kindLimits })

describe('the rehearsal', () => {
  it('starts a step the moment its dependencies are done, within the limits', () => {
    const diamond = [step('a'), step('b', ['a']), step('c', ['a']), step('d', ['b', 'c'])]
    expect(played(diamond, 8)).toBe(30)
    expect(played(diamond, 1)).toBe(40)
    expect(played([step('a'), step('b'), step('c', [], 'y')], 8, { x: 1 })).toBe(20)
    expect(played([], 1)).toBe(0)
  })

  it('counts dependencies that are not open as done, and steps that take no time as none', () => {
    expect(played([step('b', ['gone'])], 1)).toBe(10)
    expect(played([step('a'), { ...step('list', ['a']), instant: true }, step('b', ['list'])], 1)).toBe(20)
  })

  it('never takes less than the longest chain or the work over the lanes, nor more than all one after another', () => {
    const plans = fc.array(fc.record({ ms: fc.nat(100), back: fc.array(fc.nat(20), { maxLength: 3 }) }), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 5 }), (drawn, concurrency) => {
        const steps = drawn.map(({ back }, index) =>
          step(`s${index}`, [...new Set(back.filter((by) => by > 0 && by <= index).map((by) => `s${index - by}`))]),
        )
        const durationMs = ({ id }: OpenStep): number => drawn[Number(id.slice(1))]!.ms
        const ends = new Map<string, number>()
        for (const one of steps)
          ends.set(one.id, durationMs(one) + Math.max(0, ...one.after.map((id) => ends.get(id)!)))
        const work = drawn.reduce((sum, { ms }) => sum + ms, 0)
        const takes = rehearse(steps, { durationMs, concurrency, kindLimits: {} })
        expect(takes).toBeGreaterThanOrEqual(Math.max(0, ...ends.values(), work / concurrency) - 1e-9)
        expect(takes).toBeLessThanOrEqual(work)
        if (steps.length <= concurrency) expect(takes).toBe(Math.max(0, ...ends.values()))
      }),
    )
  })

  it('rehearses 10,000 steps fast enough to be done while people watch', () => {
    const wide = Array.from({ length: 10_000 }, (_, index) => step(`s${index}`, index < 100 ? [] : [`s${index - 100}`]))
    const begun = performance.now()
    expect(played(wide, 64)).toBeGreaterThan(0)
    expect(performance.now() - begun).toBeLessThan(500)
  })
})

describe('the durations', () => {
  it('have the mean and the deviation of what was measured', () => {
    const durations = createDurations()
    expect(durations.of('x')).toBeUndefined()
    for (const ms of [2, 4, 4, 4, 5, 5, 7, 9]) durations.add('x', ms)
    expect(durations.of('x')!.meanMs).toBeCloseTo(5)
    expect(durations.of('x')!.spreadMs).toBeCloseTo(Math.sqrt(32 / 7))
    expect(durations.all).toEqual(durations.of('x'))
  })

  it('forget a time that was slow when it is long past', () => {
    const durations = createDurations()
    for (let count = 0; count < 500; count++) durations.add('x', 1000)
    for (let count = 0; count < 500; count++) durations.add('x', 10)
    expect(durations.of('x')!.meanMs).toBeLessThan(20)
  })
})

describe('the estimate', () => {
  const measured = (ms: number[], kind = 'x') => {
    const durations = createDurations()
    for (const one of ms) durations.add(kind, one)
    return durations
  }
  const remaining: Remaining = {
    steps: [step('a'), step('b', ['a'])],
    durations: measured([100, 100, 100, 100]),
    concurrency: 4,
    kindLimits: {},
    mayGrow: false,
    waitsForPerson: false,
  }

  it('says nothing until there is a basis', () => {
    expect(estimate({ ...remaining, durations: measured([100, 100, 100]) })).toEqual({
      type: 'unknown',
      because: 'too_early',
    })
    expect(estimate({ ...remaining, durations: measured([1, 1, 1, 1], 'y') })).toEqual({
      type: 'unknown',
      because: 'unmeasured',
    })
    expect(estimate({ ...remaining, waitsForPerson: true })).toEqual({ type: 'unknown', because: 'person' })
  })

  it('says “or more” where a list is not known yet, or a kind of step has never finished', () => {
    expect(estimate({ ...remaining, mayGrow: true })).toMatchObject({ orMore: true })
    expect(estimate({ ...remaining, steps: [...remaining.steps, step('c', [], 'new')] })).toMatchObject({
      orMore: true,
    })
  })

  it('is narrow for steps that are all alike, and wider the more they vary', () => {
    const alike = estimate(remaining)
    const varied = estimate({ ...remaining, durations: measured([20, 60, 120, 200]) })
    expect(alike).toMatchObject({ type: 'range', lowMs: 180, orMore: false })
    if (alike.type !== 'range' || varied.type !== 'range') throw new Error('expected ranges')
    expect(alike.highMs).toBeCloseTo(230)
    expect(varied.lowMs).toBeLessThan(alike.lowMs)
    expect(varied.highMs).toBeGreaterThan(alike.highMs)
  })

  it('holds what really happens, most of the time, over random plans with times that vary a lot', () => {
    let asked = 0
    let right = 0
    for (let seed = 1; seed <= 60; seed++) {
      const [steps, durationMs] = randomPlan(seed)
      const concurrency = 1 + (seed % 6)
      const ends = endTimes(steps, durationMs, concurrency)
      const end = Math.max(...ends.values())
      for (const share of [0.2, 0.4, 0.6, 0.8]) {
        const now = end * share
        const durations = createDurations()
        for (const one of steps) if (ends.get(one.id)! <= now) durations.add(one.kind, durationMs(one))
        const open = steps
          .filter(({ id }) => ends.get(id)! > now)
          .map((one) => {
            const startedAt = ends.get(one.id)! - durationMs(one)
            return startedAt <= now ? { ...one, elapsedMs: now - startedAt } : one
          })
        const answer = estimate({ ...remaining, steps: open, durations, concurrency })
        if (answer.type === 'unknown') continue
        asked++
        if (answer.lowMs <= end - now && end - now <= answer.highMs) right++
      }
    }
    expect(asked).toBeGreaterThan(150)
    expect(right / asked).toBeGreaterThan(0.8)
  })
})

/** A layered plan of 40 to 100 steps of three kinds, with log-normal times. */
function randomPlan(seed: number): [OpenStep[], (step: OpenStep) => number] {
  let state = seed * 7919
  const random = (): number => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(random() + 1e-9)) * Math.cos(2 * Math.PI * random())
  const times = new Map<string, number>()
  const steps = Array.from({ length: 40 + Math.floor(random() * 60) }, (_, index) => {
    const kind = Math.floor(random() * 3)
    times.set(`s${index}`, (kind + 1) * 100 * Math.exp(0.5 * normal()))
    const after = index < 5 ? [] : [`s${index - 1 - Math.floor(random() * Math.min(index, 12))}`]
    return step(`s${index}`, after, `k${kind}`)
  })
  return [steps, ({ id }) => times.get(id)!]
}

/** When each step ends, by a rehearsal that is told the true times. */
function endTimes(steps: OpenStep[], durationMs: (step: OpenStep) => number, concurrency: number): Map<string, number> {
  const ends = new Map<string, number>()
  const out: { id: string; endMs: number }[] = []
  let now = 0
  while (ends.size < steps.length) {
    for (const one of steps) {
      if (out.length >= concurrency) break
      if (ends.has(one.id) || out.some(({ id }) => id === one.id)) continue
      if (one.after.every((id) => ends.has(id))) out.push({ id: one.id, endMs: now + durationMs(one) })
    }
    out.sort((a, b) => a.endMs - b.endMs)
    const first = out.shift()!
    now = first.endMs
    ends.set(first.id, now)
  }
  return ends
}
