// What runs of one journal keep for each other: outputs of steps, and plans.
//
// U1. Whatever is kept may be gone at any time: nobody relies on it for more than speed.
// U2. What is older than `maxAgeMs` is not given. What was not used for longest goes when there is more than `maxBytes`.
// U3. Nothing is kept that would take more than an eighth of `maxBytes`: one output does not drive out all others.
// U4. Of two that are kept under one key, the later one stands.
import type { StepOrigin } from '../machines/reports.messages.ts'
import type { Json } from '../plan/json.ts'

export interface ReuseLimits {
  /** Counted from when it was kept. @default 30 days */
  readonly maxAgeMs?: number
  /** Of all that is kept, as JSON. @default 256 MiB */
  readonly maxBytes?: number
}

export const defaultReuseLimits: Required<ReuseLimits> = {
  maxAgeMs: 30 * 24 * 60 * 60 * 1000,
  maxBytes: 256 * 1024 * 1024,
}

/** The part of `maxBytes` that one entry may take (U3). */
export const largestShare = 1 / 8

/** Outputs of steps and plans have keys of their own. */
export type ReuseKind = 'step' | 'plan'

export interface Reusable {
  readonly kind: ReuseKind
  /** Says what it is the answer to: a hash as hexadecimal digits. */
  readonly key: string
  /** For people: the tool, or the planner. */
  readonly name: string
  readonly value: Json
  readonly origin?: StepOrigin
}

/** An output of the run that keeps it. */
export type ReusableOutput = Omit<Reusable, 'kind'>

export interface Reused extends Pick<Reusable, 'value' | 'origin'> {
  /** ms since the epoch. */
  readonly keptAt: number
}

/** How much was let go of. */
export interface ReuseDropped {
  readonly entries: number
  readonly bytes: number
}

export interface ReuseStore {
  /** @throws where what is there is damaged */
  find(kind: ReuseKind, key: string): Reused | undefined
  keep(kept: Reusable): void
  forget(kind: ReuseKind, key: string): void
  /** Lets go of what is too old, or of everything. */
  drop(which: 'expired' | 'all'): ReuseDropped
}
