// Which steps an amendment thinks over: those of the trouble, those of the same item, and step by step those behind them.
import type { Step } from '../../../plan/schema.ts'
import type { Standing } from './standing.ts'

/** In the order of the plan. */
export function inPlanOrder(ids: Iterable<string>, { steps, placeOf }: Standing): readonly Step[] {
  const found: Step[] = []
  for (const id of ids) {
    const step = steps.get(id)
    if (step) found.push(step)
  }
  return found.sort((a, b) => (placeOf.get(a.id) ?? 0) - (placeOf.get(b.id) ?? 0))
}

/** With a step of an item, all of the item that has not begun (A1). */
export function withItems(ids: ReadonlySet<string>, standing: Standing): Set<string> {
  const affected = withLifted(ids, standing)
  const items = new Set<string>()
  for (const id of ids) {
    const item = standing.steps.get(id)?.item
    if (item !== undefined) items.add(item)
  }
  for (const item of items) {
    for (const step of standing.byItem.get(item) ?? []) if (isReplaceable(step, standing)) affected.add(step.id)
  }
  return affected
}

export function widen(affected: ReadonlySet<string>, standing: Standing): Set<string> {
  const wider = new Set(affected)
  for (const id of affected) {
    for (const other of standing.dependents.get(id) ?? []) {
      const step = standing.steps.get(other)
      if (step && isReplaceable(step, standing)) wider.add(other)
    }
  }
  return withLifted(wider, standing)
}

export function hasLifted(affected: ReadonlySet<string>, standing: Standing): boolean {
  return [...affected].some((id) => {
    const step = standing.steps.get(id)
    return step?.forEach !== undefined && isReplaceable(step, standing)
  })
}

/** With a step, those that go over its items: what they do follows from it. */
function withLifted(ids: ReadonlySet<string>, standing: Standing): Set<string> {
  const affected = new Set(ids)
  for (const id of affected) {
    for (const other of standing.dependents.get(id) ?? []) {
      const step = standing.steps.get(other)
      if (step?.forEach?.$from === id && isReplaceable(step, standing)) affected.add(other)
    }
  }
  return affected
}

export function isReplaceable(step: Step, { isOpen, toolOf }: Standing): boolean {
  return isOpen(step.id) && step.expanded === undefined && toolOf(step) !== undefined
}

export function replaceable(standing: Standing): ReadonlySet<string> {
  return new Set(standing.plan.steps.filter((step) => isReplaceable(step, standing)).map((step) => step.id))
}
