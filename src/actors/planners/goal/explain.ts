// Why a step is there, in words: what it gives to whom, and what the next best way would have cost.
import type { Bounds } from './costBounds.ts'
import { explainUnfit } from './inputFit.ts'
import type { Link, Use } from './posedProblem.ts'
import type { Solution } from './search.ts'
import { expectedCost } from './toolIndex.ts'

interface Explaining {
  readonly bounds: Bounds
  readonly solution: Solution
  readonly idOf: ReadonlyMap<Use, string>
  readonly consumers: ReadonlyMap<Use, readonly Link[]>
}

export function explainUse(use: Use, { bounds, solution, idOf, consumers }: Explaining): string {
  const links = consumers.get(use) ?? []
  const [first] = links
  if (first === undefined) return 'Nothing needs it any more.'
  const keys = [...new Set(links.map((link) => link.atom.key))]
  const takers = [
    ...new Set(
      links.map((link) => (link.use.tool === undefined ? 'the goal' : (idOf.get(link.use) ?? link.use.tool.name))),
    ),
  ]
  const text = `Gives ${listed(keys)} to ${listed(takers)}.`
  const conditions = links.flatMap(({ atom }) => (atom.is === undefined ? [] : [atom.key]))
  const other = first.atom.supports.find(
    (support) =>
      support.use.tool !== use.tool && !idOf.has(support.use) && bounds.useAtMost[support.use.id] !== Infinity,
  )
  const next = other?.use.tool
  const comparison =
    next && use.tool
      ? ` Expected cost ${round(expectedCost(use.tool))}; next best is ${next.name} at ${round(expectedCost(next))}.`
      : ''
  const doubt =
    conditions.length > 0 && links.some((link) => isAssumed(link, solution))
      ? ` Its ${listed([...new Set(conditions)])} is assumed until it is known.`
      : ''
  const unfit = first.atom.unfit.length > 0 ? ` ${explainUnfit(first.atom.unfit)}` : ''
  return `${text}${comparison}${doubt}${unfit}`
}

function isAssumed(link: Link, { choices }: Solution): boolean {
  const choice = choices.get(link)
  return choice !== undefined && choice !== 'known' && choice.isAssumed
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3)
  const rest = names.length - shown.length
  return rest > 0 ? `${shown.join(', ')} and ${String(rest)} more` : shown.join(', ')
}

function round(cost: number): string {
  return String(Math.round(cost * 100) / 100)
}
