// Nested JSON as tables: objects become columns with dotted names, arrays of objects tables of their own.
//
// N1. Rows of a table that came out of another carry the number of the row they belong to.
// N2. Keys stay data: rows are built from entries, so a key like "__proto__" is a column and nothing more.

export type Cell = string | number | boolean | null
export interface FlatTable {
  readonly name: string
  /** One map from column to cell for each row. */
  readonly rows: readonly ReadonlyMap<string, Cell>[]
}

const mostTables = 40
const deepest = 12

/** Makes tables of any JSON value. @param name of the first table; the others are called `name/key`. */
export function flatten(value: unknown, name: string): FlatTable[] {
  const tables = new Map<string, Map<string, Cell>[]>()
  const add = (table: string, row: Map<string, Cell>) => {
    const rows = tables.get(table)
    if (rows !== undefined) rows.push(row)
    else if (tables.size < mostTables) tables.set(table, [row])
  }

  function intoRow(
    row: Map<string, Cell>,
    table: string,
    column: string,
    field: unknown,
    number: number,
    depth: number,
  ): void {
    if (isCell(field)) row.set(column === '' ? 'value' : column, field)
    else if (Array.isArray(field)) takeArray(`${table}/${column}`, field, number, depth + 1)
    else if (depth >= deepest) row.set(column, JSON.stringify(field))
    else {
      for (const [key, inner] of Object.entries(field as object)) {
        intoRow(row, table, column === '' ? key : `${column}.${key}`, inner, number, depth + 1)
      }
    }
  }
  function takeArray(table: string, items: readonly unknown[], parent: number | undefined, depth: number): void {
    for (const [index, item] of items.entries()) {
      const row = new Map<string, Cell>()
      if (parent !== undefined) row.set('row', parent) // N1
      if (parent !== undefined || isCell(item)) row.set('index', index)
      intoRow(row, table, '', item, index, depth)
      add(table, row)
    }
  }

  if (Array.isArray(value)) takeArray(name, value, undefined, 0)
  else if (isCell(value)) add(name, new Map([['value', value]]))
  else {
    const fields = Object.entries(value as object)
    const lists = fields.filter(([, field]) => Array.isArray(field))
    for (const [key, items] of lists) takeArray(`${name}/${key}`, items as unknown[], undefined, 0)
    const rest = fields.filter(([, field]) => !Array.isArray(field))
    if (rest.length > 1 && lists.length === 0 && isDictionary(rest.map(([, field]): unknown => field))) {
      for (const [key, field] of rest) add(name, new Map<string, Cell>([['key', key], ['value', field as Cell]])) // prettier-ignore
    } else if (rest.length > 0) {
      const row = new Map<string, Cell>()
      for (const [key, field] of rest) intoRow(row, name, key, field, 0, 0)
      add(name, row)
    }
  }
  return [...tables].map(([table, rows]) => ({ name: table, rows }))
}

/** Values of one kind under many keys are a list of pairs; of several kinds, they describe one thing: a row. */
function isDictionary(values: readonly unknown[]): boolean {
  const kinds = new Set(values.flatMap((value) => (value === null ? [] : [typeof value])))
  return values.every((value) => isCell(value)) && kinds.size <= 1
}

/** A grid (`width`, `height`, `values`) as a table of cells. */
export function unrollGrid(
  grid: { readonly width: number; readonly height: number; readonly values: readonly number[] },
  name: string,
): FlatTable {
  const { width, height, values } = grid
  const rows = values.map((value, index) => new Map<string, Cell>([['x', index % width], ['y', Math.floor(index / width)], ['value', value]])) // prettier-ignore
  if (values.length !== width * height) {
    throw new RangeError(
      `a grid of ${String(width)} by ${String(height)} needs ${String(width * height)} values, and has ${String(values.length)}`,
    )
  }
  return { name, rows }
}

export function isCell(value: unknown): value is Cell {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
