// Which columns of different tables relate to each other: found by what is in them, shown with the evidence.
//
// J1. Sketches choose the pairs worth a look; every relation that is reported was then counted exactly.
// J2. Agreement that small numbers reach by accident is no evidence (`lnChance`); then only the names can speak for it.
// J3. The same tables give the same relations in the same order.
import { z } from 'zod'
import { comparePairs, type Counted } from './comparePairs.ts'
import { judgePair } from './judgePair.ts'
import type { DuckDB } from './openDuckDB.ts'
import { nameAffinity } from './nameAffinity.ts'
import type { ColumnSketch } from './sketchColumns.ts'
import type { TableHandle } from './tableHandle.ts'

const sideSchema = z.strictObject({
  table: z.string(),
  column: z.string(),
  /** Different values. */
  distinct: z.int(),
  /** Share of them that is found on the other side, 0 to 1. */
  found: z.number(),
  /** Every value once. */
  unique: z.boolean(),
  /** Some values that the other side lacks. */
  missing: z.array(z.string()),
})

export const joinSchema = z.strictObject({
  /** The side whose values are found in the other: of a key, the one that refers to it. */
  left: sideSchema,
  right: sideSchema,
  kind: z.enum(['text', 'integer', 'date']),
  shared: z.int(),
  examples: z.array(z.string()),
  cardinality: z.enum(['1:1', 'n:1', '1:n', 'n:m']),
  /** How alike the names of columns and tables are, 0 to 1. */
  names: z.number(),
  /** log10 of the probability that as many values agree by accident; 0 where the agreement says nothing. */
  chance: z.number(),
  strength: z.enum(['strong', 'likely', 'weak']),
  because: z.string(),
})
export type Join = z.infer<typeof joinSchema>

export interface FindJoinsOptions {
  readonly tables: readonly TableHandle[]
  readonly sketches: readonly ColumnSketch[]
  /** Share of a column's values that must be found on the other side. @default 0.6 */
  readonly contained?: number
  /** Values that must be shared. @default 3 */
  readonly shared?: number
  /** Pairs that are counted exactly, the most promising first. @default 2000 */
  readonly pairs?: number
  readonly signal?: AbortSignal
  readonly progress?: (done: number, total: number) => void
}

export interface Pair {
  readonly a: ColumnSketch
  readonly b: ColumnSketch
  /** How promising, to sort by. */
  readonly promise: number
}

/** Finds the columns of different tables that share their values.
 *
 * Time grows with the square of the sketched columns (cheap: about 0.1 s for 300) and with the pairs that are counted.
 */
export async function findJoins(db: DuckDB, options: FindJoinsOptions): Promise<Join[]> {
  const { contained = 0.6, shared = 3 } = options
  const pairs = promisingPairs(options.sketches, contained).slice(0, options.pairs ?? 2000)
  const counted: readonly (Counted | undefined)[] = await comparePairs(db, pairs, options)
  const joins = pairs.flatMap(({ a, b }, index) => {
    const counts = counted[index]
    const join = counts && judgePair(a, b, counts, { contained, shared })
    return join === undefined ? [] : [join]
  })
  const order = ['strong', 'likely', 'weak']
  const rank = ({ strength, chance }: Join) => order.indexOf(strength) * 10_000 + Math.max(chance, -9000)
  return joins.sort((x, y) => rank(x) - rank(y) || compareText(keyOf(x), keyOf(y))) // J3
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
function keyOf({ left, right }: Join): string {
  return `${left.table} ${left.column} ${right.table} ${right.column}`
}
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
