// Counting exactly what two columns share. The different values of each column are drawn once, then compared pair by pair.
import { cellText } from './cellText.ts'
import type { Json } from '../../plan/json.ts'
import type { DuckDB } from './openDuckDB.ts'
import type { Session } from './session.ts'
import type { Pair } from './promisingPairs.ts'
import { comparable, positionOf, type ColumnSketch } from './sketchColumns.ts'
import { quoteName } from './sql.ts'
import type { TableHandle } from './tableHandle.ts'

export interface Counted {
  readonly shared: number
  readonly distinctA: number
  readonly distinctB: number
  /** Values of each side that lie where the ranges of both overlap, and how many different ones could lie there. */
  readonly overlapA: number
  readonly overlapB: number
  readonly possible: number
  readonly examples: readonly string[]
  readonly missingA: readonly string[]
  readonly missingB: readonly string[]
}

export interface ComparePairsOptions {
  readonly tables: readonly TableHandle[]
  readonly signal?: AbortSignal
  readonly progress?: (done: number, total: number) => void
}

/** How many texts there could be, where nothing tells: enough to make any agreement of several words no accident. */
const possibleTexts = 1e6

/** Counts each pair; `undefined` where a table is not among those given. */
export async function comparePairs(
  db: DuckDB,
  pairs: readonly Pair[],
  { tables, signal, progress }: ComparePairsOptions,
): Promise<(Counted | undefined)[]> {
  const names = new Set(pairs.flatMap(({ a, b }) => [a.table, b.table]))
  const handles = tables.filter(({ name }) => names.has(name))
  return db.withTables(
    handles,
    async (session, stored) => {
      const sets = new Map<ColumnSketch, string>()
      const setOf = async (sketch: ColumnSketch): Promise<string | undefined> => {
        const index = handles.findIndex(({ name }) => name === sketch.table)
        const handle = handles[index]
        const table = stored[index]
        if (handle === undefined || table === undefined) return undefined
        const known = sets.get(sketch)
        if (known !== undefined) return known
        const set = quoteName(`set ${String(sets.size)}`)
        const type = handle.columns.find(({ name }) => name === sketch.column)?.type ?? 'VARCHAR'
        const value = comparable({ ...sketch, type })
        await session.query(
          `CREATE TEMP TABLE ${set} AS SELECT v, ${positionOf(sketch.kind)} AS p FROM (SELECT DISTINCT ${value} AS v FROM ${table}) WHERE v IS NOT NULL`,
        )
        sets.set(sketch, set)
        return set
      }
      const counted: (Counted | undefined)[] = []
      try {
        for (const { a, b } of pairs) {
          progress?.(counted.length, pairs.length)
          const setA = await setOf(a)
          const setB = await setOf(b)
          counted.push(setA === undefined || setB === undefined ? undefined : await count(session, setA, setB))
        }
        return counted
      } finally {
        for (const set of sets.values()) await session.query(`DROP TABLE IF EXISTS ${set}`).catch(() => undefined)
      }
    },
    signal,
  )
}

async function count(session: Session, setA: string, setB: string): Promise<Counted> {
  const { rows } = await session.query(`
    WITH either AS (
        SELECT coalesce(a.v, b.v) AS v, coalesce(a.p, b.p) AS p, a.v IS NOT NULL AS ina, b.v IS NOT NULL AS inb
        FROM ${setA} a FULL JOIN ${setB} b ON a.v = b.v),
      ends AS (
        SELECT greatest(min(p) FILTER (ina), min(p) FILTER (inb)) AS lo, least(max(p) FILTER (ina), max(p) FILTER (inb)) AS hi
        FROM either)
    SELECT count(*) FILTER (ina AND inb), count(*) FILTER (ina), count(*) FILTER (inb),
      count(*) FILTER (ina AND p BETWEEN lo AND hi), count(*) FILTER (inb AND p BETWEEN lo AND hi),
      CAST(any_value(hi - lo + 1) AS DOUBLE),
      min(v, 4) FILTER (ina AND inb), min(v, 4) FILTER (ina AND NOT inb), min(v, 4) FILTER (inb AND NOT ina),
      min(length(v)), max(length(v)), count(*) FILTER (p IS NULL AND ina AND inb)
    FROM either, ends`)
  const [shared, inA, inB, overlapA, overlapB, range, examples, missingA, missingB, shortest, longest, words] =
    rows[0] ?? []
  const isText = Number(words) > 0
  const isCode = shortest === longest && Number(longest) <= 3
  return {
    shared: Number(shared),
    distinctA: Number(inA),
    distinctB: Number(inB),
    overlapA: Number(isText ? inA : overlapA),
    overlapB: Number(isText ? inB : overlapB),
    possible: isText ? (isCode ? 26 ** Number(longest) : possibleTexts) : Number(range),
    examples: texts(examples),
    missingA: texts(missingA),
    missingB: texts(missingB),
  }
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map((item: Json) => cellText(item).slice(0, 60)) : []
}
