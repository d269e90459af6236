// Landmark cuts: a lower bound on the cost of any plan, and what every plan must choose from.
//
// A cut is a set of operators of which every plan uses at least one. Each round takes the least cost in the cut from all
// operators in it and goes on with what is left, so that the sum of the cuts' costs is never more than the least cost of
// a plan: M. Helmert and C. Domshlak, Landmarks, Critical Paths and Abstractions, ICAPS 2009.
import { findValues, type Values } from './hyperpath.ts'
import type { Graph } from './problem.ts'

export interface Landmarks {
  /** `Infinity` where the wants cannot be met. */
  readonly bound: number
  /** Operators of which at least one is in every plan, for each cut. */
  readonly cuts: readonly (readonly number[])[]
  /** How many operators were looked at. */
  readonly effort: number
}

/** @param costs by operator: 0 for what is chosen already, `Infinity` for what is forbidden.
 * @param enough the bound need not be found out beyond this. */
export function findLandmarks(graph: Graph, costs: Float64Array, enough: number): Landmarks {
  const left = Float64Array.from(costs)
  const cuts: number[][] = []
  let bound = 0
  let effort = 0
  for (;;) {
    const values = findValues(graph, { join: 'greatest', costs: left })
    effort += graph.operators.length
    const remaining = values.atoms[graph.goalAtom] ?? Infinity
    if (remaining === Infinity) return { bound: Infinity, cuts, effort }
    if (remaining === 0 || bound >= enough) return { bound, cuts, effort }
    const cut = findCut(graph, left, values)
    let least = Infinity
    for (const operator of cut) least = Math.min(least, left[operator] ?? Infinity)
    for (const operator of cut) left[operator] = (left[operator] ?? 0) - least
    cuts.push(cut)
    bound += least
  }
}

/** Operators that lead from what costs nothing into the zone from which the goal costs nothing more. */
function findCut(graph: Graph, costs: Float64Array, { operators: values, dearest }: Values): number[] {
  const zone = findGoalZone(graph, costs, values, dearest)
  const followers = new Map<number, number[]>()
  const cut: number[] = []
  const open: number[] = []
  const isReached = new Uint8Array(graph.operators.length)
  for (const [operator, need] of dearest.entries()) {
    if (values[operator] === Infinity) continue
    if (need < 0 || graph.problem.atoms[need]?.given === true) reach(operator)
    else {
      const list = followers.get(need)
      if (list) list.push(operator)
      else followers.set(need, [operator])
    }
  }
  const isSeen = new Uint8Array(graph.atomCount)
  for (let operator = open.pop(); operator !== undefined; operator = open.pop()) {
    const meets = graph.operators[operator]?.meets ?? []
    if (meets.some((atom) => zone[atom] === 1)) cut.push(operator)
    for (const atom of meets) {
      if (zone[atom] === 1 || isSeen[atom] === 1) continue
      isSeen[atom] = 1
      for (const follower of followers.get(atom) ?? []) reach(follower)
    }
  }
  return cut.sort((a, b) => a - b)

  function reach(operator: number): void {
    if (isReached[operator] === 1) return
    isReached[operator] = 1
    open.push(operator)
  }
}

/** Atoms from which the goal is reached at no further cost, going back over the dearest need of each operator. */
function findGoalZone(graph: Graph, costs: Float64Array, values: Float64Array, dearest: Int32Array): Uint8Array {
  const zone = new Uint8Array(graph.atomCount)
  const open = [graph.goalAtom]
  zone[graph.goalAtom] = 1
  for (let atom = open.pop(); atom !== undefined; atom = open.pop()) {
    for (const operator of graph.metBy[atom] ?? []) {
      if (costs[operator] !== 0 || values[operator] === Infinity) continue
      const need = dearest[operator] ?? -1
      if (need < 0 || zone[need] === 1) continue
      zone[need] = 1
      open.push(need)
    }
  }
  return zone
}
