// What a pool holds: which executors are free, who carries out what, and who waits. Persistent values and counters only.
import { Map as PersistentMap } from 'immutable'
import { emptyQueue, type AttemptQueue } from './attemptQueue.ts'
import type { HostRef } from './behaviour.messages.ts'
import type { StepExecute } from './command.messages.ts'
import type { ExecutorBehaviour } from './executor.messages.ts'

/** Most executors that a pool has alive: XState copies its list of children at each start of one. */
export const mostExecutors = 128

export interface PoolInput {
  readonly host: HostRef
  /** Role whose attempts it carries out. */
  readonly role: string
  /** What its executors are named after. @default the role */
  readonly name?: string
  readonly behaviour: ExecutorBehaviour
  /** Attempts at once. @default 64 */
  readonly size?: number
  /** Crashed executors that are replaced within `periodMs`; with one more the pool has failed. @default 10 */
  readonly intensity?: number
  /** @default 10_000 */
  readonly periodMs?: number
  /** Now, in ms since the epoch, by the run's clock. */
  readonly now: () => number
}

/** Free executors, the last one freed first: it is the one whose memory is warm. */
export interface FreeExecutor {
  readonly id: string
  readonly next: FreeExecutor | undefined
}

/** An attempt that is out with an executor. */
export interface HeldAttempt {
  readonly executorId: string
  readonly work: StepExecute
  /** Which of the pool's aborts was sent to it, counted from 0; the lowest number has been stopping for longest. */
  readonly stopping: number | undefined
}

export interface PoolContext {
  readonly settings: Required<PoolInput>
  readonly free: FreeExecutor | undefined
  /** By attempt key, in no order. */
  readonly held: PersistentMap<string, HeldAttempt>
  readonly queue: AttemptQueue
  /** Executors alive: free, at work, or stopping. */
  readonly alive: number
  /** Of those, the ones whose attempt was aborted and has not settled: they do not count as capacity. */
  readonly stopping: number
  readonly aborts: number
  /** Places given out so far: `tool-3` is the executor in the third, `tool-3.2` the one that replaced it. */
  readonly places: number
  /** Times of the latest replacements of crashed executors, at most `intensity` of them. */
  readonly restarts: readonly number[]
}

export function contextOf({ input }: { readonly input: PoolInput }): PoolContext {
  return {
    settings: {
      intensity: 10,
      periodMs: 10_000,
      name: input.role,
      ...input,
      size: Math.min(input.size ?? 64, mostExecutors),
    },
    free: undefined,
    held: PersistentMap(),
    queue: emptyQueue,
    alive: 0,
    stopping: 0,
    aborts: 0,
    places: 0,
    restarts: [],
  }
}

/** One more executor may be started: those that hang in a tool which ignores its signal do not count. */
export function mayGrow({ alive, stopping, settings }: PoolContext): boolean {
  return alive - stopping < settings.size
}
