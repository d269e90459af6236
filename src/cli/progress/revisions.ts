// Why a plan was changed, as its transitions tell it: a run that is replayed has no other record of it.
import type { Because, Operation, Plan } from '../../plan/index.ts'
import type { Transition } from '../../runtime/index.ts'

export interface Revision {
  readonly revision: number
  readonly because: Because
  /** Who made it, where that is known. */
  readonly by?: Plan['by']
  /** How many operations of each kind, where the patch is at hand. */
  readonly operations?: Readonly<Partial<Record<Operation['op'], number>>>
}

/** The plan that a run begins with, in the transition that makes it whole. */
export function firstPlanIn({ event, revision }: Transition): Plan | undefined {
  if (revision === 0) return undefined
  return event.type === 'plan.proposed' || event.type === 'run.started' ? event.plan : undefined
}

/** The revision that a transition brought. */
export function revisionBy({ event, revision, plan, patches }: Transition): Revision {
  if ('patch' in event) {
    const { because, by, operations } = event.patch
    return { revision, because, by, operations: counted(operations) }
  }
  const made = patches.at(-1) ?? plan
  if (made === undefined) return { revision, because: { type: 'streamed', text: 'the plan is still being written' } }
  return { revision, because: made.because, by: made.by }
}

/** All revisions, in order. */
export function revisionsIn(transitions: Iterable<Transition>): Revision[] {
  const found: Revision[] = []
  let last = 0
  for (const transition of transitions) {
    if (transition.revision === last) continue
    found.push(revisionBy(transition))
    last = transition.revision
  }
  return found
}

const marks = { insert: '+', remove: '−', replace: '~', rewire: '→', reorder: '↕', abandon: '⊘' } as const

/** What was done to the steps, in short: ` (+1 ~4 ⊘1)`; nothing where that is not known. */
export function operationsInShort({ operations = {} }: Pick<Revision, 'operations'>): string {
  const parts = (Object.keys(marks) as (keyof typeof marks)[]).flatMap((op) => {
    const count = operations[op] ?? 0
    return count === 0 ? [] : [`${marks[op]}${count}`]
  })
  return parts.length === 0 ? '' : ` (${parts.join(' ')})`
}

function counted(operations: readonly Operation[]): NonNullable<Revision['operations']> {
  const counts: Partial<Record<Operation['op'], number>> = {}
  for (const { op } of operations) counts[op] = (counts[op] ?? 0) + 1
  return counts
}
