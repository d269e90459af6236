// A rehearsal: the rest of a plan played through on paper, to see how long it takes.

export interface OpenStep {
  readonly id: string
  /** What it is measured by: its tool, or else its executor. */
  readonly kind: string
  /** All dependencies; those that are not open themselves count as done. */
  readonly after: readonly string[]
  /** How long it has been out, for a step that is running. */
  readonly elapsedMs?: number
  /** It takes no time, and counts for no limit. */
  readonly instant?: boolean
}

export interface RehearsalOptions {
  readonly durationMs: (step: OpenStep) => number
  /** Steps out at once. */
  readonly concurrency: number
  readonly kindLimits: Readonly<Record<string, number>>
}

interface Out {
  readonly step: OpenStep
  readonly endMs: number
}

/** How long it takes until the last of these steps is done, when each starts as soon as it can.
 *
 * Steps that are out already (`elapsedMs`) start at 0; the others in the order given. Steps that wait for each other
 * in a circle are left out. Time grows with (steps + dependencies) · log(steps).
 *
 * @example
 * const steps = [{ id: 'a', kind: 'x', after: [] }, { id: 'b', kind: 'x', after: ['a'] }, { id: 'c', kind: 'y', after: [] }]
 * rehearse(steps, { durationMs: () => 10, concurrency: 8, kindLimits: {} }) // 20
 */
export function rehearse(steps: readonly OpenStep[], options: RehearsalOptions): number {
  const missing = new Map(steps.map((step) => [step.id, 0]))
  const followers = new Map<string, OpenStep[]>()
  for (const step of steps) {
    for (const id of step.after) {
      if (!missing.has(id)) continue
      missing.set(step.id, (missing.get(step.id) ?? 0) + 1)
      const others = followers.get(id)
      if (others) others.push(step)
      else followers.set(id, [step])
    }
  }

  const ready = new Map<string, { readonly steps: OpenStep[]; next: number }>()
  const outOfKind = new Map<string, number>()
  const out = createHeap()
  let nowMs = 0
  const start = (step: OpenStep): void => {
    outOfKind.set(step.kind, (outOfKind.get(step.kind) ?? 0) + 1)
    out.push({ step, endMs: nowMs + (step.instant ? 0 : options.durationMs(step)) })
  }
  const makeReady = (step: OpenStep): void => {
    const queue = ready.get(step.kind)
    if (queue) queue.steps.push(step)
    else ready.set(step.kind, { steps: [step], next: 0 })
  }
  const startReady = (): void => {
    for (const [kind, queue] of ready) {
      const limit = options.kindLimits[kind] ?? Infinity
      while (out.size < options.concurrency && (outOfKind.get(kind) ?? 0) < limit) {
        const step = queue.steps[queue.next++]
        if (!step) {
          ready.delete(kind)
          break
        }
        start(step)
      }
    }
  }

  for (const step of steps) {
    if (step.elapsedMs !== undefined) start(step)
    else if (missing.get(step.id) === 0) makeReady(step)
  }
  startReady()
  for (let first = out.pop(); first; first = out.pop()) {
    nowMs = first.endMs
    outOfKind.set(first.step.kind, (outOfKind.get(first.step.kind) ?? 1) - 1)
    for (const follower of followers.get(first.step.id) ?? []) {
      const left = (missing.get(follower.id) ?? 0) - 1
      missing.set(follower.id, left)
      if (left === 0 && follower.elapsedMs === undefined) makeReady(follower)
    }
    startReady()
  }
  return nowMs
}

/** A binary heap of what is out, the earliest end first. */
function createHeap(): { readonly size: number; push(item: Out): void; pop(): Out | undefined } {
  const items: Out[] = []
  const endOf = (index: number): number => items[index]?.endMs ?? Infinity
  const swap = (a: number, b: number): void => {
    const [itemA, itemB] = [items[a], items[b]]
    if (itemA && itemB) [items[a], items[b]] = [itemB, itemA]
  }
  return {
    get size() {
      return items.length
    },
    push(item) {
      items.push(item)
      for (let at = items.length - 1; at > 0;) {
        const parent = (at - 1) >> 1
        if (endOf(parent) <= endOf(at)) break
        swap(parent, at)
        at = parent
      }
    },
    pop() {
      const first = items[0]
      const last = items.pop()
      if (!first || !last || items.length === 0) return first
      items[0] = last
      for (let at = 0; ;) {
        const child = endOf(2 * at + 2) < endOf(2 * at + 1) ? 2 * at + 2 : 2 * at + 1
        if (endOf(child) >= endOf(at)) break
        swap(child, at)
        at = child
      }
      return first
    },
  }
}
