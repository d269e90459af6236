// What a use is likely to take, by what the run has shown: how long its tool took so far, and how large its item is.
import type { PlanSituation } from '../../../machines/reports.messages.ts'
import type { Json } from '../../../plan/json.ts'
import type { Plan, Step } from '../../../plan/schema.ts'
import type { ToolDescription } from '../../../plan/toolDescription.ts'
import { factKey } from './factKey.ts'
import type { Knowledge } from './knowledge.ts'
import type { Weigh } from './priority.ts'
import { expectedCost } from './toolIndex.ts'

export interface Weighing {
  readonly knowledge: Knowledge
  readonly sizeOf: (item: Json) => number | undefined
  /** By tool: how much longer than its declared cost it took, in proportion to the other tools. */
  readonly pace?: () => ReadonlyMap<string, number>
}

/** Weighs by expected cost, times how the tool's pace compares, times how the item's size compares. */
export function weighing({ knowledge, sizeOf, pace }: Weighing): Weigh {
  return (uses) => {
    const paces = pace?.()
    // Uses for one and the same item differ by their tools only.
    const sizes = uses.every(({ scope }) => scope === uses[0]?.scope) ? undefined : sizesOf(knowledge, sizeOf)
    return ({ tool, scope, cost }) => {
      if (tool === undefined) return 0
      const declared = scope === '*' ? cost : expectedCost(tool)
      return declared * (paces?.get(tool.name) ?? 1) * (sizes?.get(scope) ?? 1)
    }
  }
}

/** How long each tool took for what it was declared to cost, in proportion to all of them. */
export function learnPace(
  plan: Plan,
  situation: PlanSituation,
  toolOf: (step: Step) => ToolDescription | undefined,
): ReadonlyMap<string, number> {
  const seen = new Map<string, { declared: number; tookMs: number }>()
  const all = { declared: 0, tookMs: 0 }
  for (const step of plan.steps) {
    const report = situation.step(step.id)
    const tool = toolOf(step)
    if (tool === undefined || tool.cost <= 0 || report?.status !== 'succeeded') continue
    if (step.expanded !== undefined || report.startedAt === undefined || report.endedAt === undefined) continue
    const one = seen.get(tool.name) ?? { declared: 0, tookMs: 0 }
    seen.set(tool.name, one)
    for (const sum of [one, all]) {
      sum.declared += tool.cost
      sum.tookMs += report.endedAt - report.startedAt
    }
  }
  const pace = new Map<string, number>()
  if (all.tookMs <= 0) return pace
  for (const [name, { declared, tookMs }] of seen) {
    const relative = (tookMs / declared) * (all.declared / all.tookMs)
    // Milliseconds jitter: only what is off by half is learnt from.
    if (relative > 1.5 || relative < 1 / 1.5) pace.set(name, Math.min(100, Math.max(0.01, relative)))
  }
  return pace
}

/** By item: its size in proportion to the average. */
function sizesOf({ facts, lists }: Knowledge, sizeOf: Weighing['sizeOf']): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>()
  for (const [fact, length] of lists) {
    for (let item = 0; item < length; item++) {
      const known = facts.get(factKey(fact, String(item)))
      const size = known && sizeOf(known.value)
      if (size !== undefined && Number.isFinite(size))
        sizes.set(String(item), Math.max(size, sizes.get(String(item)) ?? 0))
    }
  }
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  if (total <= 0) return new Map()
  const average = total / sizes.size
  // Half of what a tool takes is taken not to depend on the size, so that priorities of small items still differ by tool.
  for (const [item, size] of sizes) sizes.set(item, 0.5 + (0.5 * size) / average)
  return sizes
}
