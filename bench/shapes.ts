// Plans of no-op steps to measure with: the same dependencies for every scheduler.

export interface Shape {
  readonly name: string
  /** By step index: the steps that it needs, all of them before it. */
  after(size: number): readonly (readonly number[])[]
}

export const shapes: readonly Shape[] = [
  { name: 'chain', after: (size) => Array.from({ length: size }, (_, index) => (index === 0 ? [] : [index - 1])) },
  { name: 'fan-out', after: (size) => Array.from({ length: size }, (_, index) => (index === 0 ? [] : [0])) },
  { name: 'layered', after: layered },
]

/** Layers of 20; each step needs three steps of the layer before it, chosen by a seeded generator. */
function layered(size: number): readonly (readonly number[])[] {
  let state = 42
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length: size }, (_, index) => {
    const layer = Math.floor(index / 20)
    if (layer === 0) return []
    return [...new Set([0, 1, 2].map(() => (layer - 1) * 20 + random(20)))]
  })
}
