// Why a goal cannot be met: what is missing, and which tool came nearest.
import { explainUnfit } from './inputFit.ts'
import type { Atom, Link, Problem, Use } from './posedProblem.ts'
import type { Bounds } from './costBounds.ts'
import { inWords } from './writeSteps.ts'

/** One sentence for each want that cannot be met. */
export function explainMissing(problem: Problem, bounds: Bounds, unmet: readonly Link[]): string {
  const seen = new Set<string>()
  const sentences: string[] = []
  for (const link of unmet) {
    const sentence = explainLink(link, bounds, problem)
    if (!seen.has(sentence)) sentences.push(sentence)
    seen.add(sentence)
  }
  const shown = sentences.slice(0, 5)
  const rest = sentences.length - shown.length
  return `${shown.join(' ')}${rest > 0 ? ` And ${String(rest)} more like these.` : ''}`
}

function explainLink(link: Link, bounds: Bounds, problem: Problem): string {
  const behind = missingBehind(link, bounds)
  const unfit = behind.filter((atom) => atom.unfit.length > 0).map((atom) => explainUnfit(atom.unfit))
  const nested = behind.filter((atom) => atom.nested.length > 0).map(explainNested)
  return [explainGap(link, bounds, problem), ...unfit.slice(0, 3), ...nested.slice(0, 3)].join(' ')
}

function explainNested({ fact, nested }: Atom): string {
  const names = nested.slice(0, 3).map(({ name }) => name)
  return `${names.join(' and ')} would give a list of ${fact} for each item of another list, and lists within lists are not planned for: give a tool that takes the whole list (a need with "each") and gives one flat list of ${fact}.`
}

function explainGap({ atom }: Link, bounds: Bounds, problem: Problem): string {
  const what = `${atom.key}${atom.is === undefined ? '' : ` that ${inWords(atom.is)}`}`
  const candidates = atom.supports.map((support) => support.use)
  if (candidates.length === 0) {
    const others = problem.atoms.some((other) => other.key === atom.key && other.supports.length > 0)
    return `Nothing gives ${what}${others ? ', only other values of it' : ''}.`
  }
  const nearest = [...candidates].sort(
    (a, b) => lacking(a, bounds).length - lacking(b, bounds).length || a.cost - b.cost || a.id - b.id,
  )[0]
  const roots = nearest ? rootsOf(nearest, bounds) : []
  const names = [
    ...new Set(
      roots.map((link) => `${link.atom.key}${link.atom.is === undefined ? '' : ` that ${inWords(link.atom.is)}`}`),
    ),
  ]
  return `Nothing gives ${what}: ${nearest?.tool?.name ?? ''} came nearest, but ${names.slice(0, 3).join(' and ')} is missing.`
}

function lacking(use: Use, bounds: Bounds): readonly Link[] {
  return use.links.filter((link) => !link.isLeftOut && bounds.atMost[link.atom.id] === Infinity)
}

/** All that is missing on the way down. */
function missingBehind({ atom }: Link, bounds: Bounds): readonly Atom[] {
  const seen = new Set([atom])
  for (const { supports } of seen) {
    for (const { use } of supports) for (const link of lacking(use, bounds)) seen.add(link.atom)
  }
  return [...seen]
}

/** What is missing at the bottom: facts that no tool gives, or that tools could only give to each other. */
function rootsOf(use: Use, bounds: Bounds): readonly Link[] {
  const roots: Link[] = []
  const seen = new Set<Use>([use])
  for (const one of seen) {
    for (const link of lacking(one, bounds)) {
      const fresh = link.atom.supports.filter((support) => !seen.has(support.use))
      const nearest = [...fresh].sort(
        (a, b) => lacking(a.use, bounds).length - lacking(b.use, bounds).length || a.use.id - b.use.id,
      )[0]
      if (nearest) seen.add(nearest.use)
      else roots.push(link)
    }
  }
  return roots
}
