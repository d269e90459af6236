// Plans for tests: only what a test is about has to be written down.
import type { Assumption, Goal, Plan, Step } from '../../src/plan/schema.ts'

export interface PlanParts {
  readonly goal?: Partial<Goal>
  readonly assumptions?: readonly Assumption[]
}

/** A first revision with these steps. */
export function planOf(steps: readonly Step[], { goal, assumptions = [] }: PlanParts = {}): Plan {
  return {
    id: 'plan',
    goal: { text: 'test', ...goal },
    revision: 1,
    parent: null,
    by: { planner: 'test' },
    because: { type: 'first', text: 'first plan' },
    steps: [...steps],
    assumptions: [...assumptions],
  }
}

/** `{ $from, path }`, short enough to be read inside an input. */
export function from(stepId: string, path = ''): { readonly $from: string; readonly path: string } {
  return { $from: stepId, path }
}
