// Requests in a journal file: one row each, with the event that it became or the reason why it was refused.
import { overRefusal, type RequestRefusal, type RunCommand, type RunRequest } from '../requests.ts'
import type { Database, Statement } from './driver.ts'

interface Row {
  readonly number: number
  readonly run_id: string
  readonly at: number
  readonly by: string | null
  readonly body: string
  readonly seq: number | null
  readonly refused: string | null
}

const columns = 'number, run_id, at, by, body, seq, refused FROM requests JOIN runs ON runs.id = requests.run'
const isOpen = 'seq IS NULL AND refused IS NULL'

/** @returns its number */
export function insertRequest(
  database: Database,
  run: number,
  { at, by, command }: { readonly at: number; readonly by: string | undefined; readonly command: RunCommand },
): number {
  const { lastInsertRowid } = database
    .prepare('INSERT INTO requests (run, at, by, body) VALUES (?, ?, ?, ?)')
    .run(run, at, by ?? null, JSON.stringify(command))
  return Number(lastInsertRowid)
}

/** All requests of a run, oldest first. */
export function listRequests(database: Database, run: number): readonly RunRequest[] {
  const rows = database.prepare(`SELECT ${columns} WHERE run = ? ORDER BY number`).all(run) as unknown as Row[]
  return rows.map(requestOf)
}

/** Those of a run that have come to no end yet, after a number; oldest first. */
export function openRequests(database: Database, run: number, after: number): readonly RunRequest[] {
  const rows = database
    .prepare(`SELECT ${columns} WHERE run = ? AND number > ? AND ${isOpen} ORDER BY number`)
    .all(run, after) as unknown as Row[]
  return rows.map(requestOf)
}

/** Runs that have open requests. */
export function runsAsked(database: Database): ReadonlySet<number> {
  const rows = database.prepare(`SELECT DISTINCT run FROM requests WHERE ${isOpen}`).all()
  return new Set((rows as unknown as readonly { readonly run: number }[]).map(({ run }) => run))
}

/** What brings requests to their end, in the transaction of their run's writer. */
export interface RequestStatements {
  readonly take: Statement
  readonly refuse: Statement
  readonly refuseAll: Statement
}

export function requestStatements(database: Database): RequestStatements {
  const one = `WHERE number = ? AND run = ? AND ${isOpen}`
  return {
    take: database.prepare(`UPDATE requests SET seq = ? ${one}`),
    refuse: database.prepare(`UPDATE requests SET refused = ? ${one}`),
    refuseAll: database.prepare(`UPDATE requests SET refused = ? WHERE run = ? AND ${isOpen}`),
  }
}

/** The run is over (I3). */
export function refuseAll(statements: RequestStatements, run: { readonly id: number; readonly runId: string }): void {
  statements.refuseAll.run(JSON.stringify(overRefusal(run.runId)), run.id)
}

function requestOf({ number, run_id: runId, at, by, body, seq, refused }: Row): RunRequest {
  return {
    number,
    runId,
    at,
    ...(by !== null && { by }),
    command: JSON.parse(body) as RunCommand,
    ...(seq !== null && { seq }),
    ...(refused !== null && { refused: JSON.parse(refused) as RequestRefusal }),
  }
}
