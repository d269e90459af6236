// Open needs that share nothing, apart from each other.
import type { Order } from './order.ts'
import type { Atom, Link, Use } from './posedProblem.ts'
import type { Draft } from './draft.ts'

/** Groups of open links such that no use that is still to be chosen could serve two groups. */
export function splitOpen(open: readonly Link[], draft: Draft, order: Order): readonly (readonly Link[])[] {
  const parent = open.map((_, at) => at)
  const rootOf = (at: number): number => {
    let root = at
    for (let next = parent[root] ?? root; next !== root; next = parent[root] ?? root) root = next
    parent[at] = root
    return root
  }
  const owners = new Map<Use | Atom | string | number, number>()
  /** @returns whether nobody had come by before. */
  const claim = (what: Use | Atom | string | number, at: number): boolean => {
    const owner = owners.get(what)
    if (owner === undefined) owners.set(what, at)
    else parent[rootOf(at)] = rootOf(owner)
    return owner === undefined
  }
  for (const [at, link] of open.entries()) {
    if (order.isInCircle(link.use)) claim(order.circle[link.use.id] ?? 0, at)
    const atoms = [link.atom]
    for (let atom = atoms.pop(); atom !== undefined; atom = atoms.pop()) {
      if (!claim(atom, at)) continue
      const isVolatile = order.isVolatile(atom.key)
      if (isVolatile) claim(atom.key, at)
      const uses = isVolatile ? order.giversOf(atom.key) : atom.supports.map((support) => support.use)
      for (const use of uses) {
        if (draft.isChosen(use)) {
          if (isVolatile) claim(use, at)
        } else if (claim(use, at)) for (const next of use.links) atoms.push(next.atom)
      }
    }
  }
  const groups = new Map<number, Link[]>()
  for (const [at, link] of open.entries()) {
    const root = rootOf(at)
    const group = groups.get(root)
    if (group) group.push(link)
    else groups.set(root, [link])
  }
  return [...groups.values()]
}
