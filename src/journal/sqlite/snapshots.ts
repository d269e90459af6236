// The snapshots of a file. They save time and hold nothing that events do not: one that is damaged is passed over.
import { hash } from 'node:crypto'
import type { StoredSnapshot } from '../journal.ts'
import { sameChecksum } from './chain.ts'
import type { Contents } from './contents.ts'
import type { Database, Statement } from './driver.ts'
import type { RunRow } from './runsTable.ts'
import { SnapshotText, type WrittenSnapshot } from './snapshotText.ts'

interface Row {
  readonly seq: number
  readonly format: number
  readonly chain: Uint8Array
  readonly body: Uint8Array
}

export function snapshotStatement(database: Database): Statement {
  return database.prepare(
    'INSERT INTO snapshots (run, seq, format, chain, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
}

export interface PendingSnapshot extends WrittenSnapshot {
  readonly seq: number
  readonly format: number
  /** Checksum of the event after which it was taken. */
  readonly chain: Uint8Array
}

/** Keeps a snapshot, in the transaction of its event. */
export function keepSnapshot(
  statement: Statement,
  contents: Contents,
  run: number,
  { seq, format, chain, body, contents: large, known }: PendingSnapshot,
): void {
  for (const content of large) contents.keep(run, content)
  for (const { hash: named, value } of known)
    if (!contents.use(run, named)) contents.keep(run, { hash: named, text: JSON.stringify(value) })
  statement.run(run, seq, format, checksumOf(chain, body), body)
}

/** The latest snapshot up to an event that is whole, and that belongs to the events of this run. */
export function findSnapshot(
  database: Database,
  contents: Contents,
  run: RunRow,
  upTo: number,
): StoredSnapshot | undefined {
  const rows = database.prepare(
    'SELECT seq, format, chain, body FROM snapshots WHERE run = ? AND seq <= ? ORDER BY seq DESC',
  )
  const chainAt = database.prepare('SELECT chain FROM events WHERE run = ? AND seq = ?')
  for (const row of rows.iterate(run.id, upTo)) {
    const { seq, format, chain, body } = row as unknown as Row
    const event = chainAt.get(run.id, seq) as Pick<Row, 'chain'> | undefined
    if (event === undefined || !sameChecksum(checksumOf(event.chain, body), chain)) continue
    const text = new SnapshotText(Buffer.from(body), (hashed) => contents.read(hashed))
    return { seq, format, part: (name) => text.part(name), value: (index) => text.value(index) }
  }
  return undefined
}

function checksumOf(chain: Uint8Array, body: Uint8Array): Uint8Array {
  return hash('sha256', Buffer.concat([chain, body]), 'buffer')
}
