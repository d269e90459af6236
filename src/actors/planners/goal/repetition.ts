// Whether a change would have a tool do again what it has done before, or what another step is about to do (G3).
import { rewireStep } from '../../../plan/references.ts'
import type { Operation, Step } from '../../../plan/schema.ts'
import { factKey } from './factKey.ts'
import { scopeOf } from './planIndex.ts'
import type { Standing } from './standing.ts'
import { inputText } from './tried.ts'

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
  const singles = [...changed.values()].filter(
    ({ tool, forEach, expanded }) => tool !== undefined && forEach === undefined && expanded === undefined,
  )
  if (singles.some(standing.tried.hasInputOf)) return true
  const coming = new Set<string>()
  for (const step of singles) {
    const key = keyOf(step)
    if (coming.has(key)) return true
    coming.add(key)
  }
  return singles.some(({ tool = '', item = '' }) =>
    standing
      .usesOf(tool, item)
      .some(
        (step) => !changed.has(step.id) && !gone.has(step.id) && standing.isOpen(step.id) && coming.has(keyOf(step)),
      ),
  )
}

/** Items can be alike: what is done for one is no repetition of what is done for another. */
function keyOf(step: Step): string {
  return `${factKey(step.tool ?? '', scopeOf(step))} ${inputText(step)}`
}
