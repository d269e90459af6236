// Who supplies whom: suppliers for the needs of a set of operators, so that nobody works with a stale fact.
//
// R1. Nothing supplies itself, directly or through others.
// R2. What rests on a newer version of a fact does not take an older one: whoever has the transcoded file's encoding has
//     the transcoded file.
// R3. In the end, the version that meets a want is the last one, or every version that may come later meets it too.
// R4. What is assumed of one fact given by one operator can be true all at once.
// R5. A use of a tool that is not permitted (it failed before) is not in the plan.
import { findValues } from './hyperpath.ts'
import { given, type Graph, type Linking } from './problem.ts'

export interface LinkOptions {
  /** By operator: `Infinity` for those that may not be used. */
  readonly costs: Float64Array
  /** Links that may be tried. */
  readonly trials: number
}

export interface Linked {
  /** `undefined` when there is no way to link them, or none was found within the trials. */
  readonly linking: Linking | undefined
  readonly trials: number
}

/** Links operators so that the wants are met. Operators that nobody needs are left out.
 * Of several suppliers the one that is ready first is taken, if it keeps the rules; then the next. */
export function linkOperators(graph: Graph, { costs, trials: limit }: LinkOptions): Linked {
  const { operators, goal, metBy, distinctNeeds, problem } = graph
  const { operators: readyAt, order } = findValues(graph, { join: 'greatest', costs })
  const makers = new Map<number, number[]>()
  for (const operator of order) {
    for (const slot of operators[operator]?.makes ?? []) {
      const list = makers.get(slot)
      if (list) list.push(operator)
      else makers.set(slot, [operator])
    }
  }
  const links: (Map<number, number> | undefined)[] = []
  const ancestors: (Set<number> | undefined)[] = []
  for (const operator of order) {
    links[operator] = new Map()
    ancestors[operator] = new Set(operators[operator]?.behind)
  }
  const isSkipped = new Uint8Array(operators.length)
  const users = new Int32Array(operators.length)
  const doubted = new Map<number, number[]>()
  const linked: number[] = []
  let trials = 0

  const stack: Generator<undefined>[] = []
  for (let at = 0; at < order.length; ) {
    stack[at] ??= waysToLink(order[at] ?? goal)
    if (trials <= limit && stack[at]?.next().done === false) {
      at += 1
      continue
    }
    stack.length = at
    if (at === 0 || trials > limit) return { linking: undefined, trials }
    at -= 1
  }
  return { linking: collect(graph, links), trials }

  /** Each way is in force while the generator rests on it, and undone when it goes on. */
  function* waysToLink(operator: number): Generator<undefined> {
    const needs = [...(distinctNeeds[operator] ?? [])]
    const candidates = new Map(needs.map((atom) => [atom, candidatesFor(atom)]))
    needs.sort((a, b) => (candidates.get(a)?.length ?? 0) - (candidates.get(b)?.length ?? 0) || a - b)
    linked.push(operator)
    yield* place(0)
    linked.pop()
    if (operator !== goal && users[operator] === 0) {
      isSkipped[operator] = 1
      yield
      isSkipped[operator] = 0
    }

    function* place(at: number): Generator<undefined> {
      const atom = needs[at]
      if (atom === undefined) {
        if (isPermitted(operator)) yield
        return
      }
      for (const supplier of candidates.get(atom) ?? []) {
        trials += 1
        if (trials > limit) return
        const undo = link(operator, atom, supplier)
        if (undo === undefined) continue
        yield* place(at + 1)
        undo()
      }
    }
  }

  function candidatesFor(atom: number): readonly number[] {
    const found = (metBy[atom] ?? []).filter((supplier) => readyAt[supplier] !== Infinity && isSkipped[supplier] !== 1)
    const rank = (supplier: number): number => (readyAt[supplier] ?? 0) + (operators[supplier]?.cost ?? 0)
    found.sort((a, b) => Number(isDoubtful(a, atom)) - Number(isDoubtful(b, atom)) || rank(a) - rank(b) || a - b)
    return problem.atoms[atom]?.given === true ? [given, ...found] : found
  }

  function isDoubtful(supplier: number, atom: number): boolean {
    return operators[supplier]?.doubtful?.includes(atom) === true
  }

  function isPermitted(operator: number): boolean {
    if (operator === goal || problem.permits === undefined) return true // R5
    const own = links[operator]
    return problem.permits(operator, (operators[operator]?.needs ?? []).map((atom) => own?.get(atom) ?? given))
  }

  /** Links one need, unless that breaks a rule. Gives what undoes it. */
  function link(operator: number, atom: number, supplier: number): (() => void) | undefined {
    const own = links[operator]
    if (own === undefined) return undefined
    if (supplier === given) {
      own.set(atom, given)
      if (isCurrent(operator)) return () => own.delete(atom)
      own.delete(atom)
      return undefined
    }
    const above = ancestors[supplier]
    if (supplier === operator || above === undefined || above.has(operator)) return undefined // R1
    if (isDoubtful(supplier, atom) && !agrees(supplier, atom)) return undefined // R4
    own.set(atom, supplier)
    users[supplier] = (users[supplier] ?? 0) + 1
    const doubts = isDoubtful(supplier, atom) ? doubted.get(supplier) ?? [] : undefined
    if (doubts) doubted.set(supplier, [...doubts, atom])
    const changed: (readonly [number, Set<number>])[] = []
    for (const below of linked) {
      const before = ancestors[below]
      if (before === undefined || (below !== operator && !before.has(operator))) continue
      changed.push([below, before])
      ancestors[below] = new Set([...before, supplier, ...above])
    }
    const undo = (): void => {
      for (const [below, before] of changed) ancestors[below] = before
      if (doubts) doubted.set(supplier, doubts)
      users[supplier] = (users[supplier] ?? 0) - 1
      own.delete(atom)
    }
    if (changed.every(([below]) => isCurrent(below))) return undo
    undo()
    return undefined
  }

  function agrees(supplier: number, atom: number): boolean {
    return (doubted.get(supplier) ?? []).every((other) => problem.agree?.(supplier, atom, other) ?? true)
  }

  /** Keeps R2, and R3 for the goal, as far as its needs are linked. */
  function isCurrent(operator: number): boolean {
    const above = ancestors[operator]
    for (const [atom, supplier] of links[operator] ?? []) {
      const slot = problem.atoms[atom]?.slot
      if (slot === undefined) continue
      for (const maker of makers.get(slot) ?? []) {
        if (maker === supplier || above?.has(maker) !== true) continue
        if (supplier === given || ancestors[maker]?.has(supplier) === true) return false // R2
        if (operator !== goal || ancestors[supplier]?.has(maker) === true) continue
        if (operators[maker]?.meets.includes(atom) !== true) return false // R3
      }
    }
    return true
  }
}

function collect({ goal, operators }: Graph, links: readonly (ReadonlyMap<number, number> | undefined)[]): Linking {
  const suppliers = new Map<number, readonly number[]>()
  const used: number[] = []
  const suppliersOf = (operator: number): number[] => {
    return (operators[operator]?.needs ?? []).map((atom) => links[operator]?.get(atom) ?? given)
  }
  const wants = suppliersOf(goal)
  const open: (readonly [number, 'enter' | 'leave'])[] = wants.map((supplier) => [supplier, 'enter'] as const).reverse()
  const isEntered = new Set<number>([given])
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [operator, way] = next
    if (way === 'leave') {
      used.push(operator)
      continue
    }
    if (isEntered.has(operator)) continue
    isEntered.add(operator)
    const own = suppliersOf(operator)
    suppliers.set(operator, own)
    open.push([operator, 'leave'], ...own.map((supplier) => [supplier, 'enter'] as const).reverse())
  }
  return { used, suppliers, wants }
}
