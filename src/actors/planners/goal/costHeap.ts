// A binary heap of numbers by cost, least first: Dijkstra's queue. Equal costs come out by the smaller number, so that
// the same problem is always gone through in the same order.

export interface CostHeap {
  readonly size: number
  push(item: number, cost: number): void
  /** Takes out the item of least cost; `undefined` when empty. */
  pop(): { readonly item: number; readonly cost: number } | undefined
}

export function createCostHeap(): CostHeap {
  const items: number[] = []
  const costs: number[] = []

  const comesFirst = (a: number, b: number): boolean => {
    const difference = (costs[a] ?? 0) - (costs[b] ?? 0)
    return difference === 0 ? (items[a] ?? 0) < (items[b] ?? 0) : difference < 0
  }
  const swap = (a: number, b: number): void => {
    const [item, cost] = [items[a] ?? 0, costs[a] ?? 0]
    items[a] = items[b] ?? 0
    costs[a] = costs[b] ?? 0
    items[b] = item
    costs[b] = cost
  }
  const sink = (): void => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      if (left >= items.length) return
      const right = left + 1
      const child = right < items.length && comesFirst(right, left) ? right : left
      if (!comesFirst(child, at)) return
      swap(child, at)
      at = child
    }
  }

  return {
    get size() {
      return items.length
    },
    push(item, cost) {
      items.push(item)
      costs.push(cost)
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!comesFirst(at, parent)) return
        swap(at, parent)
        at = parent
      }
    },
    pop() {
      const [item, cost] = [items[0], costs[0]]
      if (item === undefined || cost === undefined) return undefined
      swap(0, items.length - 1)
      items.pop()
      costs.pop()
      sink()
      return { item, cost }
    },
  }
}
