// The plan of least cost: exact where the effort suffices, and else the best that was found.
//
// What two steps share is paid for once, so that the cost of a plan is that of a set of operators; to find the cheapest
// set is NP-hard (T. Bylander, The computational complexity of propositional STRIPS planning, 1994). Depth-first branch
// and bound on landmark cuts, as in F. Pommerening and M. Helmert, Optimal Planning for Delete-free Tasks with
// Incremental LM-cut, ICAPS 2012: every plan uses an operator of each cut, so the search goes through those of the
// smallest cut one by one, each time without those before it. It begins with the plan of the least-cost hyperpath; mostly
// the first bound shows that nothing is cheaper, and the search is over before it has begun.
//
// S1. `isExact` means: no plan that keeps the rules of versions.ts costs less.
// S2. Without `isExact` the plan costs no more than the operators of the least-cost hyperpath, where those can be linked.
// S3. The same problem gives the same answer: effort is counted, not timed.
import { costsOf, findValues, treeOf } from './hyperpath.ts'
import { findLandmarks } from './landmarkCut.ts'
import { linkOperators } from './versions.ts'
import { toGraph, type Graph, type Linking, type Problem } from './problem.ts'

export interface LeastCost {
  /** `undefined` when the wants cannot be met (or, without `isExact`, when no way was found). */
  readonly best: (Linking & { readonly cost: number }) | undefined
  readonly isExact: boolean
  /** No plan costs less than this. */
  readonly bound: number
}

/** Operators that may be looked at before the search is content with what it has. */
export const defaultEffort = 3_000_000

/** Costs closer than this are equal: sums of fractions differ in their last digits. */
const tolerance = 1e-9

/** Finds the plan of least total cost. */
export function findLeastCost(problem: Problem, effort = defaultEffort): LeastCost {
  const graph = toGraph(problem)
  const costs = costsOf(graph)
  let best: LeastCost['best']
  let left = effort
  let isExact = true

  const values = findValues(graph, { join: 'sum', costs })
  if (values.atoms[graph.goalAtom] === Infinity) return { best: undefined, isExact: true, bound: Infinity }
  for (const set of greedySets(graph, costs)) tryLinking(set, 20_000)

  const state = { costs, chosen: new Set<number>(), sum: 0 }
  const first = findLandmarks(graph, costs, best === undefined ? Infinity : best.cost - tolerance)
  left -= first.effort
  search()
  return { best, isExact, bound: isExact && best !== undefined ? best.cost : first.bound }

  function search(): void {
    const added: number[] = []
    for (;;) {
      if (left <= 0) {
        isExact = false
        break
      }
      const { bound, cuts, effort: spent } = findLandmarks(graph, state.costs, limit() - state.sum)
      left -= spent
      if (state.sum + bound >= limit()) break
      const forced = cuts.flatMap((cut) => (cut.length === 1 ? cut : []))
      if (forced.length > 0) {
        for (const operator of forced) choose(operator, added)
        continue
      }
      const [smallest] = [...cuts].sort((a, b) => a.length - b.length)
      if (smallest === undefined) {
        if (!tryLinking(state.chosen, 5_000)) branch(unchosen()) // relaxed it is a plan, and yet nobody can be linked: more is needed
      } else branch(smallest)
      break
    }
    for (const operator of added.reverse()) giveBack(operator)
  }

  function limit(): number {
    return best === undefined ? Infinity : best.cost - tolerance
  }

  /** Looks for plans with each of these operators in turn, and without those before it. */
  function branch(operators: readonly number[]): void {
    const forbidden: number[] = []
    for (const operator of operators) {
      const added: number[] = []
      choose(operator, added)
      search()
      for (const one of added) giveBack(one)
      state.costs[operator] = Infinity
      forbidden.push(operator)
    }
    for (const operator of forbidden) state.costs[operator] = graph.operators[operator]?.cost ?? 0
  }

  function choose(operator: number, added: number[]): void {
    state.chosen.add(operator)
    state.sum += graph.operators[operator]?.cost ?? 0
    state.costs[operator] = 0
    added.push(operator)
  }

  function giveBack(operator: number): void {
    state.chosen.delete(operator)
    state.costs[operator] = graph.operators[operator]?.cost ?? 0
    state.sum = [...state.chosen].reduce((sum, one) => sum + (graph.operators[one]?.cost ?? 0), 0)
  }

  function unchosen(): number[] {
    return graph.operators.flatMap(({ cost }, operator) => {
      return cost > 0 && state.costs[operator] !== Infinity && !state.chosen.has(operator) ? [operator] : []
    })
  }

  /** Links the chosen operators and those that cost nothing. @returns whether that is settled: linked, or shown to be dearer. */
  function tryLinking(set: ReadonlySet<number>, trials: number): boolean {
    const allowed = Float64Array.from(graph.operators, ({ cost }, operator) => (cost === 0 || set.has(operator) ? cost : Infinity))
    for (const [operator, cost] of state_forbidden()) if (!set.has(operator)) allowed[operator] = cost
    const linked = linkOperators(graph, { costs: allowed, trials })
    left -= linked.trials
    if (linked.linking === undefined) {
      if (linked.trials > trials) isExact = false
      return false
    }
    const cost = linked.linking.used.reduce((sum, operator) => sum + (graph.operators[operator]?.cost ?? 0), 0)
    if (cost < limit()) best = { ...linked.linking, cost }
    return true
  }

  function state_forbidden(): [number, number][] {
    return []
  }
}

/** Sets of operators that meet the wants, cheap but not surely the cheapest, none of whose members can be left out. */
function* greedySets(graph: Graph, costs: Float64Array): Generator<ReadonlySet<number>> {
  const values = findValues(graph, { join: 'sum', costs })
  const tree = treeOf(graph, values, [graph.goalAtom])
  yield withoutSpare(graph, tree)
  if (graph.operators.length <= 400) yield withoutSpare(graph, shareOut(graph, costs))
}

/** Chooses for one need after the other, the dearest first; what is chosen costs the next ones nothing. */
function shareOut(graph: Graph, costs: Float64Array): Set<number> {
  const left = Float64Array.from(costs)
  const chosen = new Set<number>()
  for (;;) {
    const values = findValues(graph, { join: 'sum', costs: left })
    let next = -1
    let dearest = 0
    for (const operator of treeOf(graph, values, [graph.goalAtom])) {
      if (chosen.has(operator)) continue
      const value = (values.operators[operator] ?? 0) + (left[operator] ?? 0)
      if (next < 0 || value < dearest) [next, dearest] = [operator, value]
    }
    if (next < 0) return chosen
    chosen.add(next)
    left[next] = 0
  }
}

/** Leaves out operators, the dearest first, as long as the wants are still met. */
function withoutSpare(graph: Graph, set: ReadonlySet<number>): Set<number> {
  const kept = new Set(set)
  const allowed = Float64Array.from(graph.operators, ({ cost }, operator) => (cost === 0 || set.has(operator) ? 0 : Infinity))
  if (set.size > 400) return kept
  const byCost = [...set].sort((a, b) => (graph.operators[b]?.cost ?? 0) - (graph.operators[a]?.cost ?? 0) || a - b)
  for (const operator of byCost) {
    if (operator === graph.goal || graph.operators[operator]?.cost === 0) continue
    allowed[operator] = Infinity
    if (findValues(graph, { join: 'greatest', costs: allowed }).atoms[graph.goalAtom] === 0) kept.delete(operator)
    else allowed[operator] = 0
  }
  return kept
}
