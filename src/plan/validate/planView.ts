// A plan as far as it could be read: what one step has wrong in its shape does not keep the others from being checked.
import type { Assumption, Goal, Step } from '../schema.ts'
import { Suggestions } from './report.ts'

export interface PlacedStep {
  readonly step: Step
  /** Its index in `steps`. */
  readonly index: number
}

export interface PlanView {
  readonly goal: Goal | undefined
  readonly steps: readonly PlacedStep[]
  readonly assumptions: readonly Assumption[]
  readonly byId: ReadonlyMap<string, Step>
  /** All ids, of steps whose shape is wrong as well: nothing that depends on those dangles. */
  readonly ids: ReadonlySet<string>
  readonly likeIds: Suggestions
  /** Arrays and objects of inputs that have references in them; filled as inputs are looked at. */
  readonly holders: WeakSet<object>
}

export function planView(
  goal: Goal | undefined,
  steps: readonly PlacedStep[],
  assumptions: readonly Assumption[],
  ids: ReadonlySet<string>,
): PlanView {
  const byId = new Map<string, Step>()
  for (const { step } of steps) if (!byId.has(step.id)) byId.set(step.id, step)
  return { goal, steps, assumptions, byId, ids, likeIds: new Suggestions(ids), holders: new WeakSet() }
}
