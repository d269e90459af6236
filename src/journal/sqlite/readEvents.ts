// Reading a run's events, each checked against the chain before it is given out.
import { PlanloomError } from '../../errors.ts'
import type { JournalEvent } from '../journal.ts'
import { chainNext, chainStart, sameChecksum } from './chain.ts'
import type { Contents } from './contents.ts'
import type { Database } from './driver.ts'
import { readEvent } from './eventText.ts'
import { journalFailure } from './failures.ts'
import type { RunRow } from './runsTable.ts'

interface EventRow {
  readonly seq: number
  readonly body: string
  readonly chain: Uint8Array
}

export interface ReadOptions {
  readonly database: Database
  readonly contents: Contents
  readonly run: RunRow
  readonly path: string
  readonly from: number
}

/** Rows fetched at once: a page is read whole, so that nobody who reads slowly holds the write-ahead log back. */
const pageRows = 512

/** @throws `JOURNAL_BROKEN` with the number of the first event that is missing or is not what was written. */
export function* readEvents(options: ReadOptions): Generator<JournalEvent> {
  const { contents, from, path } = options
  const textOf = (hash: Uint8Array): string => contents.read(hash)
  for (const { seq, body } of checkedRows(options, from)) yield readSafely(() => readEvent(body, seq, textOf), path)
}

function* checkedRows({ database, run, path }: ReadOptions, from: number): Generator<EventRow> {
  const page = database.prepare('SELECT seq, body, chain FROM events WHERE run = ? AND seq >= ? ORDER BY seq LIMIT ?')
  let before = from === 0 ? chainStart(run.run_id) : undefined
  let next = Math.max(0, from - 1) // the one before, for its checksum
  for (;;) {
    const rows = readSafely(() => page.all(run.id, next, pageRows) as unknown as readonly EventRow[], path)
    for (const row of rows) {
      if (row.seq !== next) throw broken(run, path, next, 'is missing')
      if (before !== undefined && !sameChecksum(chainNext(before, row.seq, row.body), row.chain))
        throw broken(run, path, row.seq, 'is not what was written (its checksum differs)')
      before = row.chain
      next += 1
      if (row.seq >= from) yield row
    }
    if (rows.length < pageRows) break
  }
  if (next < run.events) throw broken(run, path, next, 'is missing')
}

function readSafely<T>(read: () => T, path: string): T {
  try {
    return read()
  } catch (error) {
    throw journalFailure(error, path, 'be read')
  }
}

function broken(run: RunRow, path: string, seq: number, what: string): PlanloomError {
  return new PlanloomError('JOURNAL_BROKEN', `Event ${String(seq)} of run "${run.run_id}" in "${path}" ${what}.`, {
    hint: `What stands before it is intact: "planloom journal repair" writes that into a new file.`,
    where: { runId: run.run_id, path },
  })
}
