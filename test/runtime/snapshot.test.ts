// Snapshots: going on from one is going on from all the events before it.
import fc from 'fast-check'
import { List, Map as PersistentMap, Set as PersistentSet } from 'immutable'
import { expect, it } from 'vitest'
import type { JournalEvent, RunSnapshot, StoredSnapshot } from '../../src/journal/journal.ts'
import type { CoordinatorContext } from '../../src/machines/coordinator.context.ts'
import { CoordinatorFold, type CoordinatorStanding } from '../../src/machines/coordinatorFold.ts'
import type { RunStarted } from '../../src/machines/coordinator.messages.ts'
import type { ReadyQueue } from '../../src/machines/decisions/readyQueue.ts'
import { canonicalJson } from '../../src/plan/hash.ts'
import type { Json } from '../../src/plan/json.ts'
import { readSnapshot, takeSnapshot } from '../../src/runtime/snapshot/snapshot.ts'
import type { Executor } from '../../src/actors/executors/executor.ts'
import { createRuntime, memoryJournal } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { scenarios } from '../arbitraries/scenarios.ts'
import { playScenario } from '../support/scenarioRun.ts'

/** As a file would give it back. */
function stored(snapshot: RunSnapshot): StoredSnapshot {
  const { seq, format, parts, values } = JSON.parse(JSON.stringify(snapshot)) as RunSnapshot
  return { seq, format, part: (name) => parts[name], value: (index) => values[index] ?? null }
}

/** What a turn notes for itself. */
const scratch: readonly string[] = ['ended', 'expanding']

/** All that a coordinator holds, as text; ready steps in order of their ids, since equal queues may be built differently. */
function textOf({ state, context }: CoordinatorStanding, leaveOut: readonly (keyof CoordinatorContext)[] = []): string {
  const plain = Object.fromEntries(
    Object.entries(context)
      .filter(([key, value]) => value !== undefined && ![...leaveOut, ...scratch].includes(key))
      .map(([key, value]) => [key, key === 'ready' ? readyOf(context.ready) : plainOf(value)]),
  )
  return canonicalJson({ state, ...plain })
}

function plainOf(value: unknown): unknown {
  if (PersistentMap.isMap(value)) return Object.fromEntries([...value].map(([key, one]) => [key, plainOf(one)]))
  if (PersistentSet.isSet(value)) return [...value].sort()
  if (List.isList(value)) return [...value].map(plainOf)
  if (Array.isArray(value)) return value.map(plainOf)
  if (typeof value !== 'object' || value === null) return value ?? null
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [key, plainOf(one)]),
  )
}

function readyOf(ready: CoordinatorContext['ready']): unknown {
  const all = (queue: ReadyQueue | undefined): string[] =>
    queue === undefined ? [] : [`${String(queue.rank)} ${queue.id}`, ...all(queue.left), ...all(queue.right)]
  return Object.fromEntries([...ready].map(([lane, queue]) => [lane, all(queue).sort()]))
}

/** A snapshot at this event holds all that the coordinator does, and it goes on from there as from all events. */
function expectSame(events: readonly JournalEvent[], at: number): void {
  const [first, ...rest] = events as [RunStarted, ...Exclude<JournalEvent, RunStarted>[]]
  const straight = new CoordinatorFold(first)
  for (const event of rest.slice(0, at)) straight.take(event)
  const read = readSnapshot(stored(takeSnapshot(at, straight)), first)
  if (read === undefined) throw new Error('The snapshot was not taken up.')
  // Of the event in hand, its commands are not kept: they have gone out.
  expect(textOf(read, ['commands'])).toBe(textOf(straight, ['commands']))
  const resumed = new CoordinatorFold(read)
  for (const event of rest.slice(at)) {
    straight.take(event)
    resumed.take(event)
    // An event that the chart does not take leaves the commands of the one before it standing.
    const leaveOut = straight.context.eventId === event.id ? [] : (['commands'] as const)
    expect(textOf(resumed, leaveOut)).toBe(textOf(straight, leaveOut))
  }
}

it('holds all that the coordinator holds, and a run goes on from it as from its events', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(scenarios(), fc.nat(), async (scenario, cut) => {
      const { run, journal } = await playScenario(scenario)
      const events: JournalEvent[] = []
      for await (const event of journal.read(run.id)) events.push(event)
      expectSame(events, cut % events.length)
    }),
    { numRuns: Number(process.env['PLANLOOM_LAW_RUNS'] ?? 60) },
  )
}) // prettier-ignore

it('holds what attempts have asked, and what they were told', async () => {
  const journal = memoryJournal()
  const asker: Executor = {
    role: 'asker',
    execute: async (_work, { ask }) => ({ output: [await ask?.('Which?'), await ask?.('Where?')] as Json }),
  }
  await using runtime = createRuntime({ executors: [asker], journal })
  const run = runtime.start(planOf([{ id: 'a', executor: 'asker', instruction: 'Ask.' }]))
  for (const answer of ['this', 'here']) {
    await expect.poll(() => run.questions).toHaveLength(1)
    run.answer('a', answer, { by: 'ann' })
  }
  await run.result
  const events = [...(journal.read(run.id) as Iterable<JournalEvent>)]
  expect(events.filter(({ type }) => type === 'step.asked')).toHaveLength(2)
  for (const { seq } of events) expectSame(events, seq)
})

it('is not used where another version has written it, or the coordinator holds other things', () => {
  const first: RunStarted = {
    type: 'run.started',
    id: 'e0',
    at: 1,
    runId: 'r',
    goal: { text: 'x' },
    planner: 'p',
    tools: {},
    settings: {
      limits: {} as RunStarted['settings']['limits'],
      approval: 'none',
      dispatch: 'eager',
      seed: 1,
    },
  }
  const snapshot = takeSnapshot(0, new CoordinatorFold(first))
  expect(readSnapshot(stored(snapshot), first)?.state).toBe('planning')
  expect(readSnapshot({ ...stored(snapshot), format: snapshot.format + 1 }, first)).toBeUndefined()
  const head = { ...(snapshot.parts['head'] as Record<string, Json>), shape: 'other' }
  expect(readSnapshot(stored({ ...snapshot, parts: { ...snapshot.parts, head } }), first)).toBeUndefined()
})
