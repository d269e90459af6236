// Plans and patches as drawings of them need them: who waits for whom, and what each step is called.
import { childId, dependenciesOf, type Operation, type Patch, type Plan, type Step } from '../../plan/index.ts'
import { roleOf, type RunStarted } from '../../runtime/index.ts'
import type { OutlineOperation, RevisionMade, StepOutline } from '../protocol/runEntry.ts'
import { shortened } from './shortened.ts'

/** Longest text that an outline has; the whole of it is there for the asking. */
const outlineText = 200

/** How a step looks in a drawing of its plan. */
export function outlineOf(step: Step, run: RunStarted): StepOutline {
  const needs = needsOf(step)
  const words = step.goal?.text ?? step.instruction
  return {
    id: step.id,
    ...(step.title !== undefined && { title: shortened(step.title, outlineText) }),
    ...(step.tool !== undefined && { tool: step.tool }),
    ...(words !== undefined && { words: shortened(words, outlineText) }),
    role: roleOf(run, step),
    ...(needs.length > 0 && { needs }),
    ...(step.forEach !== undefined && { forEach: true }),
    ...(step.expanded !== undefined && { expanded: step.expanded }),
    ...(step.approval !== undefined && { approval: true }),
    ...(step.why !== undefined && { why: shortened(step.why, outlineText) }),
  }
}

/** A plan that has none before it. */
export function wholePlan({ revision, by, because, steps, assumptions }: Plan, run: RunStarted): RevisionMade {
  return {
    revision,
    kind: 'whole',
    by: by.planner,
    because: reasonOf(because),
    operations: [
      ...steps.map((step): OutlineOperation => ({ op: 'insert', step: outlineOf(step, run) })),
      ...assumptions.map((assumption) => outlineOperation({ op: 'assume', assumption }, run)),
    ],
  }
}

/** One more step of a plan that is still being written. */
export function streamedStep(step: Step, run: RunStarted): RevisionMade {
  return {
    revision: 1,
    kind: 'streamed',
    by: run.planner,
    because: { type: 'streamed', text: 'the plan is being written' },
    operations: [{ op: 'insert', step: outlineOf(step, run) }],
  }
}

/** The revision that a patch has made. */
export function patchedPlan({ by, because, operations }: Patch, revision: number, run: RunStarted): RevisionMade {
  return {
    revision,
    kind: 'patch',
    by: by.planner,
    because: reasonOf(because),
    operations: operations.map((operation) => outlineOperation(operation, run)),
  }
}

function outlineOperation(operation: Operation, run: RunStarted): OutlineOperation {
  switch (operation.op) {
    case 'insert': {
      const { step, before } = operation
      return { op: 'insert', step: outlineOf(step, run), ...(before !== undefined && { before }) }
    }
    case 'replace':
      return { op: 'replace', step: outlineOf(operation.step, run) }
    case 'reorder': {
      const { ids, before } = operation
      return { op: 'reorder', ids, ...(before !== undefined && { before }) }
    }
    case 'abandon':
      return { op: 'abandon', id: operation.id, because: shortened(operation.because, outlineText) }
    case 'assume': {
      const { id, statement } = operation.assumption
      return { op: 'assume', id, statement: shortened(statement, outlineText) }
    }
    case 'regoal':
      return { op: 'regoal', goal: shortened(operation.goal.text, outlineText) }
    case 'remove':
    case 'rewire':
    case 'unassume':
      return operation
  }
}

/** The children of a list that has got its items are known by their number. */
function needsOf(step: Step): string[] {
  const { expanded = 0 } = step
  const children = new Set(Array.from({ length: expanded }, (_, index) => childId(step.id, index)))
  return dependenciesOf(step).filter((id) => !children.has(id))
}

function reasonOf({ type, text, steps }: Plan['because']): RevisionMade['because'] {
  return { type, text: shortened(text, outlineText), ...(steps !== undefined && { steps: [...steps] }) }
}
