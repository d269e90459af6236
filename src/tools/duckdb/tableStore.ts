// Read tables, kept in memory: profile, checks and charts ask many questions about the same file.
//
// T1. A file is read once for as long as it stays unchanged and there is room.
// T2. A stored table is dropped only while nobody reads it; the one unused for longest goes first.
// T3. Reading stops when everyone who waits for the table has been cancelled, not when one of them has.
import { statSync } from 'node:fs'
import { fileFailure } from '../files/fileFailure.ts'
import type { Session } from './session.ts'
import { quoteName } from './sql.ts'
import { relationOf, type TableHandle } from './tableHandle.ts'

interface StoredTable {
  readonly name: string
  readonly ready: Promise<unknown>
  readonly reading: AbortController
  cells: number
  readers: number
}

type Use = <T>(work: (session: Session) => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Files larger than this are queried where they stand. */
const largestFileBytes = 256 * 1024 * 1024

export function createTableStore(use: Use, storeCells: number) {
  const tables = new Map<string, StoredTable>()
  let stored = 0
  let named = 0

  function read(key: string, handle: TableHandle): StoredTable {
    const name = quoteName(`stored ${String((named += 1))}`)
    const reading = new AbortController()
    const ready = use(async (session) => {
      await session.query(`CREATE TABLE ${name} AS SELECT * FROM ${relationOf(handle)}`)
      const { rows } = await session.query(`SELECT count(*) FROM ${name}`)
      table.cells = Number(rows[0]?.[0]) * Math.max(1, handle.columns.length)
      stored += table.cells
    }, reading.signal)
    const table: StoredTable = { name, ready, reading, cells: 0, readers: 0 }
    tables.set(key, table)
    ready.catch(() => {
      if (tables.get(key) === table) tables.delete(key)
    })
    return table
  }

  async function shrink(): Promise<void> {
    for (const [key, table] of tables) {
      if (stored <= storeCells) return
      if (table.readers > 0) continue // T2
      tables.delete(key)
      stored -= table.cells
      await use((session) => session.query(`DROP TABLE IF EXISTS ${table.name}`))
    }
  }

  /** Holds one table: read, counted as in use, and under a name; or, when it is too large to keep, where it stands. */
  function hold(handle: TableHandle): StoredTable | string {
    const { mtimeMs, size } = stateOf(handle.path)
    const relation = relationOf(handle)
    if (size > largestFileBytes || handle.rows * handle.columns.length > storeCells) return relation
    const key = `${relation} ${String(mtimeMs)} ${String(size)}`
    const table = tables.get(key) ?? read(key, handle) // T1
    tables.delete(key)
    tables.set(key, table) // now the last one: the order of the map is the order of use
    table.readers += 1
    return table
  }

  function letGo(held: StoredTable | string, signal: AbortSignal | undefined): void {
    if (typeof held === 'string') return
    held.readers -= 1
    if (held.readers === 0 && signal?.aborted === true) held.reading.abort(signal.reason) // T3
  }

  /** Gives `work` names under which the tables can be queried, all in one session. */
  async function withTables<T>(
    handles: readonly TableHandle[],
    work: (session: Session, tables: readonly string[]) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const held: (StoredTable | string)[] = []
    try {
      for (const handle of handles) held.push(hold(handle))
      for (const table of held) if (typeof table !== 'string') await unlessAborted(table.ready, signal)
      const names = held.map((table) => (typeof table === 'string' ? table : table.name))
      return await use((session) => work(session, names), signal)
    } finally {
      for (const table of held) letGo(table, signal)
      await shrink()
    }
  }
  return { withTables }
}

/** A file may have gone since it was read as a table. */
function stateOf(path: string): { readonly mtimeMs: number; readonly size: number } {
  try {
    return statSync(path)
  } catch (error) {
    throw fileFailure(path, error)
  }
}

async function unlessAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await promise
    return
  }
  signal.throwIfAborted()
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    await Promise.race([promise, aborted])
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}
