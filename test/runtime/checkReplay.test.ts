// Recorded runs as tests of orchestration: what is decided today is compared with what was decided then.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkReplay, createRuntime, memoryJournal, type JournalEvent } from '../../src/runtime/index.ts'
import { scenarios } from '../arbitraries/scenarios.ts'
import { eventsOf } from '../support/lostProcess.ts'
import { planOf } from '../support/plans.ts'
import { playScenario } from '../support/scenarioRun.ts'
import { echo } from '../support/tools.ts'

async function recorded(): Promise<readonly JournalEvent[]> {
  const journal = memoryJournal()
  await using runtime = createRuntime({ tools: [echo], journal })
  const run = runtime.start(
    planOf([
      { id: 'a', tool: 'echo', input: {} },
      { id: 'b', tool: 'echo', after: ['a'] },
      { id: 'c', tool: 'echo', after: ['b'] },
    ]),
  )
  await run.result
  return eventsOf(journal, run.id)
}

describe('a recorded run', () => {
  it(
    'is decided alike by the code that it was recorded with, whatever happened in it',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(scenarios(), async (scenario) => {
          const { run, journal } = await playScenario(scenario)
          const events = eventsOf(journal, run.id)
          const { compared, difference } = checkReplay(events)
          expect(difference).toBeUndefined()
          expect(compared > 0 || events.length < 4).toBe(true)
        }),
        { numRuns: Number(process.env['PLANLOOM_LAW_RUNS'] ?? 60) },
      )
    },
  )

  it('names the event at which decisions first differ, and both of them', async () => {
    const events = await recorded()
    expect(events.map(({ decided = [] }) => decided)).toEqual([[], ['send a/1'], ['send b/1'], ['send c/1']])
    const doctored = events.map((event) => (event.seq === 2 ? { ...event, decided: ['send c/1'] } : event))
    expect(checkReplay(doctored)).toEqual({
      compared: 1,
      comparesEnd: false,
      difference: { seq: 1, then: ['send c/1'], now: ['send b/1'] },
    })
  })

  it('that goes on after today it would be over says so', async () => {
    const events = await recorded()
    const late = { ...events[3], seq: 4, id: 'e4' } as JournalEvent
    expect(checkReplay([...events, late]).difference).toMatchObject({ seq: 3, isOverNow: true })
  })

  it('of an earlier version cannot be compared', async () => {
    const [first, ...rest] = await recorded()
    const { recordsDecisions: _, ...older } = first as Extract<JournalEvent, { readonly type: 'run.started' }>
    expect(checkReplay([older, ...rest])).toEqual({ compared: 0, comparesEnd: false })
    expect(checkReplay([older, ...rest], { state: 'completed', reason: 'done' })).toEqual({
      compared: 0,
      comparesEnd: true,
    })
  })

  it('comes to the end that it came to then, or to another one that is named', async () => {
    const events = await recorded()
    expect(checkReplay(events, { state: 'completed', reason: 'done' })).toEqual({ compared: 3, comparesEnd: true })
    const then = { state: 'failed', reason: 'goal_unmet' }
    expect(checkReplay(events, then).difference).toEqual({
      seq: 3,
      then: [],
      now: [],
      end: { then, now: { state: 'completed', reason: 'done' } },
    })
  })
})
