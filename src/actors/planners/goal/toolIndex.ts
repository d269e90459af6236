// The tools by what they give, and which facts exist once for each item of a list. Made once for a set of tools.
import { fitInput } from './inputFit.ts'
import type { Gift, Need, ToolDescription } from '../../../plan/toolDescription.ts'

export interface Giver {
  readonly tool: ToolDescription
  readonly gift: Gift
}

export interface ToolIndex {
  readonly tools: readonly ToolDescription[]
  readonly byName: ReadonlyMap<string, ToolDescription>
  /** Cheapest first, then by name. */
  readonly givers: ReadonlyMap<string, readonly Giver[]>
  /** Tools that would give a fact but cannot be used, since nothing fills their input. */
  readonly unfit: ReadonlyMap<string, readonly ToolDescription[]>
  /** By a fact that there is one of for each item: the facts whose lists it follows. */
  readonly rootsOf: ReadonlyMap<string, readonly string[]>
  /** Tools that work on single items. */
  readonly worksOnItems: ReadonlySet<ToolDescription>
}

const indexes = new WeakMap<readonly ToolDescription[], ToolIndex>()

export function indexTools(tools: readonly ToolDescription[], listFacts: Iterable<string> = []): ToolIndex {
  const lists = [...listFacts].sort()
  if (lists.length > 0) return makeIndex(tools, lists)
  const known = indexes.get(tools)
  if (known) return known
  const index = makeIndex(tools, [])
  indexes.set(tools, index)
  return index
}

/** What a tool takes as input and what else must hold, with the input's property. */
export function needsOf(tool: ToolDescription): readonly NeedOf[] {
  const known = needs.get(tool)
  if (known) return known
  const made = [...Object.entries(tool.needs).map(([property, need]) => ({ ...need, property })), ...tool.requires]
  needs.set(tool, made)
  return made
}

export type NeedOf = Need & { readonly property?: string }
const needs = new WeakMap<ToolDescription, readonly NeedOf[]>()

/** What one successful use of a tool costs, failures on the way included. */
export function expectedCost({ cost, likelihood }: ToolDescription): number {
  return cost / Math.max(likelihood, 1e-6)
}

function makeIndex(given: readonly ToolDescription[], lists: readonly string[]): ToolIndex {
  const tools = given.filter(isFit).sort((a, b) => expectedCost(a) - expectedCost(b) || (a.name < b.name ? -1 : 1))
  const givers = new Map<string, Giver[]>()
  for (const tool of tools) {
    for (const [fact, gift] of Object.entries(tool.gives)) {
      const others = givers.get(fact)
      if (others) others.push({ tool, gift })
      else givers.set(fact, [{ tool, gift }])
    }
  }
  return {
    tools,
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    givers,
    unfit: listUnfit(given),
    ...followLists(tools, givers, lists),
  }
}

function isFit(tool: ToolDescription): boolean {
  return fitInput(tool).unfilled.length === 0
}

function listUnfit(given: readonly ToolDescription[]): ReadonlyMap<string, readonly ToolDescription[]> {
  const unfit = new Map<string, ToolDescription[]>()
  for (const tool of given) {
    if (isFit(tool)) continue
    for (const fact of Object.keys(tool.gives)) unfit.set(fact, [...(unfit.get(fact) ?? []), tool])
  }
  return unfit
}

/** A tool that takes one of a list gives one of a list: followed from the lists on until nothing is new. */
function followLists(
  tools: readonly ToolDescription[],
  givers: ReadonlyMap<string, readonly Giver[]>,
  lists: readonly string[],
): Pick<ToolIndex, 'rootsOf' | 'worksOnItems'> {
  const rootsOf = new Map<string, readonly string[]>()
  const worksOnItems = new Set<ToolDescription>()
  const users = new Map<string, ToolDescription[]>()
  for (const tool of tools) {
    for (const { fact, each } of needsOf(tool)) if (each !== true) users.set(fact, [...(users.get(fact) ?? []), tool])
  }
  const opened = [...givers].filter(([, all]) => all.some(({ gift }) => gift.each === true)).map(([fact]) => fact)
  const queue: [string, readonly string[]][] = [...new Set([...opened, ...lists])].map((fact) => [fact, [fact]])
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [fact, roots] = next
    const before = rootsOf.get(fact) ?? []
    const after = [...new Set([...before, ...roots])].sort()
    if (after.length === before.length) continue
    rootsOf.set(fact, after)
    for (const tool of users.get(fact) ?? []) {
      worksOnItems.add(tool)
      for (const [given, gift] of Object.entries(tool.gives)) if (gift.each !== true) queue.push([given, after])
    }
  }
  return { rootsOf, worksOnItems }
}
