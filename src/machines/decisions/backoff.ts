// How long to wait before the next attempt: exponential, with jitter that is the same in every replay.
import type { Retry } from '../../plan/schema.ts'
import type { RunStarted } from '../coordinator.messages.ts'
import type { Step } from '../../plan/schema.ts'

const once: Retry = { attempts: 1, backoffMs: 0, factor: 1, maxBackoffMs: 0, jitter: 0 }

/** The step's own policy, or else its tool's; one attempt where neither says anything. */
export function retryPolicy(step: Step, run: RunStarted): Retry {
  return step.retry ?? (step.tool === undefined ? undefined : run.tools[step.tool]?.retry) ?? once
}

/** Milliseconds to wait after attempt number `tries` (from 1). */
export function backoffMs(retry: Retry, tries: number, seed: number, stepId: string): number {
  const full = Math.min(retry.maxBackoffMs, retry.backoffMs * retry.factor ** (tries - 1))
  return Math.round(full * (1 - retry.jitter * fraction(seed, `${stepId}/${String(tries)}`)))
}

/** A number in [0, 1) that looks random and depends on nothing but its arguments (FNV-1a, then a murmur3 finish). */
function fraction(seed: number, text: string): number {
  let hash = (2166136261 ^ seed) >>> 0
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619) >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
