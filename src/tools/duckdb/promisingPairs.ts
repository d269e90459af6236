// Which pairs of columns are worth a look, by their sketches alone.
import { nameAffinity } from './nameAffinity.ts'
import type { ColumnSketch } from './sketchColumns.ts'

export interface Pair {
  readonly a: ColumnSketch
  readonly b: ColumnSketch
  /** How promising, to sort by. */
  readonly promise: number
}

/** Pairs of columns whose sketches say that one may contain most of the other, best first (J1). */
export function promisingPairs(sketches: readonly ColumnSketch[], contained: number): Pair[] {
  const pairs: Pair[] = []
  const ordered = sketches.toSorted((x, y) => compareText(nameOf(x), nameOf(y)))
  for (const [index, a] of ordered.entries()) {
    for (const b of ordered.slice(index + 1)) {
      if (a.table === b.table || (a.kind === 'date') !== (b.kind === 'date') || saysNothing(a, b)) continue
      const { inA, inB, seen } = estimateShares(a, b)
      const best = Math.max(inA, inB)
      const slack = Math.min(0.3, 1 / Math.sqrt(Math.max(1, seen)))
      if (best > 0 && best >= contained - slack) pairs.push({ a, b, promise: best * Math.log2(1 + seen) })
    }
  }
  return pairs.sort((x, y) => y.promise - x.promise) // sort is stable: equal ones stay in the order of their names
}

/** Share of each side's values that the other has, from what both sketches know completely. */
export function estimateShares(
  a: Pick<ColumnSketch, 'hashes' | 'distinct'>,
  b: Pick<ColumnSketch, 'hashes' | 'distinct'>,
): { readonly inA: number; readonly inB: number; readonly seen: number } {
  const end = Math.min(endOf(a), endOf(b))
  let [i, j, both, onlyA, onlyB] = [0, 0, 0, 0, 0]
  for (;;) {
    const x = a.hashes[i] ?? Infinity
    const y = b.hashes[j] ?? Infinity
    const next = Math.min(x, y)
    if (next > end || next === Infinity) break
    if (x === y) both += 1
    else if (x < y) onlyA += 1
    else onlyB += 1
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  const share = (only: number) => (both + only === 0 ? 0 : both / (both + only))
  return { inA: share(onlyA), inB: share(onlyB), seen: both + Math.min(onlyA, onlyB) }
}

/** Up to which hash a sketch knows all values of its column. */
function endOf({ hashes, distinct }: Pick<ColumnSketch, 'hashes' | 'distinct'>): number {
  return hashes.length < distinct ? (hashes.at(-1) ?? 0) : Infinity
}

/** Whole numbers without a key and without a common name, or in a key that leaves no gaps: their agreement is no evidence (J2). */
function saysNothing(a: ColumnSketch, b: ColumnSketch): boolean {
  if (a.kind !== 'integer' || b.kind !== 'integer') return false
  if (nameAffinity(a, b) >= 0.5) return false
  const keys = [a, b].filter((sketch) => sketch.distinct === sketch.rows)
  return keys.every(({ range, distinct }) => range !== undefined && distinct > 0.95 * (range[1] - range[0] + 1))
}

function nameOf({ table, column }: ColumnSketch): string {
  return `${table}\0${column}`
}

/** By code units: the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
