// What it costs at least, and at most, to meet each atom: Knuth's generalization of Dijkstra's algorithm to hypergraphs.
//
// With the sum over a use's needs, the cost counts shared results as often as they are used: never too low, and exact
// where nothing is shared. With the maximum, it is never too high: a bound for the exact search.
//
// See Knuth 1977, A Generalization of Dijkstra's Algorithm; Bonet & Geffner 2001, Planning as Heuristic Search.
import type { Link, Problem, Use } from './posedProblem.ts'

export interface Bounds {
  /** By atom id; infinite where the atom cannot be met. */
  readonly atLeast: Float64Array
  readonly atMost: Float64Array
  /** By use id: the cost with all its needs. */
  readonly useAtMost: Float64Array
}

/** Bounds for every atom. Time grows with the problem's links, times the logarithm of its atoms. */
export function boundCosts(problem: Problem): Bounds {
  const most = settleCosts(problem, (a, b) => a + b)
  const least = settleCosts(problem, Math.max)
  return { atLeast: least.atoms, atMost: most.atoms, useAtMost: most.uses }
}

/** Leaves out items that nothing can serve, where the whole goes on without them. @returns those links. */
export function leaveOutItems(problem: Problem): readonly Link[] {
  const left: Link[] = []
  for (;;) {
    const { atoms } = settleCosts(problem, Math.max)
    const before = left.length
    for (const use of problem.uses) {
      const isHopeless = ({ atom, isLeftOut }: Link): boolean => !isLeftOut && atoms[atom.id] === Infinity
      const hopeless = use.links.filter(isHopeless)
      if (hopeless.length === 0 || hopeless.some((link) => !link.isEach || link.atom.scope === '*')) continue
      const stays = new Set(
        use.links.flatMap((link) => (!link.isEach || link.isLeftOut || isHopeless(link) ? [] : [link.fact])),
      )
      if (hopeless.some(({ fact }) => !stays.has(fact))) continue
      for (const link of hopeless) link.isLeftOut = true
      left.push(...hopeless)
    }
    if (left.length === before) return left
  }
}

function settleCosts(
  { atoms, uses }: Problem,
  combine: (a: number, b: number) => number,
): { readonly atoms: Float64Array; readonly uses: Float64Array } {
  const cost = new Float64Array(atoms.length).fill(Infinity)
  const useCost = new Float64Array(uses.length).fill(Infinity)
  const collected = new Float64Array(uses.length)
  const missing = new Int32Array(uses.length)
  const isSettled = new Uint8Array(atoms.length)
  const users: Link[][] = atoms.map(() => [])
  const supported: { readonly atom: number }[][] = uses.map(() => [])
  const heap = new CostHeap()
  const offer = (atom: number, offered: number): void => {
    if (isSettled[atom] === 1 || offered >= (cost[atom] ?? Infinity)) return
    cost[atom] = offered
    heap.push(offered, atom)
  }
  const fire = (use: Use): void => {
    const total = use.cost + (collected[use.id] ?? 0)
    useCost[use.id] = total
    for (const { atom } of supported[use.id] ?? []) offer(atom, total)
  }
  for (const atom of atoms) {
    for (const { use } of atom.supports) supported[use.id]?.push({ atom: atom.id })
  }
  for (const use of uses) {
    for (const link of use.links) {
      if (link.isLeftOut) continue
      users[link.atom.id]?.push(link)
      missing[use.id] = (missing[use.id] ?? 0) + 1
    }
  }
  for (const atom of atoms) if (atom.known) offer(atom.id, 0)
  for (const use of uses) if (missing[use.id] === 0) fire(use)
  for (let atom = heap.pop(); atom !== undefined; atom = heap.pop()) {
    if (isSettled[atom] === 1) continue
    isSettled[atom] = 1
    for (const { use } of users[atom] ?? []) {
      collected[use.id] = combine(collected[use.id] ?? 0, cost[atom] ?? 0)
      const left = (missing[use.id] ?? 0) - 1
      missing[use.id] = left
      if (left === 0) fire(use)
    }
  }
  return { atoms: cost, uses: useCost }
}

/** A binary heap of (cost, id), least first; equal costs by id, so that the order is always the same. */
class CostHeap {
  readonly #costs: number[] = []
  readonly #ids: number[] = []

  push(cost: number, id: number): void {
    let at = this.#ids.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(cost, id, parent)) break
      this.#move(parent, at)
      at = parent
    }
    this.#costs[at] = cost
    this.#ids[at] = id
  }

  pop(): number | undefined {
    const first = this.#ids[0]
    const cost = this.#costs.pop()
    const id = this.#ids.pop()
    if (first === undefined || cost === undefined || id === undefined) return undefined
    if (this.#ids.length > 0) this.#sink(cost, id)
    return first
  }

  #sink(cost: number, id: number): void {
    const length = this.#ids.length
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= length) break
      const right = left + 1
      const least =
        right < length && this.#isBefore(this.#costs[right] ?? Infinity, this.#ids[right] ?? 0, left) ? right : left
      if (this.#isBefore(cost, id, least)) break
      this.#move(least, at)
      at = least
    }
    this.#costs[at] = cost
    this.#ids[at] = id
  }

  #isBefore(cost: number, id: number, at: number): boolean {
    const other = this.#costs[at] ?? Infinity
    return cost < other || (cost === other && id < (this.#ids[at] ?? 0))
  }

  #move(from: number, to: number): void {
    this.#costs[to] = this.#costs[from] ?? 0
    this.#ids[to] = this.#ids[from] ?? 0
  }
}
