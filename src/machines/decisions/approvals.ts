// Which plans and amendments wait until somebody approves them.
//
// V1. `required`: all. `effects`: those with steps that have effects, or that add such steps.
// V2. Where what steps gave may have a say in amendments (`amendments: 'effects'`): also those that change what a step with effects
//     rests on, however far before it. What such a step does was settled before anybody's text had been read.
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

function addsEffects(turn: Turn, operation: Operation): boolean {
  if (operation.op !== 'insert' && operation.op !== 'replace') return false
  return hasEffects(turn.run, operation.step)
}

/** V2: looks at each step of the plan as it would be. One that cannot be applied does not wait: it is refused. */
function hasSayInEffects(turn: Turn, patch: Patch): boolean {
  if (turn.plan === undefined) return false
  const changed = patch.operations.flatMap(changedBy)
  if (changed.length === 0) return false
  let next: Plan
  try {
    next = applyPatch(turn.plan, patch)
  } catch {
    return false
  }
  const behind = allBehind(next, changed)
  return next.steps.some((step) => behind.has(step.id) && isStillToCome(turn, step) && mayHaveEffects(turn, step))
}

function changedBy(operation: Operation): readonly string[] {
  switch (operation.op) {
    case 'insert':
      return [operation.step.id]
    case 'replace':
    case 'rewire':
    case 'remove':
    case 'abandon':
      return [operation.id]
    case 'reorder':
    case 'assume':
    case 'unassume':
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
