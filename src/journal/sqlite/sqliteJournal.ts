// A journal in one SQLite file: runs outlive their process, and several processes may share the file.
//
// Q1. Reading never waits for writing, nor the other way round (write-ahead log).
// Q2. What is read is checked against its checksum chain first: an event that was damaged is an error, never a guess.
import { dirname, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { PlanloomError } from '../../errors.ts'
import { makeFolderSync } from '../../makeFolder.ts'
import type {
  Durability,
  Journal,
  JournalEvent,
  RunFilter,
  RunJournal,
  RunSummary,
  StoredSnapshot,
} from '../journal.ts'
import { runOver, type RunCommand, type RunRequest } from '../requests.ts'
import type { ReuseLimits, ReuseStore } from '../reuse.ts'
import { runExists } from '../runErrors.ts'
import { Contents } from './contents.ts'
import { inTransaction, openFile, type Database } from './driver.ts'
import { isBusy, journalFailure } from './failures.ts'
import { GroupCommit } from './groupCommit.ts'
import { Owner, type RunOwner } from './owner.ts'
import { checkPresence } from './presence.ts'
import { emptyRun, pruneRuns, removeRun, type Pruned, type PrunedAll, type PruneOptions } from './prune.ts'
import { readEvents } from './readEvents.ts'
import { insertRequest, listRequests } from './requestsTable.ts'
import { RequestWatch } from './requestWatch.ts'
import { findRun, insertRun, listRuns, progressOf, runOf, runsOwned, type RunRow } from './runsTable.ts'
import { RunWriter, writerStatements } from './runWriter.ts'
import { bringUpToDate } from './schema.ts'
import { findSnapshot } from './snapshots.ts'
import { SqliteReuse } from './sqliteReuse.ts'
import { verifyFile, type VerifyReport } from './verify.ts'

export interface SqliteJournalOptions {
  /** What every event outlives at least. With `process`, a loss of power may take the latest events of a run, but never
   * one that a step with effects depends on or that tells of its outcome. @default 'process' */
  readonly durability?: Durability
  /** Outputs that are larger are kept as files beside the database. @default 1 MiB */
  readonly fileOverBytes?: number
  /** Most that the database file may take; more is refused as a full disk would be (`JOURNAL_FULL`). @default no limit */
  readonly maxBytes?: number
  /** `new`: a file that is there is refused (`JOURNAL_EXISTS`). `existing`: one that is not is (`JOURNAL_UNKNOWN`).
   * @default either */
  readonly file?: 'new' | 'existing'
  /** How much of outputs and plans is kept for other runs, and for how long. */
  readonly reuse?: ReuseLimits
  /** How long a process that gives no sign of life keeps its runs from others. @default 15,000 */
  readonly leaseMs?: number
  /** How long to wait for other processes that write, before a run fails for it. @default 10,000 */
  readonly busyMs?: number
  /** ms since the epoch; for tests. */
  readonly now?: () => number
}

/** A journal in an SQLite file, with what only such a one can do. */
export interface SqliteJournal extends Journal {
  readonly path: string
  readonly reuse: ReuseStore
  runs(filter?: RunFilter): readonly RunSummary[]
  read(runId: string, from?: number): Iterable<JournalEvent>
  snapshot(runId: string, upTo?: number): StoredSnapshot | undefined
  request(runId: string, command: RunCommand, options?: { readonly by?: string }): Promise<number>
  requests(runId: string): readonly RunRequest[]
  /** The process that has a run, as far as can be told. @throws `RUN_UNKNOWN` */
  ownerOf(runId: string): RunOwner | undefined
  /** The processes that have runs, as far as can be told, by the ids of the runs: one look for all of them. */
  owners(): ReadonlyMap<string, RunOwner>
  /** Looks the whole file through. One that was cut short cannot be opened as a journal; `verifyJournal` looks at it. */
  verify(): VerifyReport
  /** @throws `RUN_UNKNOWN`, `RUN_OWNED` while a process goes on with it. */
  remove(runId: string): Pruned
  /** Removes old runs, and what is kept for other runs, with outputs that only they refer to; or tells what it would remove. */
  prune(options: PruneOptions): PrunedAll
}

/** Opens a journal file, and makes it where there is none.
 *
 * @param path of the database; `<path>-wal`, `<path>-shm` and the folder `<path>-outputs` stand beside it.
 * @throws `JOURNAL_EXISTS` and `JOURNAL_UNKNOWN` as `file` says, `JOURNAL_FORMAT` for a file of something else, `JOURNAL_NEWER` for one of a later version, `JOURNAL_READONLY`,
 *   `FOLDER_UNMAKEABLE`, `JOURNAL_UNOPENED`, `JOURNAL_DAMAGED`, `JOURNAL_FULL`.
 */
export function sqliteJournal(path: string, options: SqliteJournalOptions = {}): SqliteJournal {
  return new FileJournal(resolve(path), options)
}

/** How soon a request tries again while another process writes. */
const retryMs = 10

class FileJournal implements SqliteJournal {
  readonly path: string
  readonly reuse: SqliteReuse
  readonly #database: Database
  readonly #contents: Contents
  readonly #commits: GroupCommit
  readonly #statements: ReturnType<typeof writerStatements>
  readonly #options: SqliteJournalOptions
  readonly #watch: RequestWatch
  #madeOwner: Owner | undefined
  #isClosed = false

  constructor(path: string, options: SqliteJournalOptions) {
    this.path = path
    this.#options = options
    checkPresence(path, options.file)
    makeFolderSync(dirname(path))
    this.#database = openFile({ path, busyMs: 50 })
    try {
      bringUpToDate(this.#database, path)
      if (options.maxBytes !== undefined) limitSize(this.#database, options.maxBytes)
      this.#contents = new Contents(this.#database, {
        folder: `${path}-outputs`,
        fileOverBytes: options.fileOverBytes ?? 1024 * 1024,
      })
      this.#statements = writerStatements(this.#database)
      const now = (): number => this.#now()
      this.reuse = new SqliteReuse(this.#database, this.#contents, { path, limits: options.reuse, now })
    } catch (error) {
      this.#database.close()
      throw journalFailure(error, path, 'be opened')
    }
    this.#watch = new RequestWatch(this.#database, {
      onFault: (error) => {
        process.emitWarning(journalFailure(error, path, 'be read'), { code: 'JOURNAL_REQUESTS' })
      },
    })
    this.#commits = new GroupCommit(this.#database, {
      path,
      busyMs: options.busyMs ?? 10_000,
      atLeast: options.durability ?? 'process',
    })
  }

  create(runId: string): RunJournal {
    return this.#doing('be written', () => {
      const now = this.#now()
      return inTransaction(this.#database, () => {
        const found = findRun(this.#database, runId)
        if (found !== undefined && !this.#isAbandoned(found)) throw runExists(runId, this.path)
        if (found === undefined) insertRun(this.#database, runId, now)
        else emptyRun(this.#within, found) // its fence still counts
        return this.#take(runOf(this.#database, runId, this.path))
      })
    })
  }

  open(runId: string): RunJournal {
    return this.#doing('be written', () =>
      inTransaction(this.#database, () => this.#take(runOf(this.#database, runId, this.path))),
    )
  }

  *read(runId: string, from = 0): Generator<JournalEvent> {
    const run = this.#doing('be read', () => runOf(this.#database, runId, this.path))
    if (run.events === 0) return // it has not begun for anybody but its writer
    yield* readEvents({ database: this.#database, contents: this.#contents, run, path: this.path, from })
  }

  snapshot(runId: string, upTo = Infinity): StoredSnapshot | undefined {
    return this.#doing('be read', () => {
      const run = runOf(this.#database, runId, this.path)
      return findSnapshot(this.#database, this.#contents, run, Math.min(upTo, run.events))
    })
  }

  runs(filter?: RunFilter): readonly RunSummary[] {
    return this.#doing('be read', () => listRuns(this.#database, filter))
  }

  async request(runId: string, command: RunCommand, { by }: { readonly by?: string } = {}): Promise<number> {
    const insert = (): number =>
      inTransaction(this.#database, () => {
        const { id, reason } = runOf(this.#database, runId, this.path)
        if (reason !== null) throw runOver(runId, command)
        return insertRequest(this.#database, id, { at: this.#now(), by, command })
      })
    const { busyMs = 10_000 } = this.#options
    for (let waitedMs = 0; ; waitedMs += retryMs) {
      try {
        const number = insert()
        this.#watch.askedHere()
        return number
      } catch (error) {
        if (!isBusy(error) || waitedMs >= busyMs) throw journalFailure(error, this.path, 'be written')
        await wait(retryMs)
      }
    }
  }

  requests(runId: string): readonly RunRequest[] {
    return this.#doing('be read', () => listRequests(this.#database, runOf(this.#database, runId, this.path).id))
  }

  ownerOf(runId: string): RunOwner | undefined {
    return this.#doing('be read', () => {
      const { owner } = runOf(this.#database, runId, this.path)
      return owner === null ? undefined : this.#owner.find(owner)
    })
  }

  owners(): ReadonlyMap<string, RunOwner> {
    return this.#doing('be read', () => {
      const living = this.#owner.living()
      return living.size === 0 ? new Map() : runsOwned(this.#database, living)
    })
  }

  verify(): VerifyReport {
    return verifyFile({ database: this.#database, contents: this.#contents, path: this.path })
  }

  remove(runId: string): Pruned {
    return this.#doing('be written', () => removeRun(this.#within, runId))
  }

  prune(options: PruneOptions): PrunedAll {
    return this.#doing('be written', () => pruneRuns(this.#within, this.reuse, options))
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#watch.close()
    this.#commits.drain()
    try {
      // Both can be done without. The lease of a process that has ended ends by itself, and whoever opens the file next
      // folds the log into it: that a disk is full, or that another process writes, is no failure of what was recorded.
      this.#tidied(() => this.#madeOwner?.close())
      // As far as nobody else reads the file: it alone is the journal then.
      this.#tidied(() => {
        this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      })
    } finally {
      this.#database.close()
    }
  }

  /** Does what may be left undone where the file cannot be written now. */
  #tidied(work: () => void): void {
    try {
      this.#doing('be closed', work)
    } catch (error) {
      if (!isUnwritable(error)) throw error
    }
  }

  /** Made when the first run is taken. */
  get #owner(): Owner {
    this.#madeOwner ??= new Owner(
      this.#database,
      { path: this.path, now: () => this.#now(), leaseMs: this.#options.leaseMs ?? 15_000 },
      (error) => {
        process.emitWarning(journalFailure(error, this.path, 'renew its lease'), { code: 'JOURNAL_LEASE' })
      },
    )
    return this.#madeOwner
  }

  get #within(): Parameters<typeof pruneRuns>[0] {
    return {
      database: this.#database,
      contents: this.#contents,
      path: this.path,
      isOwned: ({ owner }) => owner !== null && this.#owner.find(owner) !== undefined,
    }
  }

  /** Its process died before anything of it was to be seen. */
  #isAbandoned({ events, owner }: RunRow): boolean {
    return events === 0 && (owner === null || this.#owner.find(owner) === undefined)
  }

  /** In a transaction. */
  #take(run: RunRow): RunWriter {
    const fence = this.#owner.take({ id: run.id, runId: run.run_id, owner: run.owner, fence: run.fence })
    return new RunWriter({
      path: this.path,
      id: run.id,
      runId: run.run_id,
      fence,
      next: run.events,
      chain: run.chain,
      changedAt: run.changed_at,
      progress: progressOf(run),
      contents: this.#contents,
      reuse: this.reuse,
      statements: this.#statements,
      commits: this.#commits,
      database: this.#database,
      onListen: (listener) => {
        this.#watch.listen(run.id, listener)
      },
      onClose: () => {
        this.#release(run, fence)
      },
    })
  }

  #release(run: RunRow, fence: number): void {
    if (this.#isClosed) return // all were given back
    this.#watch.leave(run.id)
    this.#doing('be written', () => {
      this.#database.prepare('UPDATE runs SET owner = NULL WHERE id = ? AND fence = ?').run(run.id, fence)
    })
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now()
  }

  #doing<T>(what: string, work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw journalFailure(error, this.path, what)
    }
  }
}

function limitSize(database: Database, maxBytes: number): void {
  const { page_size: pageBytes } = database.prepare('PRAGMA page_size').get() as { readonly page_size: number }
  database.exec(`PRAGMA max_page_count = ${String(Math.max(1, Math.floor(maxBytes / pageBytes)))}`)
}

function isUnwritable(error: unknown): boolean {
  const { code } = error as PlanloomError
  return code === 'JOURNAL_FULL' || code === 'JOURNAL_READONLY' || code === 'JOURNAL_BUSY'
}
