// From what is wanted to the least-cost way of getting it: poses the problem, bounds it, and searches.
import { boundCosts, leaveOutItems, type Bounds } from './costBounds.ts'
import type { Scope } from './factKey.ts'
import type { Knowledge } from './knowledge.ts'
import { findOrder } from './order.ts'
import { poseProblem, type Extent, type Link, type Problem, type Want } from './posedProblem.ts'
import { findLeastCost, type Solution } from './search.ts'
import type { ToolIndex } from './toolIndex.ts'

export interface SolveOptions {
  readonly index: ToolIndex
  readonly knowledge: Knowledge
  /** Whether the whole is worth having without single items. */
  readonly isPartial: boolean
  readonly budget: number
  /** @default 'whole' */
  readonly extent?: Extent
}

export interface Solved {
  readonly problem: Problem
  readonly bounds: Bounds
  /** Items that nothing can serve. */
  readonly leftOut: readonly Link[]
  /** Wants that nothing can meet; then there is no solution. */
  readonly unmet: readonly Link[]
  readonly solution: Solution | undefined
  /** Whether the search ended before it had looked at everything, with nothing found. */
  readonly isCutShort: boolean
}

export function solve(wants: readonly Want[], options: SolveOptions): Solved {
  const { index, knowledge, isPartial, budget, extent = 'whole' } = options
  const problem = poseProblem(wants, index, knowledge, extent)
  const leftOut = isPartial ? leaveOutItems(problem) : []
  const bounds = boundCosts(problem)
  const unmet = problem.goal.links.filter(({ atom, isLeftOut }) => !isLeftOut && bounds.atMost[atom.id] === Infinity)
  // A name that promises nothing usable may be wrong: until the content is known, the item is planned for all the same.
  const unserved = unmet.length > 0 ? hopelessItems(problem, bounds) : unservedItems(problem, leftOut)
  if (unserved.length > 0 && knowledge.surprising.size === 0) {
    return solve(wants, { ...options, knowledge: { ...knowledge, surprising: new Set(unserved) } })
  }
  if (unmet.length > 0) return { problem, bounds, leftOut, unmet, solution: undefined, isCutShort: false }
  const order = findOrder(problem, (key) => knowledge.facts.has(key))
  const found = findLeastCost(problem, { bounds, order, knowledge, budget })
  const isCutShort = found === 'cut short'
  return { problem, bounds, leftOut, unmet, solution: isCutShort ? undefined : found, isCutShort }
}

/** Items that lack something that a list or the goal needs of them. */
function hopelessItems({ uses }: Problem, bounds: Bounds): readonly Scope[] {
  const scopes = new Set<Scope>()
  for (const use of uses) {
    for (const { atom } of use.links)
      if (atom.scope !== '' && bounds.atMost[atom.id] === Infinity) scopes.add(atom.scope)
  }
  return [...scopes]
}

/** Items of which nothing at all would be used. */
function unservedItems({ uses }: Problem, leftOut: readonly Link[]): readonly Scope[] {
  if (leftOut.length === 0) return []
  const scopes = new Set(leftOut.map(({ atom }) => atom.scope))
  for (const use of uses) {
    for (const link of use.links) if (link.isEach && !link.isLeftOut) scopes.delete(link.atom.scope)
  }
  return [...scopes]
}
