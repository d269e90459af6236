// How much the names of two columns, and of the tables they stand in, say that they mean the same.

interface NamedColumn {
  readonly table: string
  readonly column: string
}

/** Names that any table may use for anything. */
const generic = new Set([
  'id',
  'key',
  'name',
  'code',
  'index',
  'value',
  'type',
  'no',
  'number',
  'count',
  'group',
  'x',
  'y',
  'label',
])

/** Words of the tables and columns that agree, 0 to 1. Equal column names count fully, unless any table might use them.
 *
 * @example nameAffinity({ table: 'a', column: 'Origin State' }, { table: 'b', column: 'origin_states' }) // 1
 */
export function nameAffinity(a: NamedColumn, b: NamedColumn): number {
  const [columnA, columnB] = [wordsOf(a.column), wordsOf(b.column)]
  const tables = alike(wordsOf(a.table), wordsOf(b.table))
  const columns = alike(columnA, columnB)
  const isGeneric = [...columnA].every((word) => generic.has(word)) || [...columnB].every((word) => generic.has(word))
  if (!isGeneric) return Math.max(columns, tables * 0.5)
  // "source" of flare-dependencies and "id" of flare: a generic name takes its meaning from the table.
  const crossed = Math.max(alike(columnA, wordsOf(b.table)), alike(columnB, wordsOf(a.table)))
  return Math.min(1, Math.max(tables, crossed, columns * 0.4))
}

/** Words shared, as a share of the larger and the smaller set together (Dice). */
function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size)
}

/** Words in small letters, plural forms aside: `Origin State`, `origin_states` and `originState` agree. */
function wordsOf(name: string): ReadonlySet<string> {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word))
  return new Set(words)
}
