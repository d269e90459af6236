// The difference between a plan as it stands and as it should go on, as the fewest operations.
//
// D1. Steps that are right already are not mentioned.
// D2. What has failed stays where it is, as the record of what was tried; other means get ids of their own.
// D3. A step that waits keeps its id when it goes on doing the same work, also with another input.
import { isChildOf } from '../../../plan/references.ts'
import type { Operation, Step } from '../../../plan/schema.ts'
import { inPlanOrder } from './affected.ts'
import { openBranch } from './branch.ts'
import { factKey } from './factKey.ts'
import { changeAssumptions } from './assumptions.ts'
import { leastUnknown } from './leastUnknown.ts'
import type { Use } from './posedProblem.ts'
import { scopeOf } from './planIndex.ts'
import type { Weigh } from './priority.ts'
import { isSameWork, rewireOthers, type Supply } from './rewiring.ts'
import type { Standing } from './standing.ts'
import { writeSteps, type Written } from './writeSteps.ts'

export interface Change extends Supply {
  readonly standing: Standing
  /** Steps that were thought over. */
  readonly affected: ReadonlySet<string>
  readonly abandoned?: { readonly roots: ReadonlySet<string>; readonly because: string }
  /** Ids of assumptions that have turned out to be wrong. */
  readonly broken: readonly string[]
  readonly weigh: Weigh
}

export function describeChange(change: Change): readonly Operation[] {
  const { standing, affected, solved, weigh, broken } = change
  const { problem, bounds, solution } = solved
  if (solution === undefined) return []
  const written = writeSteps({
    problem,
    bounds,
    solution,
    isTaken: (id) => standing.steps.has(id),
    reuse: (uses) => matchSteps(uses, affected, standing),
    weigh,
    ...(!solution.isLeast && { note: leastUnknown }),
  })
  const gone = goneSteps(change, written)
  return [
    ...changeAssumptions({ standing, affected, broken }, written.assumptions, gone),
    ...placeSteps(change, written),
    ...rewireOthers(change, standing, written.idOf),
    ...freeGatherers(standing, gone),
    ...dismiss(change, gone),
  ]
}

/** Steps that wait, for the uses that may take their place: with the same tool first, then with what they gave. */
function matchSteps(uses: readonly Use[], affected: ReadonlySet<string>, standing: Standing): ReadonlyMap<Use, string> {
  const waiting = new Map<string, string[]>()
  for (const step of inPlanOrder(affected, standing)) {
    const { id } = step
    if (step.tool === undefined || !standing.isOpen(id)) continue
    const key = factKey(step.tool, scopeOf(step))
    const others = waiting.get(key)
    if (others) others.push(id)
    else waiting.set(key, [id])
  }
  const matched = new Map<Use, string>()
  for (const use of uses) {
    const id = waiting.get(factKey(use.tool?.name ?? '', use.scope))?.shift()
    if (id !== undefined) matched.set(use, id)
  }
  // Children that a forEach step gathers cannot be taken out: whoever gives the same takes their place.
  for (const ids of waiting.values()) {
    for (const id of ids) {
      const step = standing.steps.get(id)
      if (step === undefined || !isGathered(step, standing)) continue
      const gives = Object.keys(standing.toolOf(step)?.gives ?? {})
      const heir = uses.find(
        (use) =>
          !matched.has(use) && use.scope === step.item && gives.some((fact) => use.gives.has(factKey(fact, use.scope))),
      )
      if (heir) matched.set(heir, id)
    }
  }
  return matched
}

function isGathered({ id }: Step, { steps }: Standing): boolean {
  const parent = steps.get(id.replace(/\[\d+\]$/, ''))
  return parent !== undefined && parent.id !== id && isChildOf(id, parent)
}

/** Affected steps that wait and are not needed any more. */
function goneSteps({ affected, standing }: Change, { useOf }: Written): readonly Step[] {
  return inPlanOrder(affected, standing).filter(({ id }) => standing.isOpen(id) && !useOf.has(id))
}

/** New and changed steps, and those whose priority is another now. */
function placeSteps({ standing, links }: Change, { steps }: Written): Operation[] {
  const kept = steps.filter(({ id }) => standing.steps.has(id))
  const places = kept.map(({ id }) => standing.placeOf.get(id) ?? 0)
  const operations: Operation[] = []
  if (places.some((place, at) => at > 0 && place < (places[at - 1] ?? 0))) {
    const before = nextStep(Math.max(...places), new Set(kept.map(({ id }) => id)), standing)
    operations.push({ op: 'reorder', ids: kept.map(({ id }) => id), ...(before !== undefined && { before }) })
  }
  const frontier = links
    .map(({ step }) => step.id)
    .sort((a, b) => (standing.placeOf.get(a) ?? 0) - (standing.placeOf.get(b) ?? 0))[0]
  let before = frontier
  const inserts: Operation[] = []
  for (const step of [...steps].reverse()) {
    const former = standing.steps.get(step.id)
    if (former === undefined) inserts.push({ op: 'insert', step, ...(before !== undefined && { before }) })
    else if (!isSameWork(former, step)) operations.push({ op: 'replace', id: step.id, step })
    before = step.id
  }
  return [...operations, ...inserts]
}

function nextStep(place: number, except: ReadonlySet<string>, { plan }: Standing): string | undefined {
  let next = place + 1
  while (except.has(plan.steps[next]?.id ?? '')) next += 1
  return plan.steps[next]?.id
}

/** A gatherer whose children are replaced gathers what there is, and nobody has to wait for it. */
function freeGatherers(standing: Standing, gone: readonly Step[]): Operation[] {
  const goneIds = new Set(gone.map(({ id }) => id))
  const operations: Operation[] = []
  for (const step of standing.expanded) {
    if (!standing.isOpen(step.id)) continue
    const losesChild = [...goneIds].some((id) => isChildOf(id, step))
    if (losesChild) operations.push({ op: 'remove', id: step.id })
    else if (step.onSkipped !== 'run')
      operations.push({ op: 'replace', id: step.id, step: { ...step, onSkipped: 'run' } })
  }
  return operations
}

function dismiss({ abandoned, standing }: Change, gone: readonly Step[]): Operation[] {
  if (abandoned === undefined) return gone.map(({ id }) => ({ op: 'remove', id }))
  const { roots, because } = abandoned
  const lost = openBranch(roots, standing)
  return [
    ...[...roots].map((id): Operation => ({ op: 'abandon', id, because })),
    ...gone.flatMap(({ id }): Operation[] => (lost.has(id) ? [] : [{ op: 'remove', id }])),
  ]
}
