// The tools by what they give, and which facts exist once for each item of a list. Made once for an array of tools: a run
// asks with the same one each time.
import { fitInput } from './inputFit.ts'
import type { Gift, Need, ToolDescription } from '../../../plan/toolDescription.ts'

export interface Giver {
  readonly tool: ToolDescription
  readonly gift: Gift
}

/** What does not depend on which lists are known. */
export interface Catalogue {
  /** Those that can be used, cheapest first, then by name. */
  readonly tools: readonly ToolDescription[]
  /** All of them. */
  readonly byName: ReadonlyMap<string, ToolDescription>
  /** Facts that some tool takes and gives anew. */
  readonly overwritten: ReadonlySet<string>
  /** Tools that give lists. */
  readonly openers: readonly ToolDescription[]
  /** Cheapest first, then by name. */
  readonly givers: ReadonlyMap<string, readonly Giver[]>
  /** Tools that would give a fact but cannot be used, since nothing fills their input. */
  readonly unfit: ReadonlyMap<string, readonly ToolDescription[]>
}

export interface ToolIndex extends Catalogue {
  /** By a fact that there is one of for each item: the facts whose lists it follows. */
  readonly rootsOf: ReadonlyMap<string, readonly string[]>
  /** Tools that work on single items. */
  readonly worksOnItems: ReadonlySet<ToolDescription>
}

export function indexTools(tools: readonly ToolDescription[], listFacts: Iterable<string> = []): ToolIndex {
  const lists = [...listFacts].sort()
  const known = indexes.get(tools)
  if (known?.lists.length === lists.length && known.lists.every((fact, at) => fact === lists[at])) return known.index
  const catalogue = readTools(tools)
  const index = { ...catalogue, ...followLists(catalogue, lists) }
  indexes.set(tools, { lists, index })
  return index
}

/** Which lists are known changes a few times in a run: the last ones are enough to remember. */
const indexes = new WeakMap<
  readonly ToolDescription[],
  { readonly lists: readonly string[]; readonly index: ToolIndex }
>()

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

export function readTools(given: readonly ToolDescription[]): Catalogue {
  const known = catalogues.get(given)
  if (known) return known
  const catalogue = makeCatalogue(given)
  catalogues.set(given, catalogue)
  return catalogue
}

const catalogues = new WeakMap<readonly ToolDescription[], Catalogue>()

function makeCatalogue(given: readonly ToolDescription[]): Catalogue {
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
    byName: new Map(given.map((tool) => [tool.name, tool])),
    overwritten: new Set(
      tools.flatMap((tool) => needsOf(tool).flatMap(({ fact }) => (tool.gives[fact] ? [fact] : []))),
    ),
    openers: given.filter((tool) => Object.values(tool.gives).some((gift) => gift.each === true)),
    givers,
    unfit: listUnfit(given),
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

/** How many items there are to have the fact of: as many as the longest list that it comes from has. What steps have made
 * of a list, and of some of its items only so far, looks like a shorter one. */
export function findLength(
  fact: string,
  { rootsOf }: Pick<ToolIndex, 'rootsOf'>,
  lists: ReadonlyMap<string, number>,
): number | undefined {
  let longest: number | undefined
  for (const root of rootsOf.get(fact) ?? []) {
    const length = lists.get(root)
    if (length !== undefined) longest = Math.max(longest ?? 0, length)
  }
  return longest
}

/** A tool that takes one of a list gives one of a list: followed from the lists on until nothing is new. */
function followLists(
  { tools, givers }: Catalogue,
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
