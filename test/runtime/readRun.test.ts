// A run as its journal tells it: at any moment it is what was seen then.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRuntime, memoryJournal, readRun, type JournalEvent, type Replay } from '../../src/runtime/index.ts'
import { scenarios } from '../arbitraries/scenarios.ts'
import { planOf } from '../support/plans.ts'
import { playScenario } from '../support/scenarioRun.ts'
import { echo } from '../support/tools.ts'

const standing = (run: Omit<Replay, 'transitions' | 'revisions'>) => ({
  state: run.state,
  revision: run.plan?.revision ?? 0,
  ledger: [...run.ledger()],
  facts: [...run.facts()],
})

describe('a run at a moment', () => {
  it('is what the events up to then make of it, however it is asked for', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(), fc.nat(), async (scenario, any) => {
        const { run, journal, transitions } = await playScenario(scenario)
        const n = any % transitions.length
        const read = await readRun(journal, run.id, { at: n })
        const seen = transitions[n]
        expect([read.state, read.plan?.revision ?? 0]).toEqual([seen?.state, seen?.revision])
        expect(standing(run.at(n))).toEqual(standing(read))
        expect(read.transitions).toEqual(transitions.slice(0, n + 1))
        // Each step is as the latest transition that changed it said.
        const latest = new Map(transitions.slice(0, n + 1).flatMap(({ steps }) => steps.map((step) => [step.id, step])))
        for (const step of read.ledger()) expect(latest.get(step.id) ?? step).toEqual(step)
      }),
      { numRuns: 60 },
    )
  })

  it('is the end where no moment is said', async () => {
    const journal = memoryJournal()
    await using runtime = createRuntime({ tools: [echo], journal })
    const run = runtime.start(planOf([{ id: 'a', tool: 'echo', input: { text: 'x' } }]))
    const outcome = await run.result
    const read = await readRun(journal, run.id)
    expect(read.outcome).toEqual(outcome)
    expect(standing(read)).toEqual(standing(run as never))
  })

  it.each([-1, 1.5, 99])('is refused for %d, with the numbers that there are', async (at) => {
    const journal = memoryJournal()
    await using runtime = createRuntime({ tools: [echo], journal })
    const run = runtime.start(planOf([{ id: 'a', tool: 'echo', input: { text: 'x' } }]))
    await run.result
    const events = [...(journal.read(run.id) as Iterable<JournalEvent>)]
    const refusal = { code: 'EVENT_UNKNOWN', where: { runId: run.id } }
    await expect(readRun(journal, run.id, { at })).rejects.toMatchObject(refusal)
    expect(() => run.at(at)).toThrow(expect.objectContaining(refusal) as Error)
    await expect(readRun(journal, run.id, { at: 99 })).rejects.toThrow(`its last one is ${String(events.length - 1)}`)
  })
})
