// What a plan is the answer to, as a hash: the question apart from everything that must not make a difference.
import type { FactReport } from '../../machines/reports.messages.ts'
import { hashJson } from '../../plan/hash.ts'
import type { Goal } from '../../plan/schema.ts'
import type { ToolDescription } from '../../plan/toolDescription.ts'
import type { PlanRequest } from './planner.ts'

/** Whether a fact can make a difference to the plan. */
export type IsRelevant = (fact: Pick<FactReport, 'key' | 'value'>) => boolean

export interface PlanKey {
  /** Planner, goal, tools and relevant facts. */
  readonly key: string
  /** Planner, goal and tools: what stays the same for the whole of a run. */
  readonly family: string
}

/** @param planner name of the planner that answers. */
export function planKeyOf({ goal, tools, facts }: PlanRequest, planner: string, isRelevant: IsRelevant): PlanKey {
  const given = Object.entries(goal.facts ?? {}).map(([key, value]) => ({ key, value }))
  const known = new Map([...given, ...facts].filter(isRelevant).map(({ key, value }) => [key, value]))
  const family = familyOf({ goal, tools }, planner)
  return { family, key: hashJson([family, [...known].sort(([a], [b]) => (a < b ? -1 : 1))]) }
}

export function familyOf({ goal, tools }: Pick<PlanRequest, 'goal' | 'tools'>, planner: string): string {
  const { facts: _facts, ...apart }: Goal = goal
  return hashJson([planner, apart, hashTools(tools)])
}

/** Whole descriptions, since a plan depends on what tools need, give and cost as much as on their schemas; in any order. */
function hashTools(tools: readonly ToolDescription[]): string {
  const known = toolHashes.get(tools)
  if (known !== undefined) return known
  const hash = hashJson(tools.map((tool) => hashJson(tool)).sort())
  toolHashes.set(tools, hash)
  return hash
}

const toolHashes = new WeakMap<readonly ToolDescription[], string>()
