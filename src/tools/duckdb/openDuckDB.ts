// One in-memory DuckDB for all data tools of a runtime: a pool of connections, shut in, with a store of read tables.
//
// D1. Nothing comes from the network: extensions are neither installed nor loaded, and the configuration is locked.
// D2. Only files in the given folders can be read or written, whatever the SQL says.
// D3. When a signal fires, its query is interrupted, and its place in the pool is free again.
import { realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { makeFolder } from '../../makeFolder.ts'
import { ToolError } from '../toolError.ts'
import { interruptOnAbort } from './interruptOnAbort.ts'
import { loadDuckDB, type DuckDBApi } from './loadDuckDB.ts'
import { createSession, type QueryResult, type Session } from './session.ts'
import { quoteText } from './sql.ts'
import type { TableHandle } from './tableHandle.ts'
import { createTableStore } from './tableStore.ts'

export interface DuckDBOptions {
  /** Folders that may be read; no other file is touched. */
  readonly roots: readonly string[]
  /** Folder for what tools write (flattened tables, samples) and for what does not fit into memory. */
  readonly workFolder?: string
  /** @default '1GB' */
  readonly memoryLimit?: string
  /** @default 2 */
  readonly threads?: number
  /** Queries at once. @default 4 */
  readonly connections?: number
  /** Cells (rows times columns) of read tables that are kept in memory. @default 20_000_000 */
  readonly storeCells?: number
  /** How the package is imported (its types do not stand here: it is an optional peer). @default import('@duckdb/node-api') */
  readonly load?: () => Promise<unknown>
}

export interface DuckDB extends AsyncDisposable {
  /** Absolute, links resolved: what may be read. */
  readonly roots: readonly string[]
  readonly workFolder: string | undefined
  /** Leases a connection for as long as `work` takes. */
  use<T>(work: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T>
  query(sql: string, signal?: AbortSignal): Promise<QueryResult>
  /** Gives `work` a name under which the table can be queried; reads the file only if that has not been done. */
  withTable<T>(
    handle: TableHandle,
    work: (session: Session, table: string) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>
  /** The same for several tables in one session. */
  withTables<T>(
    handles: readonly TableHandle[],
    work: (session: Session, tables: readonly string[]) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>
  close(): Promise<void>
}

/** Opens DuckDB. It is started by the first query, so opening costs nothing.
 *
 * @throws `DUCKDB_MISSING` from the first query on, when the package is not installed.
 * @example
 * await using db = openDuckDB({ roots: ['data'] })
 * const { rows } = await db.query('SELECT 6 * 7')
 */
export function openDuckDB(options: DuckDBOptions): DuckDB {
  const workFolder = options.workFolder === undefined ? undefined : realPath(options.workFolder)
  const roots = [...options.roots.map(realPath), ...(workFolder === undefined ? [] : [workFolder])]
  const limit = options.connections ?? 4
  const idle: DuckDBConnection[] = []
  const waiting: (() => void)[] = []
  let starting: Promise<{ api: DuckDBApi; instance: DuckDBInstance }> | undefined
  let open = 0
  let closed = false

  async function start() {
    const api = await loadDuckDB(options.load)
    const instance = await api.DuckDBInstance.create(':memory:', {
      threads: String(options.threads ?? 2),
      memory_limit: options.memoryLimit ?? '1GB',
      temp_directory: workFolder !== undefined && (await canMake(workFolder)) ? workFolder : '',
      autoinstall_known_extensions: 'false', // D1
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
    })
    const connection = await instance.connect()
    const allowed = roots.map((folder) => quoteText(folder.endsWith(sep) ? folder : folder + sep))
    await connection.run(`SET allowed_directories = [${allowed.join(', ')}]`) // D2
    await connection.run('SET enable_external_access = false')
    await connection.run('SET lock_configuration = true')
    connection.closeSync()
    return { api, instance }
  }
  /** Starts DuckDB once; a start that failed is tried again by the next query. */
  function running() {
    starting ??= start().catch((error: unknown) => {
      starting = undefined
      throw error
    })
    return starting
  }
  async function lease(instance: DuckDBInstance, signal: AbortSignal | undefined): Promise<DuckDBConnection> {
    for (;;) {
      if (closed) throw new ToolError('DUCKDB_CLOSED', 'The data tools have been closed.', { retryable: false })
      signal?.throwIfAborted()
      const connection = idle.pop()
      if (connection !== undefined) return connection
      if (open < limit) {
        open += 1
        return instance.connect().catch((error: unknown) => {
          open -= 1
          throw error
        })
      }
      await new Promise<void>((wake) => waiting.push(wake))
    }
  }
  function giveBack(connection: DuckDBConnection) {
    if (closed) connection.closeSync()
    else idle.push(connection)
    waiting.shift()?.()
  }
  /** What an interrupted piece of work has left behind (temporary tables) goes with its connection. */
  function retire(connection: DuckDBConnection) {
    connection.closeSync()
    open -= 1
    waiting.shift()?.()
  }

  async function use<T>(work: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { api, instance } = await running()
    const connection = await lease(instance, signal)
    const stopInterrupting = signal && interruptOnAbort(connection, signal)
    try {
      return await work(createSession(api, connection, signal))
    } catch (error) {
      signal?.throwIfAborted() // D3: the reason of the abort, not DuckDB's "Interrupted!"
      throw error
    } finally {
      stopInterrupting?.()
      if (signal?.aborted === true) retire(connection)
      else giveBack(connection)
    }
  }
  const store = createTableStore(use, options.storeCells ?? 20_000_000)

  async function close(): Promise<void> {
    if (closed) return
    closed = true
    for (const wake of waiting.splice(0)) wake()
    for (const connection of idle.splice(0)) connection.closeSync()
    const started = await starting?.catch(() => undefined)
    started?.instance.closeSync()
  }
  return {
    roots,
    workFolder,
    use,
    query: (sql, signal) => use((session) => session.query(sql), signal),
    withTables: store.withTables,
    withTable: (handle, work, signal) =>
      store.withTables([handle], (session, [table]) => work(session, table ?? ''), signal),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Without the folder nothing can be written, but everything can still be read. */
async function canMake(folder: string): Promise<boolean> {
  try {
    await makeFolder(folder)
    return true
  } catch {
    return false
  }
}

/** The path with links resolved where it exists, since DuckDB compares paths as text. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
