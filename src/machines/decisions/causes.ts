// Because of which step others are given up or taken out by a patch.
import { canDoWithout } from '../../plan/graph.ts'
import type { Patch } from '../../plan/schema.ts'
import { eachLink } from './ledger.ts'
import type { Turn } from './turn.ts'

/** The step that made a patch necessary: the first that the patch is because of, and that is in trouble. */
export function findCause(turn: Turn, { because }: Patch): string | undefined {
  return because.steps?.find((id) => turn.entries.get(id)?.undecided === true)
}

/** For each step that a patch abandons, the step that this comes from: the one in trouble, or the head of the branch. */
export function findCauses(turn: Turn, { operations }: Patch, cause: string | undefined): ReadonlyMap<string, string> {
  const causes = new Map<string, string>()
  for (const operation of operations) {
    if (operation.op !== 'abandon') continue
    const head = turn.entries.get(operation.id)
    const broke = head?.status === 'failed' || head?.status === 'uncertain'
    const root = head?.causedBy ?? (broke ? operation.id : cause)
    if (root !== undefined && root !== operation.id) causes.set(operation.id, root)
    const seen = new Set([operation.id])
    for (const id of seen) {
      for (const dependent of eachLink(turn.dependents.get(id))) {
        const step = turn.steps.get(dependent)
        if (step?.abandoned === undefined || canDoWithout(step, id) || seen.has(dependent)) continue
        seen.add(dependent)
        if (!causes.has(dependent)) causes.set(dependent, root ?? operation.id)
      }
    }
  }
  return causes
}
