// Progress as a tool says it, reduced to what a person can read: a tool written in JavaScript may say anything.
import type { Progress } from './executor.ts'
import { clip } from '../../plan/thrownValue.ts'

/** Keeps the numbers and the text of a progress, and drops whatever else came with it. */
export function progressOf(said: Progress): Progress {
  const progress: unknown = said
  if (typeof progress !== 'object' || progress === null) return {}
  const { done, total, text, delta } = progress as Record<string, unknown>
  return {
    ...(Number.isFinite(done) && { done: Number(done) }),
    ...(Number.isFinite(total) && { total: Number(total) }),
    ...(typeof text === 'string' && { text: clip(text) }),
    ...(typeof delta === 'string' && { delta: delta.slice(0, longestDelta) }),
  }
}

const longestDelta = 2_000

/** Keeps a log line that is a text, cut to a length that can be shown. */
export function logLineOf(said: string): string {
  const line: unknown = said
  return clip(typeof line === 'string' ? line : String(line))
}
