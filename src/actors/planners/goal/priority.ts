// The order of priority: the longest cost still to come goes first (Hu 1961; the critical path, where executors abound).
import type { Link, Use } from './posedProblem.ts'

/** How much each of these uses is likely to cost, in proportion to the others, by what has been learnt so far. */
export type Weigh = (uses: readonly Use[]) => (use: Use) => number

/** @param uses each behind those it takes from. @returns by cost still to come; equal ones by item, then as given. */
export function rankUses(
  uses: readonly Use[],
  consumers: ReadonlyMap<Use, readonly Link[]>,
  weigh: Weigh,
): readonly Use[] {
  if (uses.length < 2) return uses
  const remaining = new Map<Use, number>()
  const weightOf = weigh(uses)
  const place = new Map(uses.map((use, at) => [use, at]))
  for (const use of [...uses].reverse()) {
    let longest = 0
    for (const link of consumers.get(use) ?? []) longest = Math.max(longest, remaining.get(link.use) ?? 0)
    remaining.set(use, longest + weightOf(use))
  }
  return [...uses].sort(
    (a, b) => (remaining.get(b) ?? 0) - (remaining.get(a) ?? 0) || (place.get(a) ?? 0) - (place.get(b) ?? 0),
  )
}
