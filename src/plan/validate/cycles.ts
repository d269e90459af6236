// Cycles: one for each group of steps that wait for each other.
import { dependenciesOf } from '../references.ts'
import type { Step } from '../schema.ts'

/** One cycle for each strongly connected component that has any, beginning and ending with its first step in the order given.
 *
 * @see Tarjan 1972, Depth-first search and linear graph algorithms (here without recursion). Time grows with steps + dependencies.
 */
export function findCycles(steps: readonly Step[], byId: ReadonlyMap<string, Step>): string[][] {
  const place = new Map(steps.map((step, index) => [step.id, index]))
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const isOpen = new Set<string>()
  const stack: string[] = []
  const cycles: string[][] = []
  const close = (root: string): void => {
    const component = new Set<string>()
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      isOpen.delete(member)
      component.add(member)
      if (member === root) break
    }
    const first = [...component].reduce((a, b) => ((place.get(b) ?? 0) < (place.get(a) ?? 0) ? b : a))
    const cycle = shortestCycle(component, first, byId)
    if (cycle) cycles.push(cycle)
  }
  for (const { id: root } of steps) {
    if (order.has(root)) continue
    const path: { readonly id: string; readonly rest: Iterator<string> }[] = []
    const enter = (id: string, step: Step): void => {
      order.set(id, order.size)
      low.set(id, order.size - 1)
      stack.push(id)
      isOpen.add(id)
      path.push({ id, rest: dependenciesOf(step)[Symbol.iterator]() })
    }
    const step = byId.get(root)
    if (step !== undefined) enter(root, step)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { id } = top
      const next = top.rest.next()
      if (next.done !== true) {
        const dependency = byId.get(next.value)
        if (dependency === undefined) continue
        if (!order.has(next.value)) enter(next.value, dependency)
        else if (isOpen.has(next.value)) low.set(id, Math.min(low.get(id) ?? 0, order.get(next.value) ?? 0))
        continue
      }
      path.pop()
      const above = path.at(-1)?.id
      if (above !== undefined) low.set(above, Math.min(low.get(above) ?? 0, low.get(id) ?? 0))
      if (low.get(id) === order.get(id)) close(id)
    }
  }
  return cycles
}

/** The shortest way from `start` through the component back to it. */
function shortestCycle(
  component: ReadonlySet<string>,
  start: string,
  byId: ReadonlyMap<string, Step>,
): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const open = [start]
  for (const id of open) {
    const step = byId.get(id)
    for (const next of step === undefined ? [] : dependenciesOf(step)) {
      if (next === start) {
        const way: string[] = []
        for (let at = id; at !== start; at = cameFrom.get(at) ?? start) way.push(at)
        return [start, ...way.reverse(), start]
      }
      if (!component.has(next) || cameFrom.has(next)) continue
      cameFrom.set(next, id)
      open.push(next)
    }
  }
  return undefined
}
