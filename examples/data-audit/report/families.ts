// Columns that hold the same values, put together: five columns of state names are one fact, not ten relations.
import type { Join } from 'planloom/tools'

export interface FamilyColumn {
  readonly table: string
  readonly column: string
  readonly distinct: number
  /** Every value once: others can look it up here. */
  readonly unique: boolean
}

export interface Family {
  readonly kind: Join['kind']
  readonly columns: readonly FamilyColumn[]
  readonly joins: readonly Join[]
  readonly examples: readonly string[]
}

/** Groups relations whose columns are connected; the largest groups first. */
export function familiesOf(joins: readonly Join[]): Family[] {
  const parents = new Map<string, string>()
  const rootOf = (key: string): string => {
    const parent = parents.get(key) ?? key
    return parent === key ? key : rootOf(parent)
  }
  for (const { left, right } of joins) {
    const [a, b] = [rootOf(keyOf(left)), rootOf(keyOf(right))]
    parents.set(keyOf(left), a)
    parents.set(keyOf(right), a)
    parents.set(b, a)
  }
  const groups = new Map<string, Join[]>()
  for (const join of joins) {
    const root = rootOf(keyOf(join.left))
    groups.set(root, [...(groups.get(root) ?? []), join])
  }
  return [...groups.values()]
    .map(familyOf)
    .sort((a, b) => b.columns.length - a.columns.length || (nameOf(a) < nameOf(b) ? -1 : 1))
}

function familyOf(joins: readonly Join[]): Family {
  const columns = new Map<string, FamilyColumn>()
  for (const { left, right } of joins) {
    for (const { table, column, distinct, unique } of [left, right])
      columns.set(keyOf({ table, column }), { table, column, distinct, unique })
  }
  const [first] = joins
  const widest = joins.reduce<Join | undefined>(
    (best, join) => (best === undefined || join.shared > best.shared ? join : best),
    undefined,
  )
  return {
    kind: first?.kind ?? 'text',
    columns: [...columns.values()].sort(
      (a, b) => Number(b.unique) - Number(a.unique) || b.distinct - a.distinct || (keyOf(a) < keyOf(b) ? -1 : 1),
    ),
    joins,
    examples: widest?.examples ?? [],
  }
}

function keyOf({ table, column }: { readonly table: string; readonly column: string }): string {
  return `${table}\0${column}`
}
function nameOf({ columns: [first] }: Family): string {
  return first === undefined ? '' : keyOf(first)
}
