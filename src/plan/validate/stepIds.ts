// Ids: which there are, which were given twice, and which those steps may have whose id cannot be read.
import type { Finding } from '../finding.ts'
import { deepFreeze } from '../freeze.ts'
import { childId, dependenciesOf } from '../references.ts'
import { stepIdSchema, type Step } from '../schema.ts'
import { idOfStep, nameOfStep, unreadId, type PlacedAssumption, type PlacedStep } from './planView.ts'
import { problem, quoted, Suggestions } from './report.ts'

export interface StepIds {
  /** The steps, without marks of an expansion whose children are not there. */
  readonly steps: readonly PlacedStep[]
  readonly ids: ReadonlySet<string>
  readonly doubledIds: ReadonlySet<string>
  readonly guessedIds: ReadonlySet<string>
  readonly findings: readonly Finding[]
}

export function judgeIds(
  placed: readonly PlacedStep[],
  assumptions: readonly PlacedAssumption[],
  isListed: boolean,
): StepIds {
  const ids = new Set<string>()
  const doubledIds = new Set<string>()
  const findings: Finding[] = []
  let nameless = 0
  for (const one of placed) {
    const { id } = one.step
    if (id === unreadId || one.unread.has('id')) nameless += 1
    if (id === unreadId) continue
    if (ids.has(id)) {
      doubledIds.add(id)
      const message = `There is more than one step with the id ${quoted(id)}.`
      const hint = 'Give each step an id of its own.'
      findings.push(problem('STEP_DUPLICATE', ['steps', one.index, 'id'], idOfStep(one), message, hint))
    }
    ids.add(id)
  }
  const lostChildren = new Map<PlacedStep, string>()
  const steps = placed.map((one) => {
    const child = findLostChild(one.step, ids)
    if (child === undefined) return one
    const unexpanded = withoutExpanded(one)
    lostChildren.set(unexpanded, child)
    return unexpanded
  })
  const guessedIds = isListed ? guessIds(nameless, steps, assumptions, lostChildren.values(), ids) : new Set<string>()
  const like = new Suggestions(ids)
  for (const [one, child] of lostChildren) {
    if (guessedIds.has(child)) continue
    const message = `${nameOfStep(one)} depends on ${quoted(child)}, which is not in the plan.`
    const hint = like.hint(child, 'Add the children that "expanded" counts, or take "expanded" out.')
    findings.push(problem('STEP_UNKNOWN', ['steps', one.index, 'expanded'], idOfStep(one), message, hint))
  }
  return { steps, ids, doubledIds, guessedIds, findings }
}

/** The first child that an expanded step lacks. What is counted is there, so looking costs no more than there are steps. */
function findLostChild({ id, expanded = 0 }: Step, ids: ReadonlySet<string>): string | undefined {
  if (id === unreadId) return expanded > 0 ? childId(id, 0) : undefined
  for (let index = 0; index < expanded; index++) if (!ids.has(childId(id, index))) return childId(id, index)
  return undefined
}

function withoutExpanded(placed: PlacedStep): PlacedStep {
  const { expanded: _, ...rest } = placed.step
  return { ...placed, step: deepFreeze(rest), unread: new Set([...placed.unread, 'expanded']) }
}

/** Ids that are referred to and that no step has. Where there are no more of them than steps without a usable id, they are
 * taken for theirs: to report them as well would be to report one mistake twice. */
function guessIds(
  nameless: number,
  steps: readonly PlacedStep[],
  assumptions: readonly PlacedAssumption[],
  lostChildren: Iterable<string>,
  ids: ReadonlySet<string>,
): ReadonlySet<string> {
  const strangers = new Set<string>()
  if (nameless === 0) return strangers
  for (const id of namedIn(steps, assumptions, lostChildren)) {
    if (ids.has(id) || !stepIdSchema.safeParse(id).success) continue
    strangers.add(id)
    if (strangers.size > nameless) return new Set()
  }
  return strangers
}

function* namedIn(
  steps: readonly PlacedStep[],
  assumptions: readonly PlacedAssumption[],
  lostChildren: Iterable<string>,
): Generator<string> {
  for (const { step } of steps) yield* dependenciesOf(step)
  for (const { assumption } of assumptions) yield* assumption.steps
  yield* lostChildren
}
