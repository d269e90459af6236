// Taking runs out of a journal file, with all that only they refer to.
import { PlanloomError } from '../../errors.ts'
import type { ReuseDropped } from '../reuse.ts'
import type { Contents, SweepOptions } from './contents.ts'
import { inRehearsal, inTransaction, type Database } from './driver.ts'
import { runOf, type RunRow } from './runsTable.ts'
import type { SqliteReuse } from './sqliteReuse.ts'

export interface PruneOptions {
  /** Runs whose latest event is older than this: ms since the epoch. @default no run */
  readonly before?: number
  /** @default only runs that are over */
  readonly unfinished?: 'keep' | 'remove'
  /** Of what is kept for other runs, what is too old, or everything. @default nothing */
  readonly reuse?: 'expired' | 'all'
  /** Tell what would be removed, and remove nothing. @default false */
  readonly dryRun?: boolean
}

export interface Pruned {
  readonly runs: readonly string[]
  /** Of outputs that nobody refers to any more. */
  readonly outputBytes: number
}

export interface PrunedAll extends Pruned {
  /** What was kept for other runs, and the bytes that freed beyond `outputBytes`. */
  readonly reuse: ReuseDropped
}

interface Within {
  readonly database: Database
  readonly contents: Contents
  readonly path: string
  /** Whether some live process writes the run. */
  readonly isOwned: (run: RunRow) => boolean
}

/** Removes one run. @throws `RUN_UNKNOWN`, `RUN_OWNED` while a process goes on with it. */
export function removeRun(within: Within, runId: string): Pruned {
  const { database, path } = within
  return inTransaction(database, () => {
    const run = runOf(database, runId, path)
    if (within.isOwned(run)) {
      throw new PlanloomError('RUN_OWNED', `Run "${runId}" is going on, and cannot be removed.`, {
        hint: 'Cancel it first, or wait for its end.',
        where: { runId, path },
      })
    }
    return removeAll(within, [run])
  })
}

/** Removes old runs, but for those that a process goes on with, and what is kept for other runs: all of it, or nothing. */
export function pruneRuns(within: Within, reuse: SqliteReuse, options: PruneOptions): PrunedAll {
  const { dryRun = false } = options
  const sweeping = { keepFiles: dryRun }
  return (dryRun ? inRehearsal : inTransaction)(within.database, () => ({
    ...removeAll(within, oldRuns(within, options), sweeping),
    reuse: options.reuse === undefined ? { entries: 0, bytes: 0 } : reuse.remove(options.reuse, sweeping),
  }))
}

function oldRuns({ database, isOwned }: Within, { before = -Infinity, unfinished = 'keep' }: PruneOptions): RunRow[] {
  const old = database.prepare('SELECT * FROM runs WHERE changed_at < ? ORDER BY id').all(before) as unknown as RunRow[]
  return old.filter(
    (run) => !isOwned(run) && (unfinished === 'remove' || run.reason !== null || isUnseen(database, run)),
  )
}

function removeAll({ database, contents }: Within, runs: readonly RunRow[], sweeping: SweepOptions = {}): Pruned {
  const seen = runs.filter((run) => !isUnseen(database, run))
  const usedBy = database.prepare('SELECT hash FROM uses WHERE run = ?')
  const remove = database.prepare('DELETE FROM runs WHERE id = ?')
  const used: Uint8Array[] = []
  for (const { id } of runs) {
    for (const { hash } of usedBy.all(id) as readonly { readonly hash: Uint8Array }[]) used.push(hash)
    remove.run(id)
  }
  return { runs: seen.map((run) => run.run_id), outputBytes: contents.sweep(used, sweeping) }
}

/** A copy whose process died before it was whole. */
function isUnseen(database: Database, { id, events }: RunRow): boolean {
  return events === 0 && database.prepare('SELECT 1 FROM events WHERE run = ? LIMIT 1').get(id) !== undefined
}

/** Takes out what a run had written before anybody was to see it, in the transaction of the caller. */
export function emptyRun({ database, contents }: Pick<Within, 'database' | 'contents'>, { id }: RunRow): void {
  database.prepare('DELETE FROM events WHERE run = ?').run(id)
  const used = database.prepare('DELETE FROM uses WHERE run = ? RETURNING hash').all(id)
  contents.sweep((used as readonly { readonly hash: Uint8Array }[]).map(({ hash }) => hash))
}
