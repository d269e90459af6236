// What tests ask of a run, in one word each.
import type { Run, StepStatus, Transition } from '../../src/runtime/index.ts'

/** Status of every step by id, in the order of the ledger. */
export function statusesOf(run: Pick<Run, 'ledger'>): Record<string, StepStatus> {
  return Object.fromEntries([...run.ledger()].map(({ id, status }) => [id, status]))
}

/** Values of all facts by key. */
export function factsOf(run: Pick<Run, 'facts'>): Record<string, unknown> {
  return Object.fromEntries([...run.facts()].map(({ key, value }) => [key, value]))
}

/** Collects transitions as they come. */
export function collectTransitions(
  run: Run,
  from = 0,
): { readonly seen: Transition[]; readonly isComplete: () => boolean } {
  const seen: Transition[] = []
  let isComplete = false
  run.transitions(from).subscribe({
    next: (transition) => seen.push(transition),
    complete: () => {
      isComplete = true
    },
  })
  return { seen, isComplete: () => isComplete }
}
