// What every journal must do for steps and plans that reuse what earlier runs have made.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createCachedPlanner,
  createGoalPlanner,
  createRuntime,
  defineTool,
  journalPlanStore,
  replayJournal,
  type Journal,
  type JournalEvent,
  type ReuseLimits,
  type Tool,
} from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { from, planOf } from '../support/plans.ts'

/** Doubles numbers, and counts how often. */
function counted(version = '1', more: object = {}): { readonly tool: Tool; readonly calls: number[] } {
  const calls: number[] = []
  const tool = defineTool({
    name: 'double',
    description: 'Doubles.',
    version,
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
    gives: { doubled: { from: '/n' } },
    run: ({ n }) => {
      calls.push(n)
      return { n: 2 * n }
    },
    ...more,
  })
  return { tool, calls }
}

const double = (n: number, more: Partial<Step> = {}): Step => ({
  id: 'a',
  tool: 'double',
  input: { n },
  cache: true,
  ...more,
})

export function describeReuse(
  name: string,
  open: (options?: { readonly reuse?: ReuseLimits; readonly now?: () => number }) => Journal,
): void {
  describe(`${name}: reuse`, () => {
    it('gives a step with cache the output of an earlier run, its facts, and where it is from', async () => {
      const journal = open()
      const { tool, calls } = counted()
      await using runtime = createRuntime({ tools: [tool], journal })
      await runtime.start(planOf([double(2, { id: 'first' })]), { runId: 'one' }).result
      const run = runtime.start(planOf([double(2)]), { runId: 'two' })
      expect(await run.result).toMatchObject({ reason: 'done' })
      expect(calls).toEqual([2])
      expect(run.output('a')).toEqual({ n: 4 })
      expect(run.fact('doubled')).toMatchObject({ value: 4, by: 'a' })
      expect([...run.ledger()]).toMatchObject([{ reusedFrom: { runId: 'one', stepId: 'first' } }])
      const events: JournalEvent[] = []
      for await (const event of journal.read('two')) events.push(event)
      expect([...replayJournal(events).ledger()]).toEqual([...run.ledger()])
    })

    it('runs a step anew with another version, another input, or without cache', async () => {
      const journal = open()
      const old = counted()
      const now = counted('2')
      const again = async ({ tool }: typeof old, step: Step): Promise<void> => {
        const runtime = createRuntime({ tools: [tool], journal: { ...pick(journal), close: () => undefined } })
        await runtime.start(planOf([step])).result
        await runtime.close()
      }
      await again(old, double(2))
      await again(old, double(2, { cache: false }))
      await again(old, double(3))
      await again(now, double(2))
      await again(old, double(2))
      expect([old.calls, now.calls]).toEqual([[2, 2, 3], [2]])
    })

    it('runs a step whose kept output is not what its tool gives now, or not what the step expects', async () => {
      const journal = open()
      const { tool, calls } = counted()
      await using runtime = createRuntime({ tools: [tool], journal })
      await runtime.start(planOf([double(2)])).result
      const expecting = runtime.start(planOf([double(2, { expect: { required: ['m'] }, onFailure: 'skip' })]))
      await expecting.result
      expect([...expecting.ledger()]).toMatchObject([{ failure: { code: 'EXPECTATION_BROKEN' } }])
      const other = counted('1', { output: z.object({ n: z.number().max(3) }), run: () => ({ n: 1 }) })
      await using later = createRuntime({ tools: [other.tool], journal: { ...pick(journal), close: () => undefined } })
      const run = later.start(planOf([double(2)]))
      await run.result
      expect([calls, run.output('a')]).toEqual([[2, 2], { n: 1 }])
    })

    it('keeps no surprise and no failure', async () => {
      const journal = open()
      const { tool, calls } = counted()
      await using runtime = createRuntime({ tools: [tool], journal })
      const step = double(2, { expect: { required: ['m'] }, onFailure: 'skip' })
      await runtime.start(planOf([step])).result
      await runtime.start(planOf([step])).result
      expect(calls).toEqual([2, 2])
    })

    it('serves the children of a forEach one by one', async () => {
      const journal = open()
      const { tool, calls } = counted()
      const list = defineTool({
        name: 'list',
        description: 'Lists.',
        input: z.object({ numbers: z.array(z.number()) }),
        output: z.array(z.number()),
        run: ({ numbers }) => numbers,
      })
      await using runtime = createRuntime({ tools: [tool, list], journal })
      for (const numbers of [
        [1, 2],
        [2, 3],
      ]) {
        const run = runtime.start(
          planOf([
            { id: 'list', tool: 'list', input: { numbers } },
            { id: 'each', tool: 'double', cache: true, forEach: from('list'), input: { n: { $item: '' } } },
          ]),
        )
        await run.result
        expect(run.output('each')).toEqual(numbers.map((n) => ({ n: 2 * n })))
      }
      expect(calls.toSorted()).toEqual([1, 2, 3])
    })

    it('keeps outputs no longer than it should', async () => {
      let now = 0
      const journal = open({ reuse: { maxAgeMs: 1_000 }, now: () => now })
      const { tool, calls } = counted()
      await using runtime = createRuntime({ tools: [tool], journal })
      await runtime.start(planOf([double(2)])).result
      now = 1_000
      await runtime.start(planOf([double(2)])).result
      expect(calls).toEqual([2])
      now = 1_001
      expect(journal.reuse?.find('step', 'none')).toBeUndefined()
      await runtime.start(planOf([double(2)])).result
      expect(calls).toEqual([2, 2])
      now = 3_000
      expect(journal.reuse?.drop('expired').entries).toBe(1)
      expect(journal.reuse?.drop('all')).toEqual({ entries: 0, bytes: 0 })
    })

    it('never holds more than its limit, and gives what was kept last under a key or nothing (U1–U4)', () => {
      const entry = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), size: fc.nat(300) })
      fc.assert(
        fc.property(fc.array(fc.oneof(entry, fc.constantFrom('a', 'b', 'c')), { maxLength: 40 }), (work) => {
          let now = 0
          const { reuse } = open({ reuse: { maxBytes: 1_000 }, now: () => now })
          if (reuse === undefined) throw new Error('it keeps nothing')
          const last = new Map<string, string>()
          for (const one of work) {
            now += 60_000
            if (typeof one === 'string') reuse.forget('step', one)
            else reuse.keep({ kind: 'step', key: one.key, name: 't', value: `${String(now)}${'x'.repeat(one.size)}` })
            if (typeof one === 'string') last.delete(one)
            else last.set(one.key, `${String(now)}${'x'.repeat(one.size)}`)
            let bytes = 0
            for (const key of 'abcde') {
              const value = reuse.find('step', key)?.value
              if (value === undefined) continue
              expect(value).toBe(last.get(key))
              bytes += Buffer.byteLength(JSON.stringify(value))
            }
            expect(bytes).toBeLessThanOrEqual(1_000)
            if (typeof one !== 'string' && one.size < 100) expect(reuse.find('step', one.key)).toBeDefined()
            expect(reuse.find('plan', 'a')).toBeUndefined()
          }
        }),
        { numRuns: 30 },
      )
    })

    it('runs a step, with a warning, where what is kept cannot be read', async () => {
      const { reuse: _reuse, ...journal } = pick(open())
      const broken = {
        ...journal,
        reuse: {
          find: () => {
            throw new Error('no luck')
          },
          keep: () => undefined,
          forget: () => undefined,
          drop: () => ({ entries: 0, bytes: 0 }),
        },
      }
      const warnings: string[] = []
      const hear = (warning: Error): void => void warnings.push(warning.message)
      process.on('warning', hear)
      const { tool } = counted()
      await using runtime = createRuntime({ tools: [tool], journal: broken })
      expect((await runtime.start(planOf([double(2)])).result).reason).toBe('done')
      await new Promise((resolve) => setImmediate(resolve))
      process.off('warning', hear)
      expect(warnings.join()).toContain('no luck')
    })

    it('keeps plans for the cached planner', async () => {
      const journal = open()
      let asked = 0
      const inner = createGoalPlanner()
      const counting = {
        ...inner,
        plan: (...args: Parameters<typeof inner.plan>) => ((asked += 1), inner.plan(...args)),
      }
      const goal = { text: 'double', want: [{ fact: 'doubled' }], facts: { n: 2 } }
      const { tool } = counted('1', { needs: { n: 'n' } })
      const planner = (): ReturnType<typeof createCachedPlanner> =>
        createCachedPlanner(counting, { store: journalPlanStore(journal) })
      await using runtime = createRuntime({ tools: [tool], journal })
      for (const run of [runtime.start(goal, { planner: planner() })]) await run.result
      const second = runtime.start(goal, { planner: planner() })
      expect((await second.result).reason).toBe('done')
      expect(asked).toBe(1)
    })
  })
}

/** A journal's functions, to be given another end. */
function pick(journal: Journal): Journal {
  return {
    create: (id) => journal.create(id),
    open: (id) => journal.open(id),
    read: (id, at) => journal.read(id, at),
    runs: (filter) => journal.runs(filter),
    close: () => journal.close(),
    ...(journal.reuse && { reuse: journal.reuse }),
  }
}
