// The model planner: a language model writes plans and amendments, under a schema of these tools, and its answers are checked.
//
// L1. Nothing that a model writes is taken for more than it says: what cannot be read is asked for again, with the reason.
// L2. Steps set out as they are written, unless critics are to judge the plan first.
// L3. Calls are bounded: for each round those that `Talk` allows, and rounds by `repairRounds`.
// L4. What steps gave is data in its prompts; it says so of itself (`readsOutputs`), and the runtime minds that.
import type { Model } from '../../../models/model.ts'
import type { Planner } from '../planner.ts'
import { gather } from '../planStream.ts'
import { amend } from './amend.ts'
import { writePlan } from './writePlan.ts'
import { settingsOf, type ModelPlannerOptions } from './settings.ts'

/** Makes a planner of a language model.
 *
 * It is shown the goal, the tools with their schemas, facts and limits, and on trouble the plan, how far it is, and what happened. What is not
 * sound goes back to it with what was found, `rounds` times. Steps of a plan start while the rest is still being written.
 *
 * @param given the model, or options with it.
 * @throws `OPTIONS_INVALID`.
 * @example
 * import { createModelPlanner, type Model } from 'planloom'
 * const usage = { tokens: 9, inputTokens: 8, outputTokens: 1, cachedTokens: 0, cost: 0, calls: 1 }
 * const model: Model = {
 *   name: 'parrot',
 *   complete: async () => ({ end: 'stop', text: '{"giveUp":"no idea"}', calls: [], model: 'parrot-1', usage }),
 * }
 * createModelPlanner({ model, rounds: 1 }).name // 'model'
 */
export function createModelPlanner(given: Model | ModelPlannerOptions): Planner {
  const settings = settingsOf(given)
  const key = {}
  return {
    name: settings.name,
    repairRounds: settings.rounds,
    readsOutputs: true, // L4
    plan: (request, context) => {
      const stream = writePlan({ settings, key, request, context })
      return settings.critics.length > 0 ? gather(stream) : stream // L2
    },
    replan: (request, context) => amend({ settings, key, request, context }),
  }
}
