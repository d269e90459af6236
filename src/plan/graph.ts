// The plan as a graph: who depends on whom, who can do without whom, and where it bites its own tail.
import { dependenciesOf, isChildOf } from './references.ts'
import type { Plan, Step } from './schema.ts'

/** Ids of the steps that depend on each step. Time and memory grow with steps + dependencies. */
export function dependentsById(steps: Iterable<Step>): Map<string, string[]> {
  const dependents = new Map<string, string[]>()
  for (const step of steps) {
    for (const id of dependenciesOf(step)) {
      const list = dependents.get(id)
      if (list) list.push(step.id)
      else dependents.set(id, [step.id])
    }
  }
  return dependents
}

/** Whether a step goes on when one of its dependencies was skipped, abandoned or failed: because it says so
 * (`onSkipped: 'run'`), or because it gathers that one's output, where `null` takes the place of what is missing. */
export function canDoWithout(step: Step, dependencyId: string): boolean {
  return step.onSkipped === 'run' || isChildOf(dependencyId, step)
}

/** The step and all that depends on it, directly or not, and cannot do without it.
 *
 * @param plan a plan, or its steps. Time and memory grow with steps + dependencies.
 * @example
 * import { branchOf, parsePlan } from 'planloom/plan'
 * const steps = [{ id: 'a', tool: 't' }, { id: 'b', tool: 't', after: ['a'] }, { id: 'c', tool: 't' }]
 * const plan = parsePlan({ id: 'p', goal: { text: 'go' }, steps })
 * branchOf(plan, 'a') // new Set(['a', 'b'])
 */
export function branchOf(plan: Plan | Iterable<Step>, rootId: string): ReadonlySet<string> {
  const byId = new Map<string, Step>()
  for (const step of Symbol.iterator in plan ? plan : plan.steps) byId.set(step.id, step)
  return branchIn(byId, dependentsById(byId.values()), rootId)
}

/** The same, where steps and dependents are at hand already. Of `dependents`, those that no longer depend are left out. */
export function branchIn(
  byId: { readonly get: (id: string) => Step | undefined },
  dependents: ReadonlyMap<string, readonly string[]>,
  rootId: string,
): ReadonlySet<string> {
  const branch = new Set([rootId])
  const open = [rootId]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const dependentId of dependents.get(id) ?? []) {
      const dependent = byId.get(dependentId)
      if (dependent === undefined || branch.has(dependentId) || canDoWithout(dependent, id)) continue
      if (!dependenciesOf(dependent).includes(id)) continue
      branch.add(dependentId)
      open.push(dependentId)
    }
  }
  return branch
}

/** One cycle among the steps that can be reached from `from` by dependencies, as ids; `undefined` where there is none. */
export function findCycle(
  byId: { readonly get: (id: string) => Step | undefined },
  from: Iterable<string>,
): readonly string[] | undefined {
  const done = new Set<string>()
  for (const start of from) {
    if (done.has(start) || byId.get(start) === undefined) continue
    const path: { readonly id: string; readonly next: Iterator<string> }[] = []
    const onPath = new Set<string>()
    const enter = (id: string, step: Step): void => {
      onPath.add(id)
      path.push({ id, next: dependenciesOf(step)[Symbol.iterator]() })
    }
    enter(start, byId.get(start) as Step)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.next.next()
      if (next.done === true) {
        path.pop()
        onPath.delete(top.id)
        done.add(top.id)
        continue
      }
      const id = next.value
      if (onPath.has(id))
        return [...path.slice(path.findIndex((entry) => entry.id === id)).map((entry) => entry.id), id]
      const step = done.has(id) ? undefined : byId.get(id)
      if (step !== undefined) enter(id, step)
    }
  }
  return undefined
}
