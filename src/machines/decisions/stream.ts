// Plans that stream in: steps are taken one by one, and may go before the plan is whole.
//
// N1. What has begun of a plan that streams in stands as it is; what has not may still come otherwise, or not at all.
import { stepHash } from '../../plan/hash.ts'
import { dependenciesOf } from '../../plan/references.ts'
import type { Plan, Step } from '../../plan/schema.ts'
import { propagate, recount } from './advance.ts'
import { freshEntry, isSettled } from './ledger.ts'
import { removeStep } from './revise.ts'
import { setEntry, type Turn } from './turn.ts'

/** Takes one more step of a plan that is still being written. Its dependencies came before it, or are looked for later. */
export function adoptStreamedStep(turn: Turn, plan: Plan, step: Step): void {
  turn.plan = plan
  turn.steps = turn.steps.set(step.id, step)
  setEntry(turn, step.id, { ...freshEntry, rank: plan.steps.length })
  link(turn, step.id, dependenciesOf(step))
  recount(turn, step.id)
  propagate(turn)
}

/** Why this cannot be the plan whose first steps have streamed in (N1); `undefined` when it can. */
export function findStreamConflict(turn: Turn, plan: Plan): string | undefined {
  const begun = (turn.plan?.steps ?? []).filter(({ id }) => hasBegun(turn, id))
  if (begun.length === 0) return undefined
  const steps = new Map(plan.steps.map((step) => [step.id, step]))
  for (const step of begun) {
    const now = steps.get(step.id)
    if (now !== undefined && stepHash(now) === stepHash(step)) continue
    return `Step "${step.id}" has begun, and in the plan it is ${now === undefined ? 'missing' : 'another'}.`
  }
  return undefined
}

/** Takes back what has not begun of a plan that broke off (N1). */
export function withdrawUnbegun(turn: Turn): void {
  if (turn.plan === undefined || turn.planIsWhole) return
  const steps: Step[] = []
  for (const step of turn.plan.steps) {
    if (hasBegun(turn, step.id)) steps.push(step)
    else removeStep(turn, step.id)
  }
  turn.plan = steps.length === 0 ? undefined : { ...turn.plan, steps }
}

function hasBegun(turn: Turn, id: string): boolean {
  const entry = turn.entries.get(id)
  return entry !== undefined && (entry.attempt > 0 || isSettled(entry.status))
}

function link(turn: Turn, id: string, dependencies: readonly string[]): void {
  for (const dependency of dependencies) {
    turn.dependents = turn.dependents.set(dependency, { id, next: turn.dependents.get(dependency) })
  }
}
