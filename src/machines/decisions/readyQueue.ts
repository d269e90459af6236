// Ready steps in priority order: a persistent leftist heap (Crane 1972), so that earlier states stay readable.
//
// Q1. Pushing and popping cost O(log n) and leave the old queue as it was.
// Q2. Equal ranks come out in the order of their ids, so that the same plan is dispatched in the same order everywhere.

export interface ReadyQueue {
  readonly rank: number
  readonly id: string
  /** Length of the right spine; what keeps merging logarithmic. */
  readonly spine: number
  readonly left: ReadyQueue | undefined
  readonly right: ReadyQueue | undefined
}

export function pushReady(queue: ReadyQueue | undefined, rank: number, id: string): ReadyQueue {
  return merge(queue, { rank, id, spine: 1, left: undefined, right: undefined })
}

/** The queue without its first step (which is `queue.rank`, `queue.id`). */
export function popReady(queue: ReadyQueue): ReadyQueue | undefined {
  return queue.left === undefined
    ? queue.right
    : queue.right === undefined
      ? queue.left
      : merge(queue.left, queue.right)
}

/** Whether the first step of `a` comes before the first step of `b`. */
export function comesBefore(a: ReadyQueue, b: ReadyQueue): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.id < b.id)
}

function merge(a: ReadyQueue | undefined, b: ReadyQueue): ReadyQueue {
  if (a === undefined) return b
  const [first, second] = comesBefore(a, b) ? [a, b] : [b, a]
  const merged = merge(first.right, second)
  const left = first.left
  return left !== undefined && left.spine >= merged.spine
    ? { rank: first.rank, id: first.id, spine: merged.spine + 1, left, right: merged }
    : { rank: first.rank, id: first.id, spine: (left?.spine ?? 0) + 1, left: merged, right: left }
}
