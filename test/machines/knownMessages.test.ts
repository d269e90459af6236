// Types catch a wrong action or guard in a chart, but not a wrong event: so each chart's events are compared with the
// messages that it is known to hear.
import { describe, expect, it } from 'vitest'
import type { ExecutorMessage } from '../../src/machines/executor.messages.ts'
import { executor } from '../../src/machines/executor.machine.ts'
import type { PlannerMessage } from '../../src/machines/planner.messages.ts'
import { planner } from '../../src/machines/planner.machine.ts'
import type { PoolMessage } from '../../src/machines/pool.messages.ts'
import { pool } from '../../src/machines/pool.machine.ts'

/** The message types of a chart, all of them: a new one is an error here. */
function typesOf<M extends { readonly type: string }>(types: Record<TypeName<M['type']>, true>): string[] {
  return Object.keys(types).sort()
}
type TypeName<T extends string> = T extends `xstate.error.actor.${string}` ? 'xstate.error.actor.*' : T

describe('messages of the charts', () => {
  it('executor', () => {
    const known = typesOf<ExecutorMessage>({ 'step.execute': true, 'step.abort': true, 'attempt.settled': true })
    expect([...executor.events].sort()).toEqual(known)
  })

  it('pool', () => {
    const known = typesOf<PoolMessage>({
      'step.execute': true,
      'step.abort': true,
      'attempt.settled': true,
      'pool.close': true,
      'xstate.error.actor.*': true,
    })
    expect([...pool.events].sort()).toEqual(known)
  })

  it('planner', () => {
    const known = typesOf<PlannerMessage>({
      'plan.request': true,
      'plan.cancel': true,
      'planner.stepProposed': true,
      'planner.answered': true,
      'planner.threw': true,
      'xstate.error.actor.*': true,
    })
    expect([...planner.events].sort()).toEqual(known)
  })
})
