// Attempts that wait for a free executor: a queue as a persistent value, first in, first out.
//
// Q1. Putting, taking and dropping cost the same however long the queue is (amortised).
// Q2. An attempt is in it at most once.
import { Map as PersistentMap } from 'immutable'
import type { StepExecute } from './command.messages.ts'
import { attemptKey } from './executor.messages.ts'

interface Cell {
  readonly key: string
  readonly next: Cell | undefined
}

/** Keys to take in order, keys put since in reverse order, and the attempts themselves; a key without one was dropped. */
export interface AttemptQueue {
  readonly front: Cell | undefined
  readonly back: Cell | undefined
  readonly attempts: PersistentMap<string, StepExecute>
}

export const emptyQueue: AttemptQueue = { front: undefined, back: undefined, attempts: PersistentMap() }

export function putAttempt(queue: AttemptQueue, work: StepExecute): AttemptQueue {
  const key = attemptKey(work)
  if (queue.attempts.has(key)) return queue
  return {
    front: queue.front,
    back: { key, next: queue.back },
    attempts: queue.attempts.set(key, work),
  }
}

/** Takes the attempt that has waited longest. */
export function takeAttempt(
  queue: AttemptQueue,
): { readonly work: StepExecute; readonly rest: AttemptQueue } | undefined {
  let { front, back } = queue
  while (queue.attempts.size > 0) {
    if (front === undefined) {
      front = reverse(back)
      back = undefined
    }
    if (front === undefined) return undefined
    const { key, next } = front
    const work = queue.attempts.get(key)
    front = next
    if (work === undefined) continue
    const attempts = queue.attempts.delete(key)
    return { work, rest: attempts.size === 0 ? emptyQueue : { front, back, attempts } }
  }
  return undefined
}

/** Takes one attempt out, wherever it stands. The queue itself when it is not there. */
export function dropAttempt(queue: AttemptQueue, key: string): AttemptQueue {
  const attempts = queue.attempts.delete(key)
  if (attempts === queue.attempts) return queue
  return attempts.size === 0 ? emptyQueue : { ...queue, attempts }
}

function reverse(cell: Cell | undefined): Cell | undefined {
  let reversed: Cell | undefined
  for (let rest = cell; rest !== undefined; rest = rest.next) reversed = { key: rest.key, next: reversed }
  return reversed
}
