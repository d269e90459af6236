// Whether a change would have a tool do again what it has done before, or what another step is about to do (G3).
import { rewireStep } from '../../../plan/references.ts'
import type { Operation, Step } from '../../../plan/schema.ts'
import type { Standing } from './standing.ts'
import { triedKey } from './triedKey.ts'

export function repeatsInput(operations: readonly Operation[], standing: Standing): boolean {
  const changed = new Map<string, Step>()
  const gone = new Set<string>()
  for (const operation of operations) {
    if (operation.op === 'insert' || operation.op === 'replace') changed.set(operation.step.id, operation.step)
    else if (operation.op === 'remove' || operation.op === 'abandon') gone.add(operation.id)
    else if (operation.op === 'rewire') {
      const step = changed.get(operation.id) ?? standing.steps.get(operation.id)
      if (step) changed.set(step.id, rewireStep(step, operation.from, operation.to))
    }
  }
  const singles = [...changed.values()].filter((step) => step.forEach === undefined && step.expanded === undefined)
  if (singles.some(standing.isTried)) return true
  const coming = new Set<string>()
  for (const step of singles) {
    const key = keyOf(step)
    if (coming.has(key)) return true
    coming.add(key)
  }
  const tools = new Set(singles.map(({ tool }) => tool))
  return standing.plan.steps.some(
    (step) =>
      tools.has(step.tool) &&
      !changed.has(step.id) &&
      !gone.has(step.id) &&
      standing.isOpen(step.id) &&
      step.forEach === undefined &&
      coming.has(keyOf(step)),
  )
}

/** Items can be alike: what is done for one is no repetition of what is done for another. */
function keyOf({ item = '', tool = '', input = {} }: Step): string {
  return `${item} ${triedKey(tool, input)}`
}
