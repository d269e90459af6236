// Expanding a `forEach`: one child per item, as ordinary steps that a person can read and a planner can amend one by one.
//
// N1. A step that goes over another `forEach` step (path '') is zipped with it: child i waits for child i alone, so that
//     no item waits for another.
// N2. The parent stays, as a step that gathers its children's outputs in order.
import { PlanloomError } from '../errors.ts'
import type { Json, JsonObject } from './json.ts'
import { formatPointer } from './pointer.ts'
import { childId, isItemPointer, mapItemPointers } from './references.ts'
import type { Assumption, Operation, Plan, Reference, Step } from './schema.ts'

/** The operations that expand a `forEach` step, and every step that is zipped with it.
 *
 * @param length number of items of the array that the step goes over.
 * @throws `STEP_UNKNOWN` when there is no such step, or it is not a `forEach` step that still has to be expanded.
 */
export function expandForEach(plan: Plan, stepId: string, length: number): readonly Operation[] {
  const root = plan.steps.find((step) => step.id === stepId)
  if (root?.forEach === undefined || root.expanded !== undefined) {
    throw new PlanloomError('STEP_UNKNOWN', `"${stepId}" is not a forEach step that could be expanded.`, { where: { stepId } })
  }
  const expanded = [root]
  const operations: Operation[] = []
  for (const step of expanded) {
    operations.push(...expandOne(step, length, root.forEach))
    for (const other of plan.steps) {
      if (other.forEach?.$from === step.id && other.forEach.path === '' && other.expanded === undefined) expanded.push(other)
    }
  }
  operations.push(...expandAssumptions(plan.assumptions, new Set(expanded.map((step) => step.id)), root, length))
  return operations
}

function expandOne(step: Step, length: number, source: Reference): Operation[] {
  const operations: Operation[] = []
  for (let index = 0; index < length; index++) {
    operations.push({ op: 'insert', step: childOf(step, index, source), before: step.id })
  }
  operations.push({ op: 'replace', id: step.id, step: { ...step, expanded: length } })
  return operations
}

function childOf(step: Step, index: number, source: Reference): Step {
  const forEach = step.forEach ?? source
  // Zipped with another forEach step, child i refers to that step's child i.
  const isZipped = forEach !== source
  const item = (pointer: string): Reference =>
    isZipped
      ? { $from: childId(forEach.$from, index), path: pointer }
      : { $from: forEach.$from, path: `${forEach.path}${formatPointer([index])}${pointer}` }
  const { expanded: _expanded, forEach: _forEach, ...rest } = step
  const child: Step = { ...rest, id: childId(step.id, index), item: step.item === undefined ? String(index) : `${step.item}.${String(index)}` }
  if (step.input) child.input = mapItemPointers(step.input as Json, item as (pointer: string) => Json & Reference) as JsonObject
  if (step.when && isItemPointer(step.when.value)) child.when = { ...step.when, value: item(step.when.value.$item) }
  if (isZipped && !usesItem(step)) child.after = [...new Set([...(step.after ?? []), childId(forEach.$from, index)])]
  return child
}

function usesItem(step: Step): boolean {
  let found = false
  const look = (): Json => {
    found = true
    return null
  }
  if (step.input) mapItemPointers(step.input as Json, look)
  return found || (step.when !== undefined && isItemPointer(step.when.value))
}

/** An assumption that rests on expanded steps becomes one for each item, about that item's fact. */
function expandAssumptions(assumptions: readonly Assumption[], expanded: ReadonlySet<string>, root: Step, length: number): Operation[] {
  const operations: Operation[] = []
  for (const assumption of assumptions) {
    const resting = assumption.steps.filter((id) => expanded.has(id))
    if (resting.length === 0) continue
    const others = assumption.steps.filter((id) => !expanded.has(id))
    operations.push({ op: 'unassume', id: assumption.id })
    if (others.length > 0) operations.push({ op: 'assume', assumption: { ...assumption, steps: others } })
    for (let index = 0; index < length; index++) {
      const steps = resting.map((id) => childId(id, index))
      const fact = factOfItem(assumption.fact, root.item, index)
      operations.push({ op: 'assume', assumption: { ...assumption, id: childId(assumption.id, index), fact, steps } })
    }
  }
  return operations
}

/** `format` of item 3 is `format[3]`; within an item, `format[3]` of its item 1 is `format[3.1]`. */
function factOfItem(fact: string, item: string | undefined, index: number): string {
  const suffix = item === undefined ? '' : `[${item}]`
  const name = suffix !== '' && fact.endsWith(suffix) ? fact.slice(0, -suffix.length) : fact
  return `${name}[${item === undefined ? '' : `${item}.`}${String(index)}]`
}
