// What a run is carried out with, as `run.started` tells it: its tools, its limits, and how it is to go. Plain JSON.
import type { Retry } from '../plan/schema.ts'
import type { Effects } from '../plan/toolDescription.ts'

/** What the coordinator must know about a tool to dispatch it well. */
export interface ToolTraits {
  readonly effects: Effects
  readonly idempotent: boolean
  readonly version: string
  readonly concurrency?: number
  readonly timeoutMs?: number
  readonly heartbeatMs?: number
  readonly retry?: Retry
  readonly executor?: string
  /** Facts of which it gives one for each item of a list. */
  readonly lists?: readonly string[]
  /** It can find out whether an attempt had its effect. */
  readonly checks?: true
}

/** What follows where nobody can tell whether a step had its effect, and its tool cannot find it out.
 * `replan`: the planner is asked. `ask`: a person or program is (`run.questions`, `ask`), and the run waits for them.
 * `retry`: it is sent again with the same idempotency key, as if that did no harm. `fail`: the run fails. */
export type UncertainPolicy = 'replan' | 'ask' | 'retry' | 'fail'

export interface RunLimits {
  /** Steps out at once. @default 64 */
  readonly concurrency: number
  /** Steps out at once, by executor role. */
  readonly roles: Readonly<Record<string, number>>
  readonly plannerCalls: number
  readonly replans: number
  readonly tokens: number
  readonly cost: number
  /** Wall time of the run. */
  readonly timeMs: number
  /** Longest the planner may take for one answer. */
  readonly plannerMs: number
  /** From the cancel to the end of the run, whatever the tools do. */
  readonly graceMs: number
  /** Steps in a plan. */
  readonly steps: number
  /** How often the same step may fail in the same way before the run is `stuck`. */
  readonly sameFailure: number
  /** Levels of sub-runs below the run; a sub-run may have one level fewer below it. @default 8 */
  readonly depth: number
}

export interface RunSettings {
  readonly limits: RunLimits
  /** `required`: every first plan waits for approval. `effects`: a plan with `write` or `external` steps does. */
  readonly approval: 'none' | 'required' | 'effects'
  /** `effects`: an amendment that has a say in effects waits for approval, whatever `approval` says: it adds a step with `write` or
   * `external` effects, changes one, or changes what one rests on. @default 'free' */
  readonly amendments?: 'free' | 'effects'
  /** `eager`: streamed steps are dispatched before the plan is complete. */
  readonly dispatch: 'eager' | 'whole'
  /** Seeds whatever must look random (jitter). */
  readonly seed: number
  /** Absent from the records of earlier versions. @default 'replan' */
  readonly uncertain?: UncertainPolicy
}
