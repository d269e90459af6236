// The least-cost set of uses that meets the goal: branch and bound over the hypergraph, exact within a budget of effort.
//
// H1. A use counts once, however many need what it gives.
// H2. What has one way only is taken without branching; what no two open needs share is solved apart, and costs add up.
// H3. A use takes the newest version of each fact that anything before it gives (see coherence.ts).
// H4. Beyond the budget the first way found is kept, cheapest by Knuth's cost first, and the answer says so. Where nothing
//     has been found at twice the budget, nothing will be: the search ends, and says that too.
import { isCoherent, isUntried } from './coherence.ts'
import type { Choice, Draft } from './draft.ts'
import type { Bounds } from './costBounds.ts'
import { areCompatible, type Knowledge } from './knowledge.ts'
import type { Order } from './order.ts'
import type { Link, Problem, Support, Use } from './posedProblem.ts'
import { splitOpen } from './split.ts'

export interface Solution {
  readonly cost: number
  readonly choices: ReadonlyMap<Link, Choice>
  /** Whether nothing cheaper exists. */
  readonly isLeast: boolean
}

export interface SearchOptions {
  readonly bounds: Bounds
  readonly order: Order
  readonly knowledge: Knowledge
  /** Ways to meet a need that may be looked at before the search settles for what it has. */
  readonly budget: number
}

/** @returns nothing where there is none; `'cut short'` where none was found within the budget. */
export function findLeastCost(problem: Problem, options: SearchOptions): Solution | 'cut short' | undefined {
  const search = new Search(problem, options)
  const open = problem.goal.links.filter((link) => !link.isLeftOut)
  const answer = search.solve(open, Infinity)
  if (answer === undefined) return search.isSpent ? 'cut short' : undefined
  const { cost, taken } = answer
  return { cost, choices: new Map(taken), isLeast: !search.isOverBudget }
}

type Taken = readonly [Link, Choice]
interface Answer {
  readonly cost: number
  readonly taken: readonly Taken[]
}

/** However small the budget is, a first way is looked for with as much effort. */
const leastEffort = 100_000

/** Costs are sums of quotients: what differs by less is the same. */
const tolerance = 1e-9

class Search implements Draft {
  effort = 0
  readonly #options: SearchOptions
  readonly #choices: (Choice | undefined)[]
  readonly #consumers: Use[][]
  readonly #chosen: Uint8Array
  readonly #assumed = new Map<string, Link[]>()
  readonly #trail: Taken[] = []
  readonly #conditions = new Map<string, number>()

  constructor(problem: Problem, options: SearchOptions) {
    this.#options = options
    this.#choices = new Array<Choice | undefined>(problem.links).fill(undefined)
    this.#consumers = problem.uses.map(() => [])
    this.#chosen = new Uint8Array(problem.uses.length)
    this.#chosen[problem.goal.id] = 1
    for (const use of problem.uses) if (use.standing) this.#chosen[use.id] = 1
    for (const { key, is } of problem.atoms)
      if (is !== undefined) this.#conditions.set(key, (this.#conditions.get(key) ?? 0) + 1)
  }

  get isOverBudget(): boolean {
    return this.effort > this.#options.budget
  }

