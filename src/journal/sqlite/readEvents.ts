// Reading a run's events, each checked against the chain before it is given out.
import { PlanloomError } from '../../errors.ts'
import type { JournalEvent } from '../journal.ts'
import { chainNext, chainStart, sameChecksum } from './chain.ts'
import type { Contents } from './contents.ts'
import type { Database, Statement } from './driver.ts'
import { readEvent } from './eventText.ts'
import { journalFailure } from './failures.ts'
import type { KnownRun } from './intactRuns.ts'

interface EventRow {
  readonly seq: number
  readonly body: string
  readonly chain: Uint8Array
}

export interface ReadOptions {
  readonly database: Database
  readonly contents: Contents
  readonly run: KnownRun
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
    const { rows, fault } = rowsOf(page, run.id, next)
    for (const row of rows) {
      if (row.seq !== next) throw broken(run, path, next, 'is missing')
      if (before !== undefined && !sameChecksum(chainNext(before, row.seq, row.body), row.chain))
        throw broken(run, path, row.seq, 'is not what was written (its checksum differs)')
      before = row.chain
      next += 1
      if (row.seq >= from) yield row
    }
    if (fault !== undefined) throw journalFailure(fault, path, 'be read')
    if (rows.length < pageRows) break
  }
  if (next < (run.events ?? 0)) throw broken(run, path, next, 'is missing')
}

/** A page of rows; where one of them cannot be read, those before it. */
function rowsOf(
  page: Statement,
  run: number,
  next: number,
): { readonly rows: readonly EventRow[]; readonly fault?: unknown } {
  try {
    return { rows: page.all(run, next, pageRows) as readonly EventRow[] }
  } catch {
    const rows: EventRow[] = []
    try {
      for (const row of page.iterate(run, next, pageRows)) rows.push(row as EventRow)
      return { rows }
    } catch (fault) {
      return { rows, fault }
    }
  }
}

function readSafely<T>(read: () => T, path: string): T {
  try {
    return read()
  } catch (error) {
    throw journalFailure(error, path, 'be read')
  }
}

function broken(run: KnownRun, path: string, seq: number, what: string): PlanloomError {
  return new PlanloomError('JOURNAL_BROKEN', `Event ${String(seq)} of run "${run.run_id}" in "${path}" ${what}.`, {
    hint: `What stands before it is intact: "planloom journal repair" writes that into a new file.`,
    where: { runId: run.run_id, path },
  })
}
