// The runs of a file: one row each, kept up with every commit, so that a list costs nothing but its lines.
import type { RunFilter, RunProgress, RunSummary } from '../journal.ts'
import { runUnknown } from '../runErrors.ts'
import { chainStart } from './chain.ts'
import type { Database } from './driver.ts'

export interface RunRow {
  readonly id: number
  readonly run_id: string
  readonly goal: string
  readonly state: string
  readonly reason: string | null
  readonly started_at: number
  readonly changed_at: number
  readonly events: number
  readonly chain: Uint8Array
  readonly progress: string
  readonly parent: string | null
  readonly fork_of: string | null
  readonly fork_seq: number | null
  readonly owner: string | null
  readonly fence: number
}

/** Of a run of which nothing is known yet. */
const noProgress: RunProgress = {
  state: 'planning',
  counts: {},
  used: { tokens: 0, cost: 0, plannerCalls: 0, replans: 0, timeMs: 0 },
  revision: 0,
}

/** Makes the row of a new run. */
export function insertRun(database: Database, runId: string, now: number): void {
  const { state, ...shown } = noProgress
  database
    .prepare(
      `INSERT INTO runs (run_id, goal, state, started_at, changed_at, events, chain, progress, fence)
       VALUES (?, '', ?, ?, ?, 0, ?, ?, 0)`,
    )
    .run(runId, state, now, now, chainStart(runId), JSON.stringify(shown))
}

export function findRun(database: Database, runId: string): RunRow | undefined {
  return database.prepare('SELECT * FROM runs WHERE run_id = ?').get(runId) as RunRow | undefined
}

/** @throws `RUN_UNKNOWN` */
export function runOf(database: Database, runId: string, path: string): RunRow {
  const row = findRun(database, runId)
  if (row !== undefined) return row
  throw runUnknown(runId, path)
}

export function listRuns(database: Database, filter: RunFilter = {}): readonly RunSummary[] {
  const { conditions, values } = conditionsOf(filter)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const rows = database
    .prepare(`SELECT * FROM runs ${where} ORDER BY started_at DESC, id DESC LIMIT ?`)
    .all(...values, filter.limit ?? -1) as readonly RunRow[]
  const labels = database.prepare('SELECT name, value FROM labels WHERE run = ?')
  return rows.map((row) => {
    const named = labels.all(row.id) as readonly { readonly name: string; readonly value: string }[]
    return summaryOf(row, Object.fromEntries(named.map(({ name, value }) => [name, value])))
  })
}

/** Who has which runs. @param living the owners that count, by their id */
export function runsOwned<Owner>(database: Database, living: ReadonlyMap<string, Owner>): ReadonlyMap<string, Owner> {
  const rows = database.prepare('SELECT run_id, owner FROM runs WHERE owner IS NOT NULL').all()
  const owned = new Map<string, Owner>()
  for (const { run_id: runId, owner } of rows as unknown as readonly (RunRow & { readonly owner: string })[]) {
    const found = living.get(owner)
    if (found !== undefined) owned.set(runId, found)
  }
  return owned
}

function conditionsOf({ idPrefix, state, goal, since, until, labels }: RunFilter): {
  readonly conditions: readonly string[]
  readonly values: readonly (string | number)[]
} {
  const conditions: string[] = ['events > 0'] // before that, it has not begun
  const values: (string | number)[] = []
  if (idPrefix !== undefined && idPrefix !== '') {
    conditions.push('run_id >= ? AND run_id < ?')
    values.push(idPrefix, `${idPrefix}\u{10FFFF}`) // the index of ids finds them
  }
  const states = state === undefined ? [] : [state].flat()
  if (states.length > 0) {
    conditions.push(`state IN (${states.map(() => '?').join(', ')})`)
    values.push(...states)
  }
  if (goal !== undefined) {
    conditions.push('instr(lower(goal), lower(?)) > 0')
    values.push(goal)
  }
  if (since !== undefined) {
    conditions.push('started_at >= ?')
    values.push(since)
  }
  if (until !== undefined) {
    conditions.push('started_at < ?')
    values.push(until)
  }
  for (const [name, value] of Object.entries(labels ?? {})) {
    conditions.push('id IN (SELECT run FROM labels WHERE name = ? AND value = ?)')
    values.push(name, value)
  }
  return { conditions, values }
}

function summaryOf(row: RunRow, labels: Readonly<Record<string, string>>): RunSummary {
  return {
    runId: row.run_id,
    goal: row.goal,
    startedAt: row.started_at,
    changedAt: row.changed_at,
    events: row.events,
    ...progressOf(row),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(row.parent !== null && { parentRunId: row.parent }),
    ...(row.fork_of !== null && { forkedFrom: { runId: row.fork_of, seq: row.fork_seq ?? 0 } }),
  }
}

export function progressOf({ state, reason, progress }: RunRow): RunProgress {
  const shown = JSON.parse(progress) as Omit<RunProgress, 'state' | 'reason'>
  return { ...shown, state, ...(reason !== null && { reason }) }
}
