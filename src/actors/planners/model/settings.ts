// How a model planner goes about it.
import { PlanloomError } from '../../../errors.ts'
import type { Model } from '../../../models/model.ts'
import type { StandsCheck } from '../standsCheck.ts'
import type { Critic } from './critics.ts'

export interface ModelPlannerOptions {
  readonly model: Model
  /** For the head of its plans. @default 'model' */
  readonly name?: string
  /** Judge plans and amendments before they run. Steps are not handed out while the plan is still being written then. */
  readonly critics?: readonly Critic[]
  /** How often it is asked again because its answer was not sound. @default 2 */
  readonly rounds?: number
  /** How often within one answer it may ask to see values in full. @default 2 */
  readonly asks?: number
  /** Tools whose schemas it is shown at once. Where there are more, it first picks from their names. @default 40 */
  readonly maxToolsShown?: number
  /** The same in tokens, as far as they can be estimated. @default 16,000 */
  readonly maxToolTokens?: number
  /** Asked first when there is trouble: whether the plan stands all the same, so that no amendment need be paid for. */
  readonly check?: StandsCheck
  /** Longest answer, in tokens. @default that of the model */
  readonly maxTokens?: number
}

export type ModelPlannerSettings = Required<Omit<ModelPlannerOptions, 'check' | 'maxTokens'>> &
  Pick<ModelPlannerOptions, 'check' | 'maxTokens'>

export function settingsOf(given: Model | ModelPlannerOptions): ModelPlannerSettings {
  const options: ModelPlannerOptions = 'complete' in given ? { model: given } : given
  if (typeof (options as Partial<ModelPlannerOptions>).model?.complete !== 'function') {
    throw new PlanloomError('OPTIONS_INVALID', 'createModelPlanner() was given no model.', {
      hint: 'Give it a model (from createModel(), or one of your own with "name" and "complete"), or options with "model".',
    })
  }
  const { rounds = 2, asks = 2, maxToolsShown = 40, maxToolTokens = 16_000 } = options
  for (const [name, value, least] of [
    ['rounds', rounds, 0],
    ['asks', asks, 0],
    ['maxToolsShown', maxToolsShown, 1],
    ['maxToolTokens', maxToolTokens, 1],
  ] as const) {
    if (Number.isInteger(value) && value >= least) continue
    throw new PlanloomError('OPTIONS_INVALID', `createModelPlanner(): "${name}" is ${String(value)}.`, {
      hint: `Give a whole number, ${String(least)} or more.`,
    })
  }
  return { name: 'model', critics: [], ...options, rounds, asks, maxToolsShown, maxToolTokens }
}
