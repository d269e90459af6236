// The graph: dependencies that lead nowhere, steps that wait for each other, assumptions about steps that are not there.
import { distance } from 'fastest-levenshtein'
import type { Finding } from '../finding.ts'
import { dependenciesOf, referencesIn } from '../references.ts'
import type { Plan, Step } from '../schema.ts'
import { problem } from './report.ts'

export function checkGraph(plan: Plan, byId: ReadonlyMap<string, Step>): Finding[] {
  const findings: Finding[] = []
  for (const [index, step] of plan.steps.entries()) findings.push(...findDangling(step, index, byId))
  for (const [index, assumption] of plan.assumptions.entries()) {
    for (const [nth, id] of assumption.steps.entries()) {
      if (byId.has(id)) continue
      const message = `Assumption "${assumption.id}" names the step "${id}", which is not in the plan.`
      findings.push(problem('ASSUMPTION_UNKNOWN', ['assumptions', index, 'steps', nth], undefined, message, hintFor(id, byId)))
    }
  }
  const indexes = new Map(plan.steps.map((step, index) => [step.id, index]))
  for (const cycle of findCycles(plan.steps, byId)) {
    const [first = ''] = cycle
    const message = cycle.length === 2 ? `Step "${first}" waits for itself.` : `These steps wait for each other: ${cycle.join(' → ')}.`
    findings.push(problem('PLAN_CYCLE', ['steps', indexes.get(first) ?? 0], first, message, 'Take one of these dependencies out.'))
  }
  return findings
}

/** The name in `names` that is most like `name`, when it is alike at all. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const other of names) {
    if (Math.abs(other.length - name.length) >= least) continue
    const edits = distance(name.toLowerCase(), other.toLowerCase())
    if (edits < least) {
      least = edits
      best = other
    }
  }
  return best
}

function hintFor(id: string, byId: ReadonlyMap<string, Step>): string {
  const like = nearest(id, byId.keys())
  return like === undefined ? 'Name a step of this plan, or add it.' : `Did you mean "${like}"?`
}

function findDangling(step: Step, index: number, byId: ReadonlyMap<string, Step>): Finding[] {
  const findings: Finding[] = []
  const miss = (id: string, place: readonly (string | number)[]): void => {
    if (byId.has(id)) return
    const message = `Step "${step.id}" depends on "${id}", which is not in the plan.`
    findings.push(problem('STEP_UNKNOWN', ['steps', index, ...place], step.id, message, hintFor(id, byId)))
  }
  for (const [nth, id] of (step.after ?? []).entries()) miss(id, ['after', nth])
  if (step.forEach) miss(step.forEach.$from, ['forEach', '$from'])
  if (step.when && '$from' in step.when.value) miss(step.when.value.$from, ['when', 'value', '$from'])
  const seen = new Set<string>()
  for (const { $from } of referencesIn(step.input ?? {})) {
    if (!seen.has($from)) miss($from, ['input'])
    seen.add($from)
  }
  return findings
}

/** One cycle for each strongly connected component that has any (Tarjan 1972, without recursion). */
function findCycles(steps: readonly Step[], byId: ReadonlyMap<string, Step>): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const onStack = new Set<string>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (root: string): void => {
    const frames: { readonly id: string; readonly next: Iterator<string> }[] = []
    const enter = (id: string): void => {
      order.set(id, order.size)
      low.set(id, order.size - 1)
      stack.push(id)
      onStack.add(id)
      const step = byId.get(id)
      frames.push({ id, next: (step ? dependenciesOf(step) : [])[Symbol.iterator]() })
    }
    enter(root)
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { id } = frame
      const next = frame.next.next()
      if (next.done !== true) {
        if (!byId.has(next.value)) continue
        if (!order.has(next.value)) enter(next.value)
        else if (onStack.has(next.value)) low.set(id, Math.min(low.get(id) ?? 0, order.get(next.value) ?? 0))
        continue
      }
      frames.pop()
      const parent = frames.at(-1)
      if (parent) low.set(parent.id, Math.min(low.get(parent.id) ?? 0, low.get(id) ?? 0))
      if (low.get(id) !== order.get(id)) continue
      const component = new Set<string>()
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        onStack.delete(member)
        component.add(member)
        if (member === id) break
      }
      const cycle = cycleWithin(component, id, byId)
      if (cycle) cycles.push(cycle)
    }
  }
  for (const step of steps) if (!order.has(step.id)) visit(step.id)
  return cycles
}

/** A way from `start` through the component back to it. */
function cycleWithin(component: ReadonlySet<string>, start: string, byId: ReadonlyMap<string, Step>): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const open = [start]
  for (const id of open) {
    const step = byId.get(id)
    for (const next of step ? dependenciesOf(step) : []) {
      if (next === start) {
        const way = [start]
        for (let at = id; at !== start; at = cameFrom.get(at) ?? start) way.push(at)
        return [start, ...way.slice(1).reverse(), start]
      }
      if (!component.has(next) || cameFrom.has(next)) continue
      cameFrom.set(next, id)
      open.push(next)
    }
  }
  return undefined
}
