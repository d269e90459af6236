// What always holds of a run: random plans, tools, planners and people, in the real runtime.
//
// A sample runs with all tests. For more: PLANLOOM_LAW_RUNS=5000 npx vitest run test/runtime/laws.test.ts
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scenarios } from '../arbitraries/scenarios.ts'
import { breachesOf } from '../support/runLaws.ts'
import { playScenario } from '../support/scenarioRun.ts'

const numRuns = Number(process.env['PLANLOOM_LAW_RUNS'] ?? 200)

it('every run keeps the ten laws, ends, and is given again by its journal', { timeout: 120_000 + numRuns * 200 }, async () => {
  await fc.assert(
    fc.asyncProperty(scenarios(), async (scenario) => {
      const played = await playScenario(scenario)
      expect(await breachesOf(played)).toEqual([])
    }),
    { numRuns },
  )
}) // prettier-ignore
