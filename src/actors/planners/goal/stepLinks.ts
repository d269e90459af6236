// Which fact each reference of a step carries: read back from the step and what its tool declares.
import { dependenciesOf, isReference, toReference } from '../../../plan/references.ts'
import type { Json } from '../../../plan/json.ts'
import type { Step } from '../../../plan/schema.ts'
import type { Need } from '../../../plan/toolDescription.ts'
import type { Scope } from './factKey.ts'
import type { Standing } from './standing.ts'
import type { ToolIndex } from './toolIndex.ts'

/** A fact that a step takes from another step. */
export interface StepLink {
  readonly step: Step
  readonly from: string
  readonly need: Need
  readonly scope: Scope
  /** Absent for what is required without being used. */
  readonly property?: string
  /** Place in the array, for one of a whole list. */
  readonly element?: number
}

export function linksOf(step: Step, { toolOf, steps }: Standing, { rootsOf }: ToolIndex): readonly StepLink[] {
  const tool = toolOf(step)
  if (tool === undefined) return []
  const links: StepLink[] = []
  const scopeOf = (fact: string): Scope => (step.item !== undefined && rootsOf.has(fact) ? step.item : '')
  for (const [property, need] of Object.entries(tool.needs)) {
    const value = step.input?.[property]
    if (isReference(value)) links.push({ step, from: value.$from, need, scope: scopeOf(need.fact), property })
    else if (need.each === true && Array.isArray(value)) {
      for (const [element, one] of (value as readonly Json[]).entries()) {
        if (!isReference(one)) continue
        const { $from, path } = toReference(one)
        const scope = steps.get($from)?.item ?? path.split('/').at(-1) ?? ''
        links.push({ step, from: $from, need, scope, property, element })
      }
    }
  }
  // What is required may come along with a reference: `after` does not name it then.
  for (const id of tool.requires.length > 0 ? dependenciesOf(step) : []) {
    const giver = steps.get(id)
    const gives = giver && toolOf(giver)?.gives
    for (const need of tool.requires)
      if (gives?.[need.fact]) links.push({ step, from: id, need, scope: scopeOf(need.fact) })
  }
  return links
}
