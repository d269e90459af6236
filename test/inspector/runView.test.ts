// What watchers see of a run is what it is: random runs, folded entry by entry, forwards and backwards.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Run, Transition } from '../../src/index.ts'
import { outlineOf } from '../../src/inspector/feed/outline.ts'
import { RunEntries } from '../../src/inspector/feed/runEntry.ts'
import { runEntrySchema, type RunEntry } from '../../src/inspector/protocol/runEntry.ts'
import { RunView } from '../../src/inspector/view/runView.ts'
import { replayJournal } from '../../src/index.ts'
import { scenarios } from '../arbitraries/scenarios.ts'
import { playScenario } from '../support/scenarioRun.ts'
import { factsOf, statusesOf } from '../support/runs.ts'

function entriesOf(transitions: readonly Transition[]): RunEntry[] {
  const start = transitions[0]?.event
  if (start?.type !== 'run.started') throw new Error('no beginning')
  const entries = new RunEntries(start)
  return transitions.map((transition) => entries.next(transition))
}

/** All that a view shows. */
function shown(view: RunView): unknown {
  const { face, steps, facts, counts } = view
  return structuredClone({ face, steps, facts, counts })
}

function statusesIn(view: RunView): Record<string, string> {
  return Object.fromEntries([...view.steps.values()].map(({ id, status }) => [id, status]))
}

it('V1: the view of a run is the run, whatever happens in it', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios(), async (scenario) => {
      const { run, transitions } = await playScenario(scenario)
      const view = new RunView()
      for (const entry of entriesOf(transitions)) view.take(entry)
      expect(statusesIn(view)).toEqual(statusesOf(run))
      expect([...view.facts.keys()].toSorted()).toEqual(Object.keys(factsOf(run)).toSorted())
      expect(view.face.state).toBe(run.state)
      expect(view.face.outcome?.reason).toBe(run.outcome?.reason)
      expect(outlined(view)).toEqual(outlineOfPlan(run, transitions))
    }),
    { numRuns: 150 },
  )
})

it('V2: undone entry by entry, every earlier view comes back', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios(), async (scenario) => {
      const entries = entriesOf((await playScenario(scenario)).transitions)
      const view = new RunView()
      const seen = [shown(view)]
      const undos = entries.map((entry) => {
        const undo = view.take(entry)
        seen.push(shown(view))
        return undo
      })
      for (const undo of undos.toReversed()) {
        expect(shown(view)).toEqual(seen.pop())
        view.undo(undo)
      }
      expect(shown(view)).toEqual(seen[0])
    }),
    { numRuns: 50 },
  )
})

it('the entries of a run are those of its journal, and what the protocol says they are', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios(), async (scenario) => {
      const { run, journal, transitions } = await playScenario(scenario)
      const entries = entriesOf(transitions)
      const replayed = replayJournal([...(journal.read(run.id) as Iterable<never>)])
      expect(entriesOf(replayed.transitions)).toEqual(entries)
      for (const entry of entries) expect(runEntrySchema.parse(JSON.parse(JSON.stringify(entry)))).toEqual(entry)
    }),
    { numRuns: 50 },
  )
})

function outlined(view: RunView): unknown {
  return view.face.plan.steps.map(({ needs = [], ...step }) => ({ ...step, needs: needs.toSorted() }))
}

function outlineOfPlan(run: Run, transitions: readonly Transition[]): unknown {
  const start = transitions[0]?.event
  if (start?.type !== 'run.started') throw new Error('no beginning')
  return (run.plan?.steps ?? [])
    .map((step) => outlineOf(step, start))
    .map(({ needs = [], ...step }) => ({ ...step, needs: needs.toSorted() }))
}
