// Which columns of different tables relate to each other: found by what is in them, shown with the evidence.
//
// J1. Sketches choose the pairs worth a look; every relation that is reported was then counted exactly.
// J2. Agreement that small numbers reach by accident is no evidence (`lnChance`); then only the names can speak for it.
// J3. The same tables give the same relations in the same order.
import { comparePairs, type Counted } from './comparePairs.ts'
import type { Join } from './join.ts'
import { judgePair } from './judgePair.ts'
import type { DuckDB } from './openDuckDB.ts'
import { compareText, promisingPairs } from './promisingPairs.ts'
import type { ColumnSketch } from './sketchColumns.ts'
import type { TableHandle } from './tableHandle.ts'

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

function keyOf({ left, right }: Join): string {
  return `${left.table} ${left.column} ${right.table} ${right.column}`
}
