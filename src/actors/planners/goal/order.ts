// Which uses can come after which, and which facts have more than one version because of that.
import type { Atom, Link, Problem, Use } from './posedProblem.ts'

/** What the search asks about the problem as a whole. */
export interface Order {
  /** By use id: uses that can be, each, before and after the other have the same number. */
  readonly circle: Int32Array
  readonly isInCircle: (use: Use) => boolean
  readonly giversOf: (key: string) => readonly Use[]
  /** There can be an older and a newer version of the fact. */
  readonly isVolatile: (key: string) => boolean
  /** Something that another need of the same use can bring along may cover what this link takes. */
  readonly isSensitive: (link: Link) => boolean
  /** With the giver as a forerunner, something from this link's use on may have to take a newer version of something else. */
  readonly mayCover: (giver: Use, link: Link) => boolean
}

export function findOrder(problem: Problem, isKnown: (key: string) => boolean): Order {
  const { circle, sizes } = findCircles(problem)
  const givers = new Map<string, Use[]>()
  for (const use of problem.uses) {
    for (const key of use.gives) {
      const others = givers.get(key)
      if (others) others.push(use)
      else givers.set(key, [use])
    }
  }
  const giversOf = (key: string): readonly Use[] => givers.get(key) ?? []
  const reached = new Map<Use, ReadonlySet<Use>>()
  const reach = (use: Use): ReadonlySet<Use> => {
    const known = reached.get(use)
    if (known) return known
    const found = usesBehind(use.links)
    reached.set(use, found)
    return found
  }
  const volatile = new Map<string, boolean>()
  const isVolatile = (key: string): boolean => {
    const known = volatile.get(key)
    if (known !== undefined) return known
    const all = giversOf(key)
    const found =
      (isKnown(key) && all.length > 0) ||
      all.some((a) => all.some((b) => a !== b && (countShared(a, b) > 1 || reach(b).has(a))))
    volatile.set(key, found)
    return found
  }
  const sensitive = new Map<Link, boolean>()
  const isSensitive = (link: Link): boolean => {
    if (link.use.links.length < 2 || !isVolatile(link.atom.key)) return false
    const known = sensitive.get(link)
    if (known !== undefined) return known
    const others = usesBehind(link.use.links.filter((other) => other !== link))
    const found = giversOf(link.atom.key).some((use) => others.has(use))
    sensitive.set(link, found)
    return found
  }
  const consumers = new Map<Use, Use[]>()
  for (const use of problem.uses) {
    for (const { atom } of use.links) {
      for (const { use: giver } of atom.supports) {
        const others = consumers.get(giver)
        if (others) others.push(use)
        else consumers.set(giver, [use])
      }
    }
  }
  const given = new Map<Use, ReadonlySet<string>>()
  const givenFrom = (use: Use): ReadonlySet<string> => {
    const known = given.get(use)
    if (known) return known
    const keys = new Set<string>()
    for (const one of [use, ...reach(use)]) for (const key of one.gives) if (isVolatile(key)) keys.add(key)
    given.set(use, keys)
    return keys
  }
  const needed = new Map<Use, ReadonlySet<string>>()
  const volatileNeeds = new Map<Use, readonly string[]>()
  for (const use of problem.uses) {
    const keys = use.links.flatMap(({ atom }) => (isVolatile(atom.key) ? [atom.key] : []))
    if (keys.length > 0) volatileNeeds.set(use, keys)
  }
  const neededFrom = (use: Use): ReadonlySet<string> => {
    const known = needed.get(use)
    if (known) return known
    const keys = new Set<string>()
    const later = new Set([use])
    for (const one of later) {
      for (const key of volatileNeeds.get(one) ?? []) keys.add(key)
      for (const consumer of consumers.get(one) ?? []) later.add(consumer)
    }
    needed.set(use, keys)
    return keys
  }
  const mayCover = (giver: Use, { use }: Link): boolean => {
    if (volatileNeeds.size === 0) return false
    const keys = neededFrom(use)
    if (keys.size === 0) return false
    for (const key of givenFrom(giver)) if (keys.has(key)) return true
    return false
  }
  return {
    mayCover,
    circle,
    isInCircle: (use) => (sizes[circle[use.id] ?? 0] ?? 0) > 1,
    giversOf,
    isVolatile,
    isSensitive,
  }
}

function countShared(a: Use, b: Use): number {
  let shared = 0
  for (const key of a.gives) if (b.gives.has(key)) shared += 1
  return shared
}

/** Every use that could become a forerunner through these links. */
function usesBehind(links: readonly Link[]): ReadonlySet<Use> {
  const found = new Set<Use>()
  const seen = new Set<Atom>()
  const open = links.map((link) => link.atom)
  for (let atom = open.pop(); atom !== undefined; atom = open.pop()) {
    if (seen.has(atom)) continue
    seen.add(atom)
    for (const { use } of atom.supports) {
      if (found.has(use)) continue
      found.add(use)
      for (const link of use.links) open.push(link.atom)
    }
  }
  return found
}

/** Strongly connected components of "could be a forerunner of": Tarjan 1972, without recursion. */
function findCircles({ uses }: Problem): { readonly circle: Int32Array; readonly sizes: readonly number[] } {
  const circle = new Int32Array(uses.length).fill(-1)
  const sizes: number[] = []
  const index = new Int32Array(uses.length).fill(-1)
  const low = new Int32Array(uses.length)
  const stack: number[] = []
  let next = 0
  const before = (use: Use): Use[] => use.links.flatMap(({ atom }) => atom.supports.map((support) => support.use))
  for (const root of uses) {
    if (index[root.id] !== -1) continue
    const work: { use: Use; others: Use[]; at: number }[] = []
    const enter = (use: Use): void => {
      index[use.id] = low[use.id] = next++
      stack.push(use.id)
      work.push({ use, others: before(use), at: 0 })
    }
    enter(root)
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      const { use } = top
      const other = top.others[top.at++]
      if (other) {
        if (index[other.id] === -1) enter(other)
        else if (circle[other.id] === -1) low[use.id] = Math.min(low[use.id] ?? 0, index[other.id] ?? 0)
        continue
      }
      work.pop()
      const parent = work.at(-1)
      if (parent) low[parent.use.id] = Math.min(low[parent.use.id] ?? 0, low[use.id] ?? 0)
      if (low[use.id] !== index[use.id]) continue
      let size = 0
      for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
        circle[id] = sizes.length
        size += 1
        if (id === use.id) break
      }
      sizes.push(size)
    }
  }
  return { circle, sizes }
}
