// Watching: every transition once, in order, without gaps, whenever one begins to watch.
import { describe, expect, it } from 'vitest'
import { createFixedPlanner, createRuntime, memoryJournal, type Transition } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { collectTransitions } from '../support/runs.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const chain = planOf(
  Array.from({ length: 20 }, (_, index) => ({
    id: `s${String(index)}`,
    tool: 'wait',
    input: { ms: 10 },
    ...(index > 0 && { after: [`s${String(index - 1)}`] }),
  })),
)

function numbersOf(transitions: readonly Transition[]): number[] {
  return transitions.map(({ n }) => n)
}

describe('transitions', () => {
  it.each([0, 5, 11])(
    'from number %i, asked for in the middle of a run, are those that were and those to come',
    async (from) => {
      const clock = new VirtualClock()
      await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
      const run = runtime.start(chain)
      const whole = collectTransitions(run)
      await clock.runUntil(105)
      const late = collectTransitions(run, from)
      await clock.until(run.result)
      expect(numbersOf(whole.seen)).toEqual(Array.from({ length: whole.seen.length }, (_, n) => n))
      expect(late.seen).toEqual(whole.seen.slice(from))
      expect([whole.isComplete(), late.isComplete()]).toEqual([true, true])
    },
  )

  it('asked for after the end are all told, and complete', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(chain)
    const live = collectTransitions(run)
    await clock.until(run.result)
    const late = collectTransitions(run)
    expect(late.seen).toEqual(live.seen)
    expect(late.isComplete()).toBe(true)
  })

  it('come without gaps to a watcher that acts on what it sees', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(chain)
    const seen: number[] = []
    run.transitions().subscribe((transition) => {
      seen.push(transition.n)
      if (transition.event.type === 'step.succeeded' && transition.event.stepId === 's3') run.report('seen', 's3')
    })
    await clock.until(run.result)
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, n) => n))
    expect(run.fact('seen')?.value).toBe('s3')
  })

  it('that nobody listens to any more cost nothing', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], clock })
    const run = runtime.start(chain)
    const seen: number[] = []
    const subscription = run.transitions().subscribe(({ n }) => {
      seen.push(n)
    })
    await clock.runUntil(50)
    subscription.unsubscribe()
    const { length } = seen
    await clock.until(run.result)
    expect(seen).toHaveLength(length)
  })

  it('carry the number that their event has in the journal, and what changed', async () => {
    const journal = memoryJournal()
    await using runtime = createRuntime({
      tools: [echo, fail],
      journal,
      planner: createFixedPlanner(
        planOf([
          { id: 'a', tool: 'fail' },
          { id: 'b', tool: 'echo', after: ['a'] },
        ]),
        { replan: () => ({ patch: [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'echo' } }] }) },
      ),
    })
    const run = runtime.start('goal')
    const { seen } = collectTransitions(run)
    await run.result
    const events = [...(journal.read(run.id) as Iterable<{ readonly seq: number; readonly type: string }>)]
    expect(seen.map(({ n, event }) => [n, event.type])).toEqual(events.map(({ seq, type }) => [seq, type]))
    const failed = seen.find(({ event }) => event.type === 'step.failed')
    expect(failed).toMatchObject({ state: 'replanning', revision: 1, steps: [{ id: 'a', status: 'failed' }] })
    expect(seen.at(-1)).toMatchObject({ state: 'completed', revision: 2 })
  })

  it('leave progress out, which is told beside them', async () => {
    const clock = new VirtualClock()
    const slow = waitTool(clock)
    const telling = {
      ...slow,
      run: async (input: unknown, context: Parameters<typeof slow.run>[1]) => (
        context.progress({ done: 1, total: 2, text: 'half' }),
        slow.run(input, context)
      ),
    }
    await using runtime = createRuntime({ tools: [telling], clock })
    const run = runtime.start(planOf([{ id: 'a', tool: 'wait', input: { ms: 10 } }]))
    const told: unknown[] = []
    run.progress.subscribe((progress) => told.push(progress))
    const { seen } = collectTransitions(run)
    await clock.until(run.result)
    expect(told).toEqual([{ stepId: 'a', attempt: 1, at: 0, done: 1, total: 2, text: 'half' }])
    expect(seen.map(({ event }) => event.type)).not.toContain('step.progressed')
  })

  it('from a number that is yet to come begin there', async () => {
    await using runtime = createRuntime({ tools: [echo] })
    const run = runtime.start(
      planOf([
        { id: 'a', tool: 'echo' },
        { id: 'b', tool: 'echo', after: ['a'] },
      ]),
    )
    const seen: number[] = []
    run.transitions(2).subscribe(({ n }) => seen.push(n))
    await run.result
    expect(seen).toEqual([2])
  })
})
