// Lifting: in a plan for a list that is not known yet, a tool that works on one item becomes a `forEach` step.
//
// F1. A lifted step goes over one thing: the list itself, or another lifted step, with which it is zipped; so no item
//     waits for another item.
// F2. What would need two lifted steps at once is postponed, with all that depends on it: when the list is known, the
//     planner is asked again and plans for single items.
import { everyItem } from './factKey.ts'
import type { Link, Use } from './posedProblem.ts'
import type { Choice } from './draft.ts'

export interface Lift {
  readonly source: Use
  readonly path: string
}

/** @param used each behind those it takes from. */
export function findLifts(
  used: readonly Use[],
  choices: ReadonlyMap<Link, Choice>,
): { readonly lifts: ReadonlyMap<Use, Lift>; readonly postponed: ReadonlySet<Use> } {
  const lifts = new Map<Use, Lift>()
  const postponed = new Set<Use>()
  for (const use of used) {
    const sources = new Map<string, Lift>()
    let isPostponed = false
    for (const link of use.links) {
      const choice = choices.get(link)
      if (choice === undefined || choice === 'known') continue
      if (postponed.has(choice.use)) isPostponed = true
      if (link.atom.scope !== everyItem) continue
      // A reference to a lifted step is the array of whole outputs: a list of parts of them waits for single items.
      if (link.isEach) isPostponed ||= !choice.isEach && choice.from !== ''
      else {
        const path = choice.isEach ? choice.from : ''
        sources.set(`${String(choice.use.id)} ${path}`, { source: choice.use, path })
      }
    }
    const [source] = sources.values()
    if (isPostponed || sources.size > 1) postponed.add(use)
    else if (use.scope === everyItem && source) lifts.set(use, source)
  }
  return { lifts, postponed }
}
