// The tables of a journal file, and how a file of an older version becomes one of this version.
//
// S1. A file says which version it has (`user_version`) and that it is ours (`application_id`).
// S2. An older file is upgraded in one transaction: it has the old version or the new one, never something between.
// S3. A newer file, or a file that is not ours, is refused and left as it is.
import { PlanloomError } from '../../errors.ts'
import { inTransaction, type Database } from './driver.ts'

/** "plnl" */
const applicationId = 0x706c_6e6c

const first = `
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  goal TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  started_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  events INTEGER NOT NULL,
  chain BLOB NOT NULL,
  progress TEXT NOT NULL,
  parent TEXT,
  owner TEXT,
  fence INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_time ON runs (started_at);
CREATE INDEX runs_by_state ON runs (state, started_at);
CREATE TABLE labels (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (name, value, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_by_run ON labels (run);
CREATE TABLE events (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  body TEXT NOT NULL,
  chain BLOB NOT NULL,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE contents (
  hash BLOB PRIMARY KEY,
  bytes INTEGER NOT NULL,
  body TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE uses (
  hash BLOB NOT NULL REFERENCES contents (hash),
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  PRIMARY KEY (run, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX uses_by_hash ON uses (hash);
CREATE TABLE owners (
  owner TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  beat_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

const second = `
CREATE TABLE snapshots (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  format INTEGER NOT NULL,
  chain BLOB NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (run, seq)
) STRICT;
CREATE TABLE requests (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  by TEXT,
  body TEXT NOT NULL,
  seq INTEGER,
  refused TEXT
) STRICT;
CREATE INDEX requests_open ON requests (run, number) WHERE seq IS NULL AND refused IS NULL;
CREATE TABLE reuse (
  key BLOB PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  origin TEXT,
  hash BLOB NOT NULL REFERENCES contents (hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX reuse_by_hash ON reuse (hash);
CREATE INDEX reuse_by_use ON reuse (used_at);
ALTER TABLE runs ADD COLUMN fork_of TEXT;
ALTER TABLE runs ADD COLUMN fork_seq INTEGER;
`

/** What takes a file from version `index` to `index + 1`. Those that were released never change. */
const migrations: readonly string[] = [first, second]

/** The version of files that this code writes. */
const schemaVersion = migrations.length

/** Makes the tables in a new file, and brings an older file up to date.
 *
 * @throws `JOURNAL_FORMAT` for a file of something else, `JOURNAL_NEWER` for one that a later version has written.
 */
export function bringUpToDate(database: Database, path: string): void {
  if (checkVersion(database, path) === schemaVersion) return
  database.exec('PRAGMA journal_mode = WAL')
  inTransaction(database, () => {
    const version = checkVersion(database, path) // another process may have been faster
    for (const migration of migrations.slice(version)) database.exec(migration)
    database.exec(`PRAGMA application_id = ${String(applicationId)}; PRAGMA user_version = ${String(schemaVersion)}`)
  })
}

/** @returns the version of the file, 0 for a new one. @throws as `bringUpToDate` */
export function checkVersion(database: Database, path: string): number {
  const version = numberOf(database, 'user_version')
  const tables = database.prepare(`SELECT count(*) AS count FROM sqlite_schema`).get() as { readonly count: number }
  if (tables.count > 0 && numberOf(database, 'application_id') !== applicationId) {
    throw notJournal(path)
  }
  if (version > schemaVersion) {
    throw new PlanloomError(
      'JOURNAL_NEWER',
      `The journal "${path}" has format ${String(version)}; this version of planloom reads up to ${String(schemaVersion)}.`,
      { hint: 'Update planloom; the file was left as it is.', where: { path } },
    )
  }
  return version
}

export function notJournal(path: string): PlanloomError {
  return new PlanloomError('JOURNAL_FORMAT', `"${path}" is an SQLite file, but no journal of planloom.`, {
    hint: 'Choose another file; this one was left as it is.',
    where: { path },
  })
}

function numberOf(database: Database, pragma: 'user_version' | 'application_id'): number {
  const row = database.prepare(`PRAGMA ${pragma}`).get() as Readonly<Record<string, number>> | undefined
  return row?.[pragma] ?? 0
}
