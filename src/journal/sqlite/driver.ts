// The one door to SQLite. Whatever driver stands behind it speaks the API of Node's own `node:sqlite`.
import { createRequire } from 'node:module'
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'
import { PlanloomError } from '../../errors.ts'
import { journalFailure } from './failures.ts'

export type Database = DatabaseSyncInstance
export type Statement = StatementSyncInstance

type Driver = typeof import('@photostructure/sqlite')

let driver: Driver | undefined

/** Loaded when the first file is opened: who keeps no journal in a file does not pay for it. */
function loadDriver(): Driver {
  try {
    driver ??= createRequire(import.meta.url)('@photostructure/sqlite') as Driver
    return driver
  } catch (cause) {
    throw new PlanloomError('JOURNAL_DRIVER_MISSING', 'The SQLite driver of the journal could not be loaded.', {
      hint: 'Install the package again on this machine (it carries a binary for each platform), or use memoryJournal().',
      cause,
    })
  }
}

export interface OpenFileOptions {
  readonly path: string
  readonly readOnly?: boolean
  /** How long one statement waits for another process, in ms. */
  readonly busyMs: number
}

/** Opens a file. @throws `JOURNAL_…` as `journalFailure` names it. */
export function openFile({ path, readOnly = false, busyMs }: OpenFileOptions): Database {
  const { DatabaseSync } = loadDriver()
  try {
    return new DatabaseSync(path, { readOnly, timeout: busyMs, enableForeignKeyConstraints: true })
  } catch (error) {
    throw journalFailure(error, path, 'be opened')
  }
}

/** Runs `work` in a transaction that takes the right to write at once; all of it happens, or nothing. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** Does `work` to find out what would come of it; nothing of it stays. */
export function inRehearsal<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    return work()
  } finally {
    rollBack(database)
  }
}

/** Some faults (a full disk, a lost device) have ended the transaction already. */
function rollBack(database: Database): void {
  if (database.isTransaction) database.exec('ROLLBACK')
}
