// Who finds out whether an attempt had its effect: the check of its tool, or whoever can be asked.
import type { FindOut } from '../actors/checkActor.ts'
import type { Ask, ReadAnswer } from '../actors/executors/personExecutor.ts'
import { checkEffect, readFinding } from '../tools/checkEffect.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import type { Clock } from './clock.ts'

export interface EffectFinderOptions {
  readonly registry: ToolRegistry
  readonly readAnswer: ReadAnswer
  readonly ask: Ask | undefined
  readonly clock: Clock
}

export function createEffectFinder({ registry, readAnswer, ask, clock }: EffectFinderOptions): FindOut {
  return async (check, signal) => {
    const { runId, stepId, attempt, idempotencyKey, tool = '', item, input, of, text } = check
    if (of === 'tool') {
      const context = { runId, stepId, attempt, idempotencyKey, signal, now: () => clock.now() }
      return checkEffect(registry.get(tool), input, context, item === undefined ? {} : { item })
    }
    if (ask === undefined) return new Promise(() => undefined) // until the run is told, and this check aborted
    const said = await ask({ runId, stepId, kind: 'uncertain', text, input }, signal)
    return readFinding(said, `Whoever was asked about "${stepId}"`, (output) => readAnswer(check, output))
  }
}
