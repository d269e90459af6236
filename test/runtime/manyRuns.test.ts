// Hundreds of runs, with sub-runs of theirs, cancelled in all ways and moments; then the runtime is closed, and nothing is left.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRuntime, defineTool, type Planner, type Run } from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { z } from 'zod'
import { planOf } from '../support/plans.ts'
import { hang } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const settled = new Set(['succeeded', 'failed', 'skipped', 'abandoned', 'cancelled', 'uncertain'])

/** A step of each kind, by a number. */
function stepOf(kind: number, id: string, ms: number): Step {
  const kinds: readonly Omit<Step, 'id'>[] = [
    { tool: 'work', input: { ms } },
    {
      tool: 'work',
      input: { ms, fails: true },
      retry: { attempts: 3, backoffMs: 5, factor: 2, maxBackoffMs: 50, jitter: 0 },
    },
    { tool: 'work', input: { ms: 500 }, timeoutMs: ms + 1, onFailure: 'skip' },
    { instruction: 'Well?', timeoutMs: 10_000 },
    { goal: { text: String(ms % 3) } },
    { tool: 'hang' },
    { tool: 'work', input: { ms }, approval: 'required' },
  ]
  return { id, ...kinds[kind % kinds.length] }
}

/** A goal is a number of levels below it. */
const planner: Planner = {
  name: 'levels',
  plan: ({ goal }) => {
    const levels = Number(goal.text)
    const own = stepOf(levels, 'own', 10 * levels + 3)
    return { steps: levels === 0 ? [own] : [own, { id: 'sub', goal: { text: String(levels - 1) } }] }
  },
}

const scenario = fc.record({
  runs: fc.array(
    fc.record({
      kinds: fc.array(fc.nat(6), { minLength: 1, maxLength: 4 }),
      ms: fc.nat(120),
      chained: fc.boolean(),
      end: fc.constantFrom<'cancel' | 'signal' | 'pause' | 'leave'>('cancel', 'signal', 'pause', 'leave'),
      endAt: fc.nat(200),
    }),
    { minLength: 200, maxLength: 300 },
  ),
  closeAt: fc.nat(300),
  total: fc.integer({ min: 1, max: 64 }),
  seed: fc.integer(),
})

describe('many runs that end in all ways', () => {
  it(
    'are over when the runtime is closed, with their sub-runs, and leave no timer and no work',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(scenario, async ({ runs, closeAt, total, seed }) => {
          const clock = new VirtualClock({ seed })
          let working = 0
          const work = defineTool({
            name: 'work',
            description: 'Takes time, and stops when its signal fires.',
            input: z.object({ ms: z.number(), fails: z.boolean().default(false) }),
            output: z.null(),
            run: async ({ ms, fails }, { signal }) => {
              working += 1
              try {
                signal.throwIfAborted()
                await clock.wait(ms, signal)
                if (fails) throw new Error('it broke')
                return null
              } finally {
                working -= 1
              }
            },
          })
          const begun = new Set<Run>()
          const runtime = createRuntime({
            tools: [work, hang],
            planner,
            clock,
            limits: { totalConcurrency: total, graceMs: 40 },
            keepRuns: 10_000,
          })
          for (const { kinds, ms, chained, end, endAt } of runs) {
            const controller = new AbortController()
            const steps = kinds.map((kind, index) => ({
              ...stepOf(kind, `s${String(index)}`, ms),
              ...(chained && index > 0 && { after: [`s${String(index - 1)}`] }),
            }))
            if (end === 'signal' && endAt === 0) controller.abort()
            const run = runtime.start(planOf(steps), { signal: controller.signal })
            begun.add(run)
            clock.setTimeout(() => {
              if (end === 'cancel') run.cancel()
              else if (end === 'signal') controller.abort()
              else if (end === 'pause' && run.outcome === undefined && run.state !== 'stopping') run.pause()
            }, endAt)
          }
          await clock.runUntil(closeAt)
          await clock.until(runtime.close())
          await clock.runUntilIdle()
          const all = runtime.runs
          expect(all.length).toBeGreaterThanOrEqual(begun.size)
          for (const run of all) {
            expect(run.outcome, run.state).toBeDefined()
            for (const { id, status } of run.ledger()) expect(settled.has(status), `${id} ${status}`).toBe(true)
            if (run.parent) expect(all.some(({ id }) => id === run.parent?.runId)).toBe(true)
          }
          expect(all.some(({ parent }) => parent !== undefined) || closeAt < 5).toBe(true)
          expect(working).toBe(0)
          expect(clock.pending).toBe(0)
        }),
        { numRuns: 8 },
      )
    },
  )
})
