// Random work whose processes die, one after the other, at random events: before an event is written, after it and before its
// commands go out, and after those. In one process, where a dead runtime is one that nobody listens to; test/durability has real ones.
//
// A sample runs with all tests. For more: PLANLOOM_CRASHES=3000 npx vitest run test/runtime/crashes.test.ts
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { crashWorks } from '../arbitraries/crashPlans.ts'
import { deaths } from '../arbitraries/scenarios.ts'
import { carryOut } from '../support/crashRun.ts'
import { breachesOfWork } from '../support/crashWork.ts'
import type { Death } from '../support/mortalJournal.ts'

const numRuns = Number(process.env['PLANLOOM_CRASHES'] ?? 150)

/** Deaths, and runs that are left. */
const manyEnds = fc.array(
  fc.oneof(
    { arbitrary: deaths({ minLength: 1, maxLength: 1, mostEvents: 12 }).map(([death]) => death as Death), weight: 1 },
    { arbitrary: fc.record({ afterEvents: fc.integer({ min: 2, max: 10 }), leftAfterMs: fc.nat(4) }), weight: 2 },
  ),
  { minLength: 3, maxLength: 12 },
)
const manyDeaths = deaths({ minLength: 3, maxLength: 12, mostEvents: 12 })

it('comes to the end that it would have had, with every effect as promised', { timeout: 120_000 + numRuns * 100 }, async () => {
  let died = 0
  await fc.assert(
    fc.asyncProperty(crashWorks(), manyDeaths, async (work, ends) => {
      const { end, journal, outside, lives, pending } = await carryOut(work, ends)
      died += lives
      expect(pending).toBe(0)
      expect(await breachesOfWork(journal, outside.lines())).toEqual([])
      if (work.uncertain === 'replan') return
      const undisturbed = await carryOut(work, [])
      expect(end).toEqual(undisturbed.end)
      expect(outside.lines().length).toBe(undisturbed.outside.lines().length)
    }),
    { numRuns },
  )
  expect(died).toBeGreaterThan(numRuns)
}) // prettier-ignore

it('comes to the same end where processes leave it, and the next one takes it at once', { timeout: 120_000 + numRuns * 100 }, async () => {
  let left = 0
  await fc.assert(
    fc.asyncProperty(crashWorks(), manyEnds, async (work, ends) => {
      const { end, journal, outside, lives, pending } = await carryOut(work, ends)
      left += lives
      expect(pending).toBe(0)
      expect(await breachesOfWork(journal, outside.lines())).toEqual([])
      if (work.uncertain === 'replan') return
      const undisturbed = await carryOut(work, [])
      expect(end).toEqual(undisturbed.end)
      expect(outside.lines().length).toBe(undisturbed.outside.lines().length)
    }),
    { numRuns },
  )
  expect(left).toBeGreaterThan(numRuns)
}) // prettier-ignore
