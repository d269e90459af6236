// A service that starts goes on with what its predecessor left.
import { describe, expect, it } from 'vitest'
import {
  createFixedPlanner,
  createRuntime,
  memoryJournal,
  type Journal,
  type Planner,
  type RunLeft,
  type Tool,
} from '../../src/runtime/index.ts'
import { journalLeft } from '../support/lostProcess.ts'
import { planOf } from '../support/plans.ts'
import { echo, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const waiting = planOf([{ id: 'a', tool: 'wait', input: { ms: 100 } }])
const planner: Planner = { name: 'p', plan: ({ goal }) => (goal.text === 'part' ? waiting : { steps: [{ id: 'part', goal: { text: 'part' } }] }) } // prettier-ignore

/** What a process leaves that had these runs under way, and one that was over. */
async function left(runs: Readonly<Record<string, { labels?: Record<string, string>; tools?: Tool[] }>>): Promise<Journal> {
  const clock = new VirtualClock()
  const journal = memoryJournal()
  const runtime = createRuntime({ tools: [waitTool(clock), echo], clock, journal, planner })
  await clock.until(runtime.start(planOf([{ id: 'a', tool: 'echo' }]), { runId: 'over' }).result)
  for (const [runId, { labels }] of Object.entries(runs)) {
    if (runId.startsWith('parent')) runtime.start('all', { runId })
    else runtime.start(waiting, { runId, planner: createFixedPlanner(waiting), ...(labels && { labels }) })
    await clock.advance(1)
  }
  await clock.advance(5)
  const kept = journalLeft(journal)
  await clock.until(runtime.close())
  return kept
} // prettier-ignore

const codesOf = (runs: readonly RunLeft[]): unknown[] =>
  runs.map(({ runId, error }) => [runId, (error as { readonly code?: unknown }).code])

describe('resumeAll', () => {
  it('goes on with every run that is not over, oldest first, and with sub-runs once, by their parents', async () => {
    const journal = await left({ one: {}, parent: {}, two: {} })
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock), echo], journal, clock, planner })
    const fixed = createFixedPlanner(waiting)
    const { resumed, owned, failed } = await runtime.resumeAll({
      planner: ({ runId }) => (runId === 'parent' ? undefined : fixed),
      by: 'start of the service',
    })
    expect(resumed.map(({ id }) => id)).toEqual(['one', 'parent', 'two'])
    expect([owned, failed]).toEqual([[], []])
    expect((await runtime.resumeAll({ planner: fixed })).resumed).toEqual([]) // they are here already
    for (const run of resumed) expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(runtime.runs.map(({ id }) => id)).toHaveLength(4)
    expect(await runtime.resumeAll()).toEqual({ resumed: [], owned: [], failed: [] })
  })

  it('names those that others have, that have changed, and that are broken, and goes on with the rest', async () => {
    const journal = await left({ owned: {}, broken: {}, changed: {}, fine: {} })
    const clock = new VirtualClock()
    void journal.open('owned')
    const damaged: Journal = {
      ...journal,
      read: (runId) => (runId === 'broken' ? [] : journal.read(runId)),
    }
    await using runtime = createRuntime({ tools: [waitTool(clock), echo], journal: damaged, clock })
    const { resumed, owned, failed } = await runtime.resumeAll({
      planner: ({ runId }) => (runId === 'changed' ? planner : createFixedPlanner(waiting)),
    })
    expect(resumed.map(({ id }) => id)).toEqual(['fine'])
    expect(codesOf(owned)).toEqual([['owned', 'RUN_OWNED']])
    expect(codesOf(failed)).toEqual([
      ['broken', 'JOURNAL_BROKEN'],
      ['changed', 'RUN_CHANGED'],
    ])
    expect(await clock.until(resumed[0]!.result)).toMatchObject({ reason: 'done' })
    const again = await runtime.resumeAll({ changes: 'accept', planner: createFixedPlanner(waiting) })
    expect(again.resumed.map(({ id }) => id)).toEqual(['changed'])
  })

  it('takes only those with some labels, where it is told so', async () => {
    const journal = await left({ red: { labels: { team: 'red' } }, blue: { labels: { team: 'blue' } } })
    await using runtime = createRuntime({ tools: [waitTool(new VirtualClock()), echo], journal })
    const { resumed } = await runtime.resumeAll({ labels: { team: 'red' }, planner: createFixedPlanner(waiting) })
    expect(resumed.map(({ id }) => id)).toEqual(['red'])
  })

  it('says what is wrong with its options', async () => {
    await using runtime = createRuntime()
    await expect(runtime.resumeAll({ labels: { n: 1 } } as never)).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
    await expect(runtime.resumeAll({ label: {} } as never)).rejects.toThrow(/did you mean "labels"/)
  })
})
