// What a pool hears: commands for its executors, and how those fare.
import type { StepAbort, StepExecute } from './command.messages.ts'
import type { AttemptSettled } from './executor.messages.ts'

/** Stop every attempt and take no more; the pool is `closed` as soon as the last one has settled. */
export interface PoolClose {
  readonly type: 'pool.close'
}

/** An executor has died of a defect: no tool can do that, only its behaviour. XState says it so. */
export interface ExecutorCrashed {
  readonly type: `xstate.error.actor.${string}`
  readonly actorId: string
  readonly error: unknown
}

export type PoolMessage = StepExecute | StepAbort | PoolClose | AttemptSettled | ExecutorCrashed
