// Looking things up in a revision: made once for it, so that an amendment looks only at what it is about.
import { dependenciesOf } from '../../../plan/references.ts'
import type { Assumption, Plan, Step } from '../../../plan/schema.ts'
import { everyItem, type Scope } from './factKey.ts'
import { lineageOf, type Lineage } from './lineage.ts'

export interface PlanIndex {
  readonly steps: ReadonlyMap<string, Step>
  readonly placeOf: ReadonlyMap<string, number>
  readonly dependents: ReadonlyMap<string, readonly string[]>
  readonly byTool: ReadonlyMap<string, readonly Step[]>
  readonly byItem: ReadonlyMap<string, readonly Step[]>
  /** Steps that use a tool in a scope. */
  readonly usesOf: (tool: string, scope: Scope) => readonly Step[]
  /** Steps that gather their children. */
  readonly expanded: readonly Step[]
  readonly assumptions: ReadonlyMap<string, Assumption>
  readonly assumptionPlace: ReadonlyMap<Assumption, number>
  /** By the id of a step that rests on them. */
  readonly assumptionsOf: ReadonlyMap<string, readonly Assumption[]>
  /** By the fact's key. */
  readonly assumptionsAbout: ReadonlyMap<string, readonly Assumption[]>
  readonly lineage: Lineage
}

/** What a step's tool is used for: the whole, an item, or each item of a list. */
export function scopeOf({ item = '', forEach }: Step): Scope {
  return forEach ? everyItem : item
}

/** @returns what is remembered, where the plan is frozen: nothing in it can have changed. */
export function indexPlan(plan: Plan): PlanIndex {
  const known = indexes.get(plan)
  if (known) return known
  const index = makeIndex(plan)
  if (Object.isFrozen(plan)) indexes.set(plan, index)
  return index
}

const indexes = new WeakMap<Plan, PlanIndex>()

function makeIndex(plan: Plan): PlanIndex {
  const steps = new Map<string, Step>()
  const placeOf = new Map<string, number>()
  const dependents = new Map<string, string[]>()
  const byTool = new Map<string, Step[]>()
  const byItem = new Map<string, Step[]>()
  const expanded: Step[] = []
  const assumptionsOf = new Map<string, Assumption[]>()
  const assumptionsAbout = new Map<string, Assumption[]>()
  for (const [place, step] of plan.steps.entries()) {
    steps.set(step.id, step)
    placeOf.set(step.id, place)
    for (const id of dependenciesOf(step)) add(dependents, id, step.id)
    if (step.item !== undefined) add(byItem, step.item, step)
    if (step.expanded !== undefined) expanded.push(step)
    if (step.tool !== undefined) add(byTool, step.tool, step)
  }
  for (const assumption of plan.assumptions) {
    for (const id of new Set(assumption.steps)) add(assumptionsOf, id, assumption)
    add(assumptionsAbout, assumption.fact, assumption)
  }
  return {
    steps,
    placeOf,
    dependents,
    byTool,
    byItem,
    usesOf: groupUses(byTool),
    expanded,
    assumptions: new Map(plan.assumptions.map((assumption) => [assumption.id, assumption])),
    assumptionPlace: new Map(plan.assumptions.map((assumption, place) => [assumption, place])),
    assumptionsOf,
    assumptionsAbout,
    lineage: lineageOf(steps, byTool),
  }
}

/** By tool and scope; grouped by scope when a tool is first asked for. */
function groupUses(byTool: ReadonlyMap<string, readonly Step[]>): PlanIndex['usesOf'] {
  const grouped = new Map<string, ReadonlyMap<Scope, readonly Step[]>>()
  return (tool, scope) => {
    const steps = byTool.get(tool)
    if (steps === undefined) return []
    let byScope = grouped.get(tool)
    if (byScope === undefined) {
      const groups = new Map<Scope, Step[]>()
      for (const step of steps) add(groups, scopeOf(step), step)
      byScope = groups
      grouped.set(tool, byScope)
    }
    return byScope.get(scope) ?? []
  }
}

function add<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const others = lists.get(key)
  if (others) others.push(one)
  else lists.set(key, [one])
}
