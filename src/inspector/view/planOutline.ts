// The current revision of a plan as a drawing needs it, brought from revision to revision by what changed.
//
// O1. The outline of a patched plan is the patched outline: what `applyPatch` does to steps, this does to their outlines.
// O2. An outline is never changed: earlier revisions stay as they were, and share what they have in common.
import { StepList } from '../../plan/index.ts'
import type { OutlineOperation, RevisionMade, StepOutline } from '../protocol/runEntry.ts'
import type { PlanOutline } from '../protocol/runSnapshot.ts'

export const noPlan: PlanOutline = { revision: 0, steps: [], assumptions: [] }

/** The outline after a revision. Costs as much as the plan is long; a step that streams in, a copy of the list. */
export function revised(before: PlanOutline, { revision, kind, operations }: RevisionMade): PlanOutline {
  const [only] = operations
  if (kind === 'streamed' && only?.op === 'insert') return { ...before, revision, steps: [...before.steps, only.step] }
  const work = kind === 'whole' ? noPlan : before
  const steps = new StepList(work.steps)
  const assumptions = new Map(work.assumptions.map((one) => [one.id, one]))
  let { goal } = work
  for (const operation of operations) {
    if (operation.op === 'regoal') goal = operation.goal
    else if (operation.op === 'assume')
      assumptions.set(operation.id, { id: operation.id, statement: operation.statement })
    else if (operation.op === 'unassume') assumptions.delete(operation.id)
    else change(steps, operation)
  }
  return {
    revision,
    steps: [...steps],
    assumptions: [...assumptions.values()],
    ...(goal !== undefined && { goal }),
  }
}

function change(
  steps: StepList<StepOutline>,
  operation: Exclude<OutlineOperation, { readonly op: 'assume' | 'unassume' | 'regoal' }>,
): void {
  switch (operation.op) {
    case 'insert':
      steps.insert(operation.step, operation.before)
      return
    case 'remove':
      steps.remove(operation.id)
      return
    case 'replace':
      steps.set(operation.step)
      return
    case 'reorder':
      for (const id of operation.ids) steps.move(id, operation.before)
      return
    case 'rewire': {
      const step = steps.get(operation.id)
      if (step !== undefined) steps.set(rewired(step, operation.from, operation.to))
      return
    }
    case 'abandon': // the steps stay; their status says it
      return
  }
}

function rewired({ needs = [], ...step }: StepOutline, from: string, to: string | null): StepOutline {
  const others = needs.flatMap((id) => (id !== from ? [id] : to === null ? [] : [to]))
  const left = [...new Set(others)]
  return { ...step, ...(left.length > 0 && { needs: left }) }
}
