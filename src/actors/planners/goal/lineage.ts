// What the output of a step has been through: which tools, and how often one after another.
import { dependenciesOf } from '../../../plan/references.ts'
import type { Step } from '../../../plan/schema.ts'

/** How often a tool stands on the way to a step's output, the step itself included: on the way where it does so most. */
export type Lineage = (stepId: string, tool: string) => number

/** Without it a tool that gives anew what it takes would be applied without end, in the hope of something better. */
export const mostInLine = 2

export function lineageOf(
  steps: ReadonlyMap<string, Step>,
  stepsByTool: ReadonlyMap<string, readonly Step[]>,
): Lineage {
  const byTool = new Map<string, Map<string, number>>()
  return (stepId, tool) => {
    if ((stepsByTool.get(tool)?.length ?? 0) < mostInLine) return 0
    const known = byTool.get(tool) ?? new Map<string, number>()
    byTool.set(tool, known)
    return timesBehind(stepId, tool, known, steps)
  }
}

function timesBehind(
  stepId: string,
  tool: string,
  known: Map<string, number>,
  steps: ReadonlyMap<string, Step>,
): number {
  const work = [stepId]
  for (let id = work.at(-1); id !== undefined; id = work.at(-1)) {
    const step = steps.get(id)
    const before = step === undefined ? [] : dependenciesOf(step)
    const open = known.has(id) ? [] : before.filter((other) => !known.has(other))
    if (open.length > 0) {
      for (const other of open) work.push(other)
      continue
    }
    work.pop()
    const most = before.reduce((sum, other) => Math.max(sum, known.get(other) ?? 0), 0)
    known.set(id, most + (step?.tool === tool ? 1 : 0))
  }
  return known.get(stepId) ?? 0
}