  get isSpent(): boolean {
    return this.effort > 2 * Math.max(this.#options.budget, leastEffort)
  }

  choiceOf(link: Link): Choice | undefined {
    return this.#choices[link.id]
  }

  isChosen(use: Use): boolean {
    return this.#chosen[use.id] === 1
  }

  consumersOf(use: Use): readonly Use[] {
    return this.#consumers[use.id] ?? []
  }

  /** The cheapest way to meet these links that costs less than `limit`; the draft is as before afterwards. */
  solve(open: readonly Link[], limit: number): Answer | undefined {
    const mark = this.#trail.length
    const answer = this.#solveFrom(mark, open, limit)
    while (this.#trail.length > mark) this.#undo()
    return answer
  }

  #solveFrom(mark: number, open: readonly Link[], limit: number): Answer | undefined {
    if (this.isSpent) return undefined // H4
    const forced = this.#takeForced(open)
    if (forced === undefined || forced.cost + this.#leastOf(forced.rest) >= limit - tolerance) return undefined
    if (!this.#isSound(mark)) return undefined
    let { cost } = forced
    const { rest } = forced
    if (rest.length === 0) return { cost, taken: this.#trail.slice(mark) }
    const parts = splitOpen(rest, this, this.#options.order)
    if (parts.length === 1) return this.#branch(mark, rest, cost, limit)
    const taken = this.#trail.slice(mark)
    for (const part of parts) {
      const answer = this.solve(part, limit - cost)
      if (answer === undefined) return undefined
      cost += answer.cost
      for (const one of answer.taken) taken.push(one)
    }
    return { cost, taken }
  }

  #branch(mark: number, rest: readonly Link[], cost: number, limit: number): Answer | undefined {
    const { link, choices } = this.#pickLink(rest)
    const others = rest.filter((other) => other !== link)
    let best: Answer | undefined
    for (const choice of choices) {
      if (best !== undefined && this.isOverBudget) break // H4
      const from = this.#trail.length
      const opened: Link[] = []
      const step = this.#take(link, choice, opened)
      const answer = this.#solveFrom(
        from,
        [...opened, ...others],
        Math.min(limit, best?.cost ?? Infinity) - cost - step,
      )
      if (answer) best = { cost: cost + step + answer.cost, taken: [...this.#trail.slice(mark, from), ...answer.taken] }
      while (this.#trail.length > from) this.#undo()
    }
    return best
  }

  /** Takes all that leaves no choice, until only choices are left (H2). */
  #takeForced(open: readonly Link[]): { readonly cost: number; readonly rest: readonly Link[] } | undefined {
    let cost = 0
    let rest: Link[] = []
    let pending = [...open].reverse()
    for (;;) {
      let hasTaken = false
      for (let link = pending.pop(); link !== undefined; link = pending.pop()) {
        const choices = this.#choicesFor(link)
        const [first] = choices
        if (first === undefined) return undefined
        if (choices.length > 1) {
          rest.push(link)
          continue
        }
        cost += this.#take(link, first, pending)
        hasTaken = true
      }
      if (!hasTaken || rest.length === 0) return { cost, rest }
      pending = rest.reverse()
      rest = []
    }
  }

  /** The ways to meet a link that are still open: free ones first, then by cost. Where a free one can do no harm, only that. */
  #choicesFor(link: Link): readonly Choice[] {
    const { order, bounds } = this.#options
    const { atom, use } = link
    this.effort += 1 + atom.supports.length
    const isSensitive = order.isSensitive(link)
    const found: Choice[] = []
    if (atom.known) {
      if (!isSensitive) return ['known']
      found.push('known')
    }
    const fresh: Support[] = []
    for (const support of atom.supports) {
      const giver = support.use
      if (giver === use || bounds.useAtMost[giver.id] === Infinity) continue
      if (!this.isChosen(giver)) {
        if (giver.copy === 0 || this.#hasFirstCopy(atom.supports, giver)) fresh.push(support)
        continue
      }
      const isCircular = order.circle[giver.id] === order.circle[use.id]
      if (isCircular && this.#dependsOn(giver, use)) continue
      if (support.isAssumed && !this.#canAssume(link, support)) continue
      const isContested = support.isAssumed && (this.#conditions.get(atom.key) ?? 0) > 1
      if (!isSensitive && !isCircular && !isContested && !order.mayCover(giver, link)) return [support]
      found.push(support)
    }
    fresh.sort(
      (a, b) =>
        (bounds.useAtMost[a.use.id] ?? 0) - (bounds.useAtMost[b.use.id] ?? 0) ||
        Number(a.isAssumed) - Number(b.isAssumed),
    )
    return fresh.length === 0 ? found : [...found, ...fresh]
  }

  #hasFirstCopy(supports: readonly Support[], use: Use): boolean {
    return supports.some((other) => other.use.copy === 0 && other.use.tool === use.tool && this.isChosen(other.use))
  }

  #dependsOn(use: Use, other: Use): boolean {
    const seen = new Set<Use>([use])
    for (const one of seen) {
      if (one === other) return true
      for (const link of one.links) {
        const choice = this.#choices[link.id]
        if (choice !== undefined && choice !== 'known') seen.add(choice.use)
      }
    }
    return false
  }

  /** One gift has one value: all that is assumed of it must go together. */
  #canAssume({ atom }: Link, support: Support): boolean {
    const others = this.#assumed.get(`${String(support.use.id)} ${atom.key}`)
    if (others === undefined || atom.is === undefined) return true
    return areCompatible([atom.is, ...others.map((other) => other.atom.is ?? true)])
  }

  #take(link: Link, choice: Choice, opened: Link[]): number {
    this.#choices[link.id] = choice
    this.#trail.push([link, choice])
    if (choice === 'known') return 0
    const { use } = choice
    if (choice.isAssumed) {
      const key = `${String(use.id)} ${link.atom.key}`
      const others = this.#assumed.get(key)
      if (others) others.push(link)
      else this.#assumed.set(key, [link])
    }
    const consumers = this.#consumers[use.id]
    consumers?.push(link.use)
    if (this.#chosen[use.id] === 1) return 0
    this.#chosen[use.id] = 1
    for (let at = use.links.length - 1; at >= 0; at--) {
      const next = use.links[at]
      if (next && !next.isLeftOut) opened.push(next)
    }
    return use.cost
  }

  #undo(): void {
    const last = this.#trail.pop()
    if (last === undefined) return
    const [link, choice] = last
    this.#choices[link.id] = undefined
    if (choice === 'known') return
    const { use } = choice
    if (choice.isAssumed) this.#assumed.get(`${String(use.id)} ${link.atom.key}`)?.pop()
    const consumers = this.#consumers[use.id]
    consumers?.pop()
    if (consumers?.length === 0 && use.standing === undefined) this.#chosen[use.id] = 0
  }

  /** No fewer than these costs are still to come: the cheapest way of each need, counting no use twice. */
  #leastOf(rest: readonly Link[]): number {
    const counted = new Set<Use>()
    let total = 0
    for (const { atom } of rest) {
      if (atom.known) continue
      let least = Infinity
      let isApart = true
      for (const { use } of atom.supports) {
        if (this.isChosen(use) || counted.has(use)) {
          isApart = false
          break
        }
        if (this.#options.bounds.useAtMost[use.id] !== Infinity) least = Math.min(least, use.cost)
      }
      if (!isApart || least === Infinity) continue
      total += least
      for (const { use } of atom.supports) counted.add(use)
    }
    return total
  }

  #pickLink(rest: readonly Link[]): { readonly link: Link; readonly choices: readonly Choice[] } {
    let best: { link: Link; choices: readonly Choice[]; weight: number } | undefined
    for (const link of rest) {
      const choices = this.#choicesFor(link)
      const weight = choices.length - Math.min(0.99, (this.#options.bounds.atMost[link.atom.id] ?? 0) / 1e9)
      if (best === undefined || weight < best.weight) best = { link, choices, weight }
    }
    if (best === undefined) throw new Error('a branch needs an open link')
    return best
  }

  /** Whether what was taken since then breaks no rule; what is still open can only break more. */
  #isSound(mark: number): boolean {
    const touched = new Set<Use>()
    for (let at = mark; at < this.#trail.length; at++) {
      const taken = this.#trail[at]
      if (taken) touched.add(taken[0].use)
    }
    const { knowledge, order } = this.#options
    for (const use of touched) if (!isUntried(use, this, knowledge)) return false
    return isCoherent(touched, this, order)
  }
}
