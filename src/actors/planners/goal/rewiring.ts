// Steps outside what was planned anew: whom they take from now.
import type { Json } from '../../../plan/json.ts'
import { isChildOf, isReference, referencesIn, rewireStep } from '../../../plan/references.ts'
import type { Operation, Step } from '../../../plan/schema.ts'
import type { Link, Use } from './posedProblem.ts'
import { sameJson } from '../../../plan/sameJson.ts'
import type { Solved } from './solve.ts'
import type { Standing } from './standing.ts'
import type { StepLink } from './stepLinks.ts'

/** What is given anew to steps outside. */
export interface Supply {
  readonly solved: Solved
  /** What they take, in the order of the problem's wants behind those of the goal. */
  readonly links: readonly StepLink[]
  readonly goalWants: number
  /** Items that they have to do without. */
  readonly dropped: readonly StepLink[]
}

/** From now on these steps take from the new givers, or do without. */
export function rewireOthers(
  { solved, links, goalWants, dropped }: Supply,
  standing: Standing,
  idOf: ReadonlyMap<Use, string>,
): Operation[] {
  const { problem, solution } = solved
  if (solution === undefined) return []
  const next = new Map<Step, Rewiring[]>()
  const note = (link: StepLink, to: Json | undefined): void => {
    const others = next.get(link.step)
    if (others) others.push({ link, to })
    else next.set(link.step, [{ link, to }])
  }
  for (const [at, link] of links.entries()) {
    const want = problem.goal.links[at + goalWants]
    if (want) note(link, referenceFor(want, solved, idOf))
  }
  for (const link of dropped) note(link, undefined)
  return [...next].flatMap(([step, rewirings]) => rewireOne(step, rewirings, standing))
}

interface Rewiring {
  readonly link: StepLink
  /** The new reference or value; nothing where the step does without. */
  readonly to: Json | undefined
}

function referenceFor(want: Link, { solution }: Solved, idOf: ReadonlyMap<Use, string>): Json | undefined {
  const choice = solution?.choices.get(want)
  if (choice === undefined) return undefined
  if (choice === 'known') return want.atom.known?.from ?? want.atom.known?.value
  return { $from: idOf.get(choice.use) ?? '', path: choice.from }
}

function rewireOne(step: Step, rewirings: readonly Rewiring[], { steps }: Standing): Operation[] {
  const wanted = rewritten(step, rewirings)
  if (isSameWork(step, wanted)) return []
  const operations: Operation[] = []
  let rewired = step
  for (const { link, to } of rewirings) {
    const target = isReference(to) ? to.$from : to === undefined ? null : undefined
    if (
      target === undefined ||
      target === link.from ||
      operations.some((one) => one.op === 'rewire' && one.from === link.from)
    )
      continue
    if (isChildOf(link.from, steps.get(step.id) ?? step)) continue
    operations.push({ op: 'rewire', id: step.id, from: link.from, to: target })
    rewired = rewireStep(rewired, link.from, target)
  }
  return isSameWork(rewired, wanted) ? operations : [{ op: 'replace', id: step.id, step: wanted }]
}

function rewritten(step: Step, rewirings: readonly Rewiring[]): Step {
  const next: Step = { ...step, ...(step.input && { input: { ...step.input } }) }
  const after = new Set(step.after)
  const lists = new Map<string, (Json | undefined)[]>()
  for (const { link, to } of rewirings) {
    const { property, element } = link
    if (property === undefined) {
      after.delete(link.from)
      if (isReference(to)) after.add(to.$from)
    } else if (element === undefined) {
      if (next.input) next.input = { ...next.input, [property]: to ?? null }
    } else {
      const list = lists.get(property) ?? [...((step.input?.[property] ?? []) as readonly Json[])]
      list[element] = to
      lists.set(property, list)
    }
  }
  for (const [property, list] of lists) {
    next.input = { ...next.input, [property]: list.filter((one): one is Json => one !== undefined) }
  }
  for (const { $from } of referencesIn(next.input)) after.delete($from)
  if (after.size > 0) next.after = [...after].sort()
  else delete next.after
  return next
}

/** Whether two versions of a step do the same. */
export function isSameWork(a: Step, b: Step): boolean {
  return a === b || sameJson(contentOf(a), contentOf(b))
}

function contentOf({ tool, input, after, item, expect, executor, forEach }: Step): unknown {
  return { tool, input: input ?? {}, after: [...(after ?? [])].sort(), item, expect, executor, forEach }
}
