// What every journal must do.
import { describe, expect, it } from 'vitest'
import { createRuntime, type Journal, type RunFilter } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { echo, fail } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

export function describeJournal(name: string, open: () => Journal): void {
  describe(name, () => {
    it('keeps the events of a run in order, numbered from 0 without gaps (J2)', async () => {
      const journal = open()
      await using runtime = createRuntime({ tools: [echo], journal })
      const run = runtime.start(
        planOf([
          { id: 'a', tool: 'echo' },
          { id: 'b', tool: 'echo', after: ['a'] },
        ]),
      )
      await run.result
      const events = await all(journal.read(run.id))
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index))
      expect(events.map(({ type }) => type)).toEqual(['run.started', 'step.succeeded', 'step.succeeded'])
      expect(await all(journal.read(run.id, 2))).toEqual(events.slice(2))
    })

    it('lists its runs', async () => {
      const journal = open()
      await using runtime = createRuntime({ tools: [echo], journal })
      await runtime.start(planOf([{ id: 'a', tool: 'echo' }]), { runId: 'one' }).result
      await runtime.start(planOf([]), { runId: 'two' }).result
      expect(await all(journal.runs())).toMatchObject([
        { runId: 'two', goal: 'test', events: 1, state: 'completed', reason: 'done' },
        { runId: 'one', goal: 'test', events: 2, counts: { succeeded: 1 }, revision: 1 },
      ])
    })

    it('lists the runs that fit a filter', async () => {
      const journal = open()
      const clock = new VirtualClock({ startAt: 1_000 })
      await using runtime = createRuntime({ tools: [echo, fail], journal, clock })
      await runtime.start(planOf([]), { runId: 'a', labels: { team: 'red', tier: '1' } }).result
      await clock.advance(1_000)
      await runtime.start(planOf([{ id: 'x', tool: 'fail' }], { goal: { text: 'Fails' } }), {
        runId: 'b',
        labels: { team: 'red' },
      }).result
      const listed = async (filter: RunFilter): Promise<string[]> =>
        (await all(journal.runs(filter))).map(({ runId }) => runId)
      expect(await listed({ state: 'failed' })).toEqual(['b'])
      expect(await listed({ state: ['failed', 'completed'] })).toEqual(['b', 'a'])
      expect(await listed({ goal: 'fAIL' })).toEqual(['b'])
      expect(await listed({ since: 1_500 })).toEqual(['b'])
      expect(await listed({ until: 1_500 })).toEqual(['a'])
      expect(await listed({ labels: { team: 'red' } })).toEqual(['b', 'a'])
      expect(await listed({ labels: { team: 'red', tier: '1' } })).toEqual(['a'])
      expect(await listed({ limit: 1 })).toEqual(['b'])
      expect(await listed({ idPrefix: 'a' })).toEqual(['a'])
      expect(await listed({ goal: '%' })).toEqual([])
    })

    it('has one record of a run, and none of an unknown one', async () => {
      const journal = open()
      await using runtime = createRuntime({ journal })
      await runtime.start(planOf([]), { runId: 'one' }).result
      expect(() => runtime.start(planOf([]), { runId: 'one' })).toThrow(expect.objectContaining({ code: 'RUN_EXISTS' }))
      expect(() => journal.open('two')).toThrow(expect.objectContaining({ code: 'RUN_UNKNOWN' }))
      expect(journal.open('one').next).toBe(1)
    })

    it('has one writer for each run at a time (J4)', () => {
      const journal = open()
      const writer = journal.create('one')
      expect(() => journal.open('one')).toThrow(expect.objectContaining({ code: 'RUN_OWNED' }))
      void writer.close()
      void journal.open('one').close()
      expect(journal.open('one').next).toBe(0)
    })

    it('does not change what was read before (J3)', async () => {
      const journal = open()
      const writer = journal.create('one')
      await using runtime = createRuntime({ journal })
      const run = runtime.start(planOf([]), { runId: 'other' })
      await run.result
      const [first] = await all(journal.read('other'))
      writer.append({ ...first!, seq: 0 })
      await writer.flush()
      const before = await all(journal.read('one'))
      writer.append({ type: 'run.pause', id: 'e1', at: 0, seq: 1 })
      await writer.flush()
      expect(before).toHaveLength(1)
      expect(await all(journal.read('one'))).toHaveLength(2)
    })
  })
}

async function all<T>(values: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}
