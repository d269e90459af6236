// Expanding: a `forEach` whose array is known becomes one child per item, as a recorded revision.
import { expandForEach } from '../../plan/expand.ts'
import type { Json } from '../../plan/json.ts'
import type { Operation, Step } from '../../plan/schema.ts'
import { lookUp, propagate } from './advance.ts'
import { countOut } from './lanes.ts'
import { failStep, raise } from './fail.ts'
import { adoptPatch } from './revise.ts'
import { setEntry, type Turn } from './turn.ts'

/** Expands every `forEach` that has become ready; what that makes ready is expanded as well. */
export function expandReady(turn: Turn): void {
  propagate(turn)
  while (turn.expanding.length > 0) {
    const operations: Operation[] = []
    const told: string[] = []
    const ids = turn.expanding.splice(0)
    for (const id of ids) {
      const step = turn.steps.get(id)
      if (step?.forEach === undefined || step.expanded !== undefined || turn.plan === undefined) continue
      if (turn.entries.get(id)?.status !== 'ready') continue // held in this very turn: it comes again when it is let go
      const items = lookUp(turn, step.forEach)
      if (Array.isArray(items) && fits(turn, items.length)) {
        operations.push(...expandForEach(turn.plan, id, items.length))
        told.push(`"${id}" has ${String(items.length)} items`)
      } else refuse(turn, step, items)
    }
    if (operations.length === 0 || turn.plan === undefined) continue
    adoptPatch(turn, {
      base: turn.plan.revision,
      by: { planner: 'coordinator' },
      because: { type: 'expanded', text: told.join('; '), steps: ids },
      operations,
    })
    if (turn.run.elaborates)
      raise(turn, { type: 'expanded', text: told.join('; '), ...(ids[0] !== undefined && { stepId: ids[0] }) })
    propagate(turn)
  }
}

function fits(turn: Turn, items: number): boolean {
  return (turn.plan?.steps.length ?? 0) + items <= turn.limits.steps
}

function refuse(turn: Turn, step: Step, items: Json | undefined): void {
  const entry = turn.entries.get(step.id)
  if (entry === undefined) return
  const what = Array.isArray(items)
    ? `an array of ${String(items.length)} items`
    : items === undefined
      ? 'nothing'
      : typeof items
  countOut(turn, step, 1)
  setEntry(turn, step.id, {
    ...entry,
    status: 'running',
    attempt: entry.attempt + 1,
    tries: entry.tries + 1,
    startedAt: turn.now,
  })
  failStep(
    turn,
    step.id,
    { ...entry, status: 'running', attempt: entry.attempt + 1, tries: entry.tries + 1, startedAt: turn.now },
    {
      code: Array.isArray(items) ? 'PLAN_TOO_LARGE' : 'FOREACH_NOT_ARRAY',
      message: `Step "${step.id}" goes over "${step.forEach?.path ?? ''}" of "${step.forEach?.$from ?? ''}", which is ${what}.`,
      hint: Array.isArray(items)
        ? `A plan may have ${String(turn.limits.steps)} steps; raise limits.steps, or go over fewer items.`
        : 'Refer to an array in the output of a step before it.',
      retryable: false,
    },
  )
}
