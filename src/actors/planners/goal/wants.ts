// What a goal wants, spelled out: a fact that there is one of for each item is wanted of each item.
import type { Goal } from '../../../plan/schema.ts'
import type { Knowledge } from './knowledge.ts'
import type { Want } from './posedProblem.ts'
import { findLength, needsOf, type ToolIndex } from './toolIndex.ts'

export function listWants(
  wants: NonNullable<Goal['want']>,
  index: ToolIndex,
  { facts, lists }: Knowledge,
): readonly Want[] {
  return wants.flatMap(({ fact, is }): Want | Want[] => {
    const want: Want = is === undefined ? { fact } : { fact, is }
    if (facts.has(fact) || !isOfItems(fact, index)) return want
    const length = findLength(fact, index, lists)
    if (length === undefined) return { ...want, each: true }
    return Array.from({ length }, (_, item) => ({ ...want, scope: String(item), each: false }))
  })
}

/** There is one for each item, and none of the whole. */
function isOfItems(fact: string, { rootsOf, givers, worksOnItems }: ToolIndex): boolean {
  if (!rootsOf.has(fact)) return false
  return (givers.get(fact) ?? []).every(
    ({ tool, gift }) => gift.each === true || (worksOnItems.has(tool) && needsOf(tool).length > 0),
  )
}
