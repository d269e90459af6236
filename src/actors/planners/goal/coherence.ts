// Which facts a use may take together.
//
// A fact can have versions: `transcode` takes a file and gives a file. A use takes the newest version of each fact that
// anything before it gives; else a reader would be sent the old file because the new one is known to be UTF-8.
// In other words: the uses before it can be put in an order in which each giver it relies on is the last to give that fact.
import type { Json } from '../../../plan/json.ts'
import type { Knowledge } from './knowledge.ts'
import { mostInLine } from './lineage.ts'
import type { Order } from './order.ts'
import type { Link, Use } from './posedProblem.ts'
import type { Draft } from './draft.ts'
import { fitInput } from './inputFit.ts'

/** Whether these uses, and all that take from them, take newest versions only. */
export function isCoherent(touched: ReadonlySet<Use>, draft: Draft, order: Order): boolean {
  const seen = new Set(touched)
  for (const use of seen) {
    for (const consumer of draft.consumersOf(use)) seen.add(consumer)
    const links = use.links.filter((link) => draft.choiceOf(link) !== undefined && order.isVolatile(link.atom.key))
    if (links.length > 0 && !takesNewest(use, links, draft, order)) return false
  }
  return true
}

function takesNewest(use: Use, links: readonly Link[], draft: Draft, order: Order): boolean {
  const before = forerunners(use, draft)
  const mustFollow = new Map<Use, Use[]>()
  for (const link of links) {
    const choice = draft.choiceOf(link)
    if (choice === undefined) continue
    for (const other of order.giversOf(link.atom.key)) {
      if (!before.has(other) || (choice !== 'known' && other === choice.use)) continue
      if (choice === 'known') return false
      mustFollow.set(choice.use, [...(mustFollow.get(choice.use) ?? []), other])
    }
  }
  return mustFollow.size === 0 || hasOrder(before, mustFollow, draft)
}

function forerunners(use: Use, draft: Draft): ReadonlySet<Use> {
  const found = new Set<Use>()
  const add = (one: Use): void => {
    for (const link of one.links) {
      const choice = draft.choiceOf(link)
      if (choice !== undefined && choice !== 'known') found.add(choice.use)
    }
  }
  add(use)
  for (const one of found) add(one)
  return found
}

/** Whether uses can be ordered by their links and by what must follow what. */
function hasOrder(uses: ReadonlySet<Use>, mustFollow: ReadonlyMap<Use, readonly Use[]>, draft: Draft): boolean {
  const state = new Map<Use, 'open' | 'done'>()
  const visit = (use: Use): boolean => {
    const known = state.get(use)
    if (known) return known === 'done'
    state.set(use, 'open')
    for (const link of use.links) {
      const choice = draft.choiceOf(link)
      if (choice !== undefined && choice !== 'known' && !visit(choice.use)) return false
    }
    for (const other of mustFollow.get(use) ?? []) if (!visit(other)) return false
    state.set(use, 'done')
    return true
  }
  for (const use of uses) if (!visit(use)) return false
  return true
}

/** False where a tool would get an input that it had before, or gets elsewhere in the plan: the same again tells nothing new. */
export function isUntried(use: Use, draft: Draft, { tried, lineage }: Knowledge): boolean {
  if (use.tool === undefined || use.standing) return true
  if (use.copy > 0 && isRepetition(use, draft)) return false
  if (tried === undefined) return true
  const { name } = use.tool
  if (use.links.some((link) => lineage(giverOf(link, draft), name) >= mostInLine)) return false
  const values = inputOf(use, draft, (link) => (draft.choiceOf(link) === 'known' ? link.atom.known?.value : undefined))
  if (values && tried.has(name, values)) return false
  const references = inputOf(use, draft, (link) => referenceOf(link, draft))
  return references === undefined || !tried.has(name, references)
}

function isRepetition(use: Use, draft: Draft): boolean {
  const first = use.firstCopy
  if (first === undefined || !draft.isChosen(first)) return false
  return use.links.every((link, at) => {
    const other = first.links[at]
    if (link.property === undefined || other === undefined) return true
    const [a, b] = [draft.choiceOf(link), draft.choiceOf(other)]
    return a === b || (a !== undefined && b !== undefined && a !== 'known' && b !== 'known' && a.use === b.use)
  })
}

function inputOf(use: Use, draft: Draft, valueOf: (link: Link) => Json | undefined): Json | undefined {
  const input: Record<string, Json> = use.tool ? { ...fitInput(use.tool).fixed } : {}
  for (const link of use.links) {
    if (link.property === undefined || link.isLeftOut) continue
    const value = valueOf(link)
    if (value === undefined) return undefined
    if (link.isEach) input[link.property] = [...((input[link.property] ?? []) as readonly Json[]), value]
    else input[link.property] = value
  }
  return input
}

/** What will stand in the input, as far as it has an id already. */
function referenceOf(link: Link, draft: Draft): Json | undefined {
  const choice = draft.choiceOf(link)
  if (choice === undefined) return undefined
  if (choice === 'known') return link.atom.known?.from ?? link.atom.known?.value
  return choice.use.standing && { $from: choice.use.standing.id, path: choice.from }
}

/** The id of the step that gives it; nothing where it has none yet. */
function giverOf(link: Link, draft: Draft): string {
  const choice = draft.choiceOf(link)
  if (choice === undefined) return ''
  return (choice === 'known' ? link.atom.known?.from?.$from : choice.use.standing?.id) ?? ''
}
