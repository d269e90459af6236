// Expanding a `forEach`: one child per item, as ordinary steps that a person can read and a planner can amend one by one.
//
// N1. A step that goes over another `forEach` step (path '') is zipped with it: child i waits for child i alone, so that
//     no item waits for another.
// N2. The parent stays, as a step that gathers its children's outputs in order; what decided about items is theirs now.
// N3. A child depends on what its item comes from, even where its input does not use the item.
import { PlanloomError } from '../errors.ts'
import type { JsonObject } from './json.ts'
import { childId, dependenciesOf, isItemPointer, mapItemPointers } from './references.ts'
import type { Assumption, Operation, Plan, Reference, Step } from './schema.ts'

/** The operations that expand a `forEach` step, and every step that is zipped with it.
 *
 * An assumption that such a step rests on holds for its children, too; since the fact may be one of each item, there is
 * also one assumption for each child, about `fact[3]`.
 *
 * @param length number of items of the array that the step goes over.
 * @returns operations for a patch. Their number grows with items × expanded steps.
 * @throws `EXPANSION_REFUSED` when there is no such step, or it is not a `forEach` step that still has to be expanded.
 * @example
 * import { applyPatch, expandForEach, parsePlan } from 'planloom/plan'
 * const steps = [
 *   { id: 'list', tool: 'list_files' },
 *   { id: 'read', tool: 'read_file', forEach: { $from: 'list', path: '/files' }, input: { file: { $item: '/name' } } },
 * ]
 * const plan = parsePlan({ id: 'p', goal: { text: 'read all' }, steps })
 * const operations = [...expandForEach(plan, 'read', 2)]
 * const next = applyPatch(plan, { base: 1, by: plan.by, because: { type: 'expanded', text: '2 files' }, operations })
 * next.steps.map((step) => step.id) // ['list', 'read[0]', 'read[1]', 'read']
 */
export function expandForEach(plan: Plan, stepId: string, length: number): readonly Operation[] {
  const steps = new Map(plan.steps.map((step) => [step.id, step]))
  const root = steps.get(stepId)
  if (!isOpen(root)) {
    throw new PlanloomError('EXPANSION_REFUSED', `"${stepId}" is not a forEach step that is still to be expanded.`, {
      where: { stepId },
    })
  }
  const zipped = new Map<string, ForEach[]>()
  for (const step of plan.steps) {
    if (!isOpen(step) || step.forEach.path !== '' || step.abandoned !== undefined) continue
    const others = zipped.get(step.forEach.$from)
    if (others) others.push(step)
    else zipped.set(step.forEach.$from, [step])
  }
  const opened = new Map<string, ForEach>([[stepId, root]])
  for (const step of opened.values()) for (const other of zipped.get(step.id) ?? []) opened.set(other.id, other)
  const operations: Operation[] = []
  for (const step of opened.values()) {
    const source = opened.has(step.forEach.$from) ? { ...step.forEach, expanded: length } : sourceOf(step, steps)
    for (let index = 0; index < length; index++) {
      operations.push({ op: 'insert', step: childOf(step, index, source, steps), before: step.id })
    }
    operations.push({ op: 'replace', id: step.id, step: gatherer(step, length) })
  }
  operations.push(...expandAssumptions(plan.assumptions, opened, stepId, length))
  return operations
}

type ForEach = Step & { readonly forEach: Reference }

/** What a step goes over. */
interface Source extends Reference {
  /** Number of steps that give the items one by one; absent where one step gives them all. */
  readonly expanded?: number | undefined
}

function isOpen(step: Step | undefined): step is ForEach {
  return step?.forEach !== undefined && step.expanded === undefined
}

function sourceOf({ forEach }: ForEach, steps: ReadonlyMap<string, Step>): Source {
  return forEach.path === '' ? { ...forEach, expanded: steps.get(forEach.$from)?.expanded } : forEach
}

/** The place of an item in the plan: N1. */
function itemAt(source: Source, index: number): Reference {
  if (source.expanded !== undefined && index < source.expanded) return { $from: childId(source.$from, index), path: '' }
  return { $from: source.$from, path: `${source.path}/${index}` }
}

function childOf(step: ForEach, index: number, source: Source, steps: ReadonlyMap<string, Step>): Step {
  const { forEach: _, ...rest } = step
  const item = itemAt(source, index)
  const refer = (path: string): Reference => ({ $from: item.$from, path: `${item.path}${path}` })
  const child: Step = {
    ...rest,
    id: childId(step.id, index),
    item: step.item === undefined ? String(index) : `${step.item}.${index}`,
  }
  if (step.input) child.input = mapItemPointers(step.input, refer) as JsonObject
  if (step.when && isItemPointer(step.when.value)) child.when = { ...step.when, value: refer(step.when.value.$item) }
  if (!dependenciesOf(child).includes(item.$from)) child.after = [...(step.after ?? []), item.$from] // N3
  const lost = steps.get(item.$from)?.abandoned
  if (lost !== undefined && step.onSkipped !== 'run') child.abandoned ??= lost
  return child
}

/** N2. A `when` that speaks of the item is the children's; one that speaks of another step still holds for all. */
function gatherer(step: ForEach, expanded: number): Step {
  const { when, ...rest } = step
  return when === undefined || isItemPointer(when.value) ? { ...rest, expanded } : { ...rest, when, expanded }
}

function expandAssumptions(
  assumptions: readonly Assumption[],
  opened: ReadonlyMap<string, Step>,
  rootId: string,
  length: number,
): Operation[] {
  const item = opened.get(rootId)?.item
  return assumptions.flatMap((assumption) => {
    const parents = assumption.steps.filter((id) => opened.has(id))
    if (parents.length === 0) return []
    const each = Array.from({ length }, (_, index): Assumption => {
      return {
        ...assumption,
        id: childId(assumption.id, index),
        fact: item === undefined ? childId(assumption.fact, index) : `${assumption.fact.replace(/\]$/, '')}.${index}]`,
        steps: parents.map((id) => childId(id, index)),
      }
    })
    const all = { ...assumption, steps: [...assumption.steps, ...each.flatMap(({ steps }) => steps)] }
    return [all, ...each].map((one): Operation => ({ op: 'assume', assumption: one }))
  })
}
