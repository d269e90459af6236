// Expanding: a `forEach` whose array is known becomes one child per item, as a recorded revision.
import { expandForEach } from '../../plan/expand.ts'
import type { Json } from '../../plan/json.ts'
import type { Operation, Patch, Step } from '../../plan/schema.ts'
import type { Failure } from '../reports.messages.ts'
import { lookUp, propagate } from './advance.ts'
import { countOut } from './lanes.ts'
import { failStep, raise } from './fail.ts'
import type { Entry } from './ledger.ts'
import { noteItems } from './lostEnd.ts'
import { tryPatch } from './revise.ts'
import { setEntry, type Turn } from './turn.ts'

/** Expands every `forEach` that has become ready; what that makes ready is expanded as well. */
export function expandReady(turn: Turn): void {
  propagate(turn)
  while (turn.expanding.length > 0) {
    const ids = turn.expanding.splice(0)
    if (!expandAll(turn, ids)) for (const id of ids) if (!expandAll(turn, [id])) refuseChildren(turn, id)
    propagate(turn)
  }
}

/** Expands these steps in one revision. @returns whether it could be adopted; if not, nothing has changed. */
function expandAll(turn: Turn, ids: readonly string[]): boolean {
  const operations: Operation[] = []
  const told: string[] = []
  const expanded: string[] = []
  for (const id of ids) {
    const step = turn.steps.get(id)
    if (step?.forEach === undefined || step.expanded !== undefined || turn.plan === undefined) continue
    if (turn.entries.get(id)?.status !== 'ready') continue // held in this very turn: it comes again when it is let go
    const items = lookUp(turn, step.forEach)
    if (Array.isArray(items) && fits(turn, items.length)) {
      operations.push(...expandForEach(turn.plan, id, items.length))
      told.push(`"${id}" has ${String(items.length)} items`)
      expanded.push(id)
    } else refuse(turn, step, items)
  }
  if (operations.length === 0 || turn.plan === undefined) return true
  const text = told.join('; ')
  const because: Patch['because'] = { type: 'expanded', text, steps: expanded }
  const patch: Patch = { base: turn.plan.revision, by: { planner: 'coordinator' }, because, operations }
  if (tryPatch(turn, patch) !== undefined) return false
  for (const id of expanded) noteItems(turn, patch, id)
  if (turn.run.elaborates)
    raise(turn, { type: 'expanded', text, ...(expanded[0] !== undefined && { stepId: expanded[0] }) })
  return true
}

function fits(turn: Turn, items: number): boolean {
  return (turn.plan?.steps.length ?? 0) + items <= turn.limits.steps
}

function refuse(turn: Turn, step: Step, items: Json | undefined): void {
  const what = Array.isArray(items)
    ? `an array of ${String(items.length)} items`
    : items === undefined
      ? 'nothing'
      : typeof items
  failAtOnce(turn, step.id, {
    code: Array.isArray(items) ? 'PLAN_TOO_LARGE' : 'FOREACH_NOT_ARRAY',
    message: `Step "${step.id}" goes over "${step.forEach?.path ?? ''}" of "${step.forEach?.$from ?? ''}", which is ${what}.`,
    hint: Array.isArray(items)
      ? `A plan may have ${String(turn.limits.steps)} steps; raise limits.steps, or go over fewer items.`
      : 'Refer to an array in the output of a step before it.',
    retryable: false,
  })
}

/** Its children cannot be put into the plan: steps with their ids are there already, from an earlier expansion or by name. */
function refuseChildren(turn: Turn, id: string): void {
  failAtOnce(turn, id, {
    code: 'FOREACH_IDS_TAKEN',
    message: `Step "${id}" cannot be expanded: the plan has steps already that are named as its children would be, as "${id}[0]".`,
    hint: 'Give the step that goes over the list another id, or remove the steps with such names first.',
    retryable: false,
  })
}

/** Fails a step that never got as far as an executor. */
function failAtOnce(turn: Turn, id: string, failure: Failure): void {
  const step = turn.steps.get(id)
  const entry = turn.entries.get(id)
  if (step === undefined || entry === undefined) return
  const { attempt, tries } = entry
  const running: Entry = { ...entry, status: 'running', attempt: attempt + 1, tries: tries + 1, startedAt: turn.now }
  countOut(turn, step, 1)
  setEntry(turn, id, running)
  failStep(turn, id, running, failure)
}
