// The runs of a file that may be damaged: all that anything in the file still tells of.
//
// The list itself is read first. Where a page of it is lost, the index of ids may name the runs that stood there, and the
// events of a run tell its id themselves (`run.started` is the first).
import type { Database } from './driver.ts'

/** A run as far as the file tells of it. */
export interface KnownRun {
  readonly id: number
  readonly run_id: string
  /** Events that it had; absent where its row is lost. */
  readonly events?: number
}

export interface KnownRuns {
  /** In the order in which they were begun. */
  readonly runs: readonly KnownRun[]
  /** Why there may be more. */
  readonly fault?: unknown
}

export function knownRuns(database: Database): KnownRuns {
  const found = new Map<number, KnownRun>()
  const keep = (run: KnownRun): void => {
    if (!found.has(run.id)) found.set(run.id, run)
  }
  const fault = fromBothEnds(database, 'SELECT id, run_id, events, chain FROM runs ORDER BY id', (row) => {
    keep(knownOf(row as Row))
  })
  if (fault !== undefined) {
    fromBothEnds(database, 'SELECT id, run_id FROM runs ORDER BY run_id', (row) => {
      const run = row as KnownRun
      keep(rowOf(database, run.id) ?? run)
    })
    fromBothEnds(database, 'SELECT run AS id, body FROM events WHERE seq = 0 ORDER BY run', (row) => {
      const { id, body } = row as FirstEvent
      const runId = runIdIn(body)
      if (runId !== undefined) keep(rowOf(database, id) ?? { id, run_id: runId })
    })
  }
  const runs = [...found.values()].sort((a, b) => a.id - b.id)
  return { runs: runs.filter(({ events }) => events !== 0), ...(fault !== undefined && { fault }) }
}

interface Row extends Required<KnownRun> {
  readonly chain: Uint8Array
}

/** A long row goes on in pages of its own; where those are zeros, so are its chain and the number before it. */
function knownOf({ id, run_id, events, chain }: Row): KnownRun {
  return chain.some((byte) => byte !== 0) ? { id, run_id, events } : { id, run_id }
}

interface FirstEvent {
  readonly id: number
  readonly body: string
}

/** Reads rows up to one that cannot be read, and the others from the last one backwards. @returns what kept it from going on */
function fromBothEnds(database: Database, ordered: string, take: (row: unknown) => void): unknown {
  let fault: unknown
  for (const sql of [ordered, `${ordered} DESC`]) {
    try {
      for (const row of database.prepare(sql).iterate()) take(row)
      return fault
    } catch (error) {
      fault ??= error
    }
  }
  return fault
}

function rowOf(database: Database, id: number): KnownRun | undefined {
  try {
    const row: unknown = database.prepare('SELECT id, run_id, events, chain FROM runs WHERE id = ?').get(id)
    return row === undefined ? undefined : knownOf(row as Row)
  } catch {
    return undefined
  }
}

function runIdIn(body: string): string | undefined {
  try {
    const { type, runId } = JSON.parse(body) as { readonly type?: unknown; readonly runId?: unknown }
    return type === 'run.started' && typeof runId === 'string' ? runId : undefined
  } catch {
    return undefined
  }
}
