// What a runtime keeps of runs that are over: enough to look at, and never more because it has run for longer.
import { describe, expect, it } from 'vitest'
import { createFixedPlanner, createRuntime, memoryJournal } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { echo, fail } from '../support/tools.ts'

const onePlan = planOf([{ id: 'a', tool: 'echo' }])

describe('a runtime that has run for long', () => {
  it('lists the latest runs that are over, and whoever holds an older one still reads it', async () => {
    await using runtime = createRuntime({ tools: [echo], keepRuns: 2 })
    const runs = []
    for (const runId of ['one', 'two', 'three', 'four']) {
      const run = runtime.start(onePlan, { runId })
      await run.result
      runs.push(run)
    }
    expect(runtime.runs.map(({ id }) => id)).toEqual(['three', 'four'])
    expect(runs[0]?.step('a')?.status).toBe('succeeded')
  })

  it('lists every live run, however many there are', async () => {
    const runtime = createRuntime({ keepRuns: 0 })
    for (const runId of ['one', 'two']) runtime.start(planOf([{ id: 'a', instruction: 'wait' }]), { runId })
    expect(runtime.runs.map(({ id }) => id)).toEqual(['one', 'two'])
    await runtime.close()
    expect(runtime.runs).toEqual([])
  })

  it('has a memory journal that drops the record of the run that has been over for longest', async () => {
    const journal = memoryJournal({ keepRuns: 2 })
    await using runtime = createRuntime({ tools: [echo], journal })
    for (const runId of ['one', 'two', 'three']) await runtime.start(onePlan, { runId }).result
    expect([...(journal.runs() as Iterable<{ readonly runId: string }>)].map(({ runId }) => runId)).toEqual([
      'three',
      'two',
    ])
    expect(() => journal.read('one')).toThrow(expect.objectContaining({ code: 'RUN_UNKNOWN' }))
  })
})

describe('a run that is over', () => {
  it('says so to every command but cancel, which asks for nothing more', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(onePlan)
    await run.result
    const over = expect.objectContaining({ code: 'RUN_OVER', where: { runId: run.id } }) as unknown
    expect(() => run.retry('a')).toThrow(over)
    expect(() => run.approve()).toThrow(over)
    expect(() => run.pause()).toThrow(over)
    expect(() => run.report('fact', 1)).toThrow(over)
    expect(() => run.edit([{ op: 'insert', step: { id: 'b', tool: 'echo' } }])).toThrow(over)
    run.cancel()
    expect(run.outcome?.reason).toBe('done')
  })

  it('gives the same revisions each time they are asked for', async () => {
    const planner = createFixedPlanner(planOf([{ id: 'a', tool: 'fail' }]), {
      replan: () => ({
        patch: [
          { op: 'remove', id: 'a' },
          { op: 'insert', step: { id: 'b', tool: 'echo' } },
        ],
      }),
    })
    await using runtime = createRuntime({ tools: [echo, fail], planner })
    const run = runtime.start('goal')
    await run.result
    const [first, second] = run.revisions
    expect([first?.revision, second?.revision]).toEqual([1, 2])
    expect(run.revisions[1]).toBe(second)
    expect(second?.steps.map(({ id }) => id)).toEqual(['b'])
  })
})
