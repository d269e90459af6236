// Which plans and amendments wait until somebody approves them.
//
// V1. `required`: all. `effects`: those with steps that have effects, or that add such steps.
// V2. Where what steps gave may have a say in amendments (`amendments: 'effects'`): also those that change what a step with effects
//     rests on, however far before it. What such a step does was settled before anybody's text had been read.
// V3. There, a broken assumption that holds back a step with effects is not talked away either: not by taking it out, by saying it
//     anew, or by keeping the plan as it is.
import type { Trouble } from '../reports.messages.ts'
import { applyPatch } from '../../plan/patch.ts'
import { dependenciesOf } from '../../plan/references.ts'
import type { Operation, Patch, Plan, Step } from '../../plan/schema.ts'
import { changesSomething } from '../../plan/toolDescription.ts'
import { hasEffects } from './effects.ts'
import type { Turn } from './turn.ts'

export function planWaits(turn: Turn, plan: Plan): boolean {
  const { approval } = turn.run.settings
  if (approval !== 'effects') return approval === 'required'
  return plan.steps.some((step) => hasEffects(turn.run, step))
}

export function patchWaits(turn: Turn, patch: Patch): boolean {
  const { approval, amendments } = turn.run.settings
  if (approval === 'required') return true
  if (amendments === 'effects') return hasSayInEffects(turn, patch)
  return approval === 'effects' && patch.operations.some((operation) => addsEffects(turn, operation))
}

/** V3: whether the plan may be gone on with as it is, which waives the assumptions that are broken. */
export function keepWaits(turn: Turn, troubles: readonly Trouble[]): boolean {
  if (turn.run.settings.amendments !== 'effects' || turn.plan === undefined) return false
  const held = troubles.flatMap(({ assumption }) =>
    assumption !== undefined && turn.broken.has(assumption.id) ? guardedBy(turn, assumption.id) : [],
  )
  return bearsOnEffects(turn, turn.plan, held)
}

function addsEffects(turn: Turn, operation: Operation): boolean {
  if (operation.op !== 'insert' && operation.op !== 'replace') return false
  return hasEffects(turn.run, operation.step)
}

/** V2: looks at each step of the plan as it would be. One that cannot be applied does not wait: it is refused. */
function hasSayInEffects(turn: Turn, patch: Patch): boolean {
  if (turn.plan === undefined) return false
  const changed = patch.operations.flatMap((operation) => changedBy(turn, operation))
  if (changed.length === 0) return false
  let next: Plan
  try {
    next = applyPatch(turn.plan, patch)
  } catch {
    return false
  }
  return bearsOnEffects(turn, next, changed)
}

/** Whether steps with effects that are still to come are among these steps, or rest on them. */
function bearsOnEffects(turn: Turn, plan: Plan, ids: readonly string[]): boolean {
  if (ids.length === 0) return false
  const behind = allBehind(plan, ids)
  return plan.steps.some((step) => behind.has(step.id) && isStillToCome(turn, step) && mayHaveEffects(turn, step))
}

/** Steps that an assumption of the plan holds back where it breaks. */
function guardedBy({ assumptions }: Turn, id: string): readonly string[] {
  return assumptions.get(id)?.steps ?? []
}

function changedBy(turn: Turn, operation: Operation): readonly string[] {
  switch (operation.op) {
    case 'insert':
      return [operation.step.id]
    case 'replace':
    case 'rewire':
    case 'remove':
    case 'abandon':
      return [operation.id]
    case 'assume':
      return guardedBy(turn, operation.assumption.id)
    case 'unassume':
      return guardedBy(turn, operation.id)
    case 'reorder':
    case 'regoal':
      return []
  }
}

/** These steps, and all that rest on them. */
function allBehind({ steps }: Plan, first: readonly string[]): ReadonlySet<string> {
  const dependents = new Map<string, string[]>()
  for (const step of steps) {
    for (const dependency of dependenciesOf(step)) {
      const known = dependents.get(dependency)
      if (known === undefined) dependents.set(dependency, [step.id])
      else known.push(step.id)
    }
  }
  const found = new Set(first)
  for (const id of found) for (const dependent of dependents.get(id) ?? []) found.add(dependent) // a set grows while it is gone through
  return found
}

function isStillToCome(turn: Turn, { id, abandoned }: Step): boolean {
  const status = turn.entries.get(id)?.status
  return abandoned === undefined && status !== 'running' && status !== 'succeeded'
}

/** A sub-goal may be planned with any tool there is. */
function mayHaveEffects({ run }: Turn, step: Step): boolean {
  if (step.goal !== undefined) return Object.values(run.tools).some(({ effects }) => changesSomething(effects))
  return hasEffects(run, step)
}
