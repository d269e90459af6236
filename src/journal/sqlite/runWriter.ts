// One run's record, open for writing.
import { PlanloomError } from '../../errors.ts'
import type { Durability, JournalEvent, RunJournal, RunProgress, RunSnapshot } from '../journal.ts'
import type { RequestRefusal, RunRequest } from '../requests.ts'
import type { RunStarted } from '../../machines/coordinator.messages.ts'
import { chainNext } from './chain.ts'
import type { ReusableOutput } from '../reuse.ts'
import type { Contents } from './contents.ts'
import type { Database, Statement } from './driver.ts'
import { writeEvent, type Content } from './eventText.ts'
import type { GroupCommit, Pending } from './groupCommit.ts'
import { requestStatements, openRequests, refuseAll, type RequestStatements } from './requestsTable.ts'
import { keepSnapshot, snapshotStatement, type PendingSnapshot } from './snapshots.ts'
import type { SqliteReuse } from './sqliteReuse.ts'
import { writeSnapshot } from './snapshotText.ts'

/** The statements that all writers of a file share. */
export interface WriterStatements {
  readonly event: Statement
  readonly head: Statement
  /** Finds out whether the run is still the writer's. */
  readonly fence: Statement
  readonly start: Statement
  readonly label: Statement
  readonly snapshot: Statement
  readonly requests: RequestStatements
}

export function writerStatements(database: Database): WriterStatements {
  return {
    event: database.prepare('INSERT INTO events (run, seq, body, chain) VALUES (?, ?, ?, ?)'),
    head: database.prepare(
      `UPDATE runs SET state = ?, reason = ?, changed_at = ?, events = ?, chain = ?, progress = ?
       WHERE id = ? AND fence = ?`,
    ),
    fence: database.prepare('UPDATE runs SET changed_at = ? WHERE id = ? AND fence = ?'),
    start: database.prepare(
      'UPDATE runs SET goal = ?, started_at = ?, parent = ?, fork_of = ?, fork_seq = ? WHERE id = ?',
    ),
    label: database.prepare('INSERT INTO labels (run, name, value) VALUES (?, ?, ?)'),
    snapshot: snapshotStatement(database),
    requests: requestStatements(database),
  }
}

export interface RunWriterOptions {
  readonly path: string
  readonly id: number
  readonly runId: string
  readonly fence: number
  readonly next: number
  readonly chain: Uint8Array
  readonly changedAt: number
  readonly progress: RunProgress
  readonly contents: Contents
  readonly reuse: SqliteReuse
  readonly statements: WriterStatements
  readonly commits: GroupCommit
  readonly database: Database
  readonly onListen: (listener: () => void) => void
  readonly onClose: () => void
}

interface Row {
  readonly seq: number
  readonly body: string
  readonly chain: Uint8Array
  readonly request: number | undefined
}

export class RunWriter implements RunJournal, Pending {
  readonly runId: string
  readonly #options: RunWriterOptions
  #next: number
  #chain: Uint8Array
  #changedAt: number
  #start: RunStarted | undefined
  #rows: Row[] = []
  #contents: Content[] = []
  #snapshots: PendingSnapshot[] = []
  #refusals: { readonly number: number; readonly text: string }[] = []
  /** Number of the latest request that was given out. */
  #taken = 0
  #reusable: ReusableOutput[] = []
  #isHidden = false
  #progress: RunProgress
  /** What is in the file, but not yet safe from a loss of power. */
  #isUnsynced = false

  constructor(options: RunWriterOptions) {
    this.#options = options
    this.runId = options.runId
    this.#next = options.next
    this.#chain = options.chain
    this.#changedAt = options.changedAt
    this.#progress = options.progress
  }

  get next(): number {
    return this.#next
  }

  append(event: JournalEvent): void {
    const { body, contents } = writeEvent(event)
    this.#chain = chainNext(this.#chain, event.seq, body)
    const request = 'request' in event ? event.request : undefined
    this.#rows.push({ seq: event.seq, body, chain: this.#chain, request })
    if (contents.length > 0) this.#contents.push(...contents)
    if (event.type === 'run.started') this.#start = event
    this.#changedAt = Math.floor(event.at) // a clock may count finer than the column
    this.#next = event.seq + 1
  }

  hide(): void {
    this.#isHidden = true
  }

  show(): void {
    this.#isHidden = false
  }

  describe(progress: RunProgress): void {
    this.#progress = progress
  }

  /** @param snapshot of the event that was appended last */
  keepSnapshot(snapshot: RunSnapshot): void {
    const { seq, format } = snapshot
    this.#snapshots.push({ ...writeSnapshot(snapshot), seq, format, chain: this.#chain })
  }

  keepForReuse(kept: ReusableOutput): void {
    this.#reusable.push(kept)
  }

  flush(durability: Durability = 'process'): void | Promise<void> {
    const hasMore = this.#rows.length > 0 || (this.#start !== undefined && !this.#isHidden)
    if (!hasMore && this.#refusals.length === 0 && !(durability === 'power' && this.#isUnsynced)) return undefined
    return this.#options.commits.add(this, durability)
  }

  takeRequests(): readonly RunRequest[] {
    const { database, id } = this.#options
    const requests = openRequests(database, id, this.#taken)
    this.#taken = requests.at(-1)?.number ?? this.#taken
    return requests
  }

  onRequest(listener: () => void): void {
    this.#options.onListen(listener)
  }

  refuse(number: number, refusal: RequestRefusal): void {
    this.#refusals.push({ number, text: JSON.stringify(refusal) })
  }

  close(): void {
    this.#options.onClose()
  }

  write(): void {
    const { id, statements, contents, reuse } = this.#options
    const { reason } = this.#progress
    if (!this.#writeHead()) throw this.#takenOver()
    if (this.#start !== undefined && !this.#isHidden) this.#writeStart(this.#start)
    for (const content of this.#contents) contents.keep(id, content)
    for (const { seq, body, chain, request } of this.#rows) {
      statements.event.run(id, seq, body, chain)
      if (request !== undefined) statements.requests.take.run(seq, request, id) // with its event, or not at all (I1)
    }
    for (const { number, text } of this.#refusals) statements.requests.refuse.run(text, number, id)
    if (reason !== undefined) refuseAll(statements.requests, this.#options)
    for (const snapshot of this.#snapshots) keepSnapshot(statements.snapshot, contents, id, snapshot)
    for (const kept of this.#reusable) reuse.writeBeside({ ...kept, kind: 'step' }) // U5
  }

  /** A run without events in its row has not begun for anybody else. @returns whether the run is still this writer's */
  #writeHead(): boolean {
    const { id, fence, statements } = this.#options
    if (this.#isHidden) return statements.fence.run(this.#changedAt, id, fence).changes !== 0
    const { state, reason = null, ...shown } = this.#progress
    const { changes } = statements.head.run(
      state,
      reason,
      this.#changedAt,
      this.#next,
      this.#chain,
      JSON.stringify(shown),
      id,
      fence,
    )
    return changes !== 0
  }

  #writeStart({ goal, at, labels, parentRunId, forkedFrom }: RunStarted): void {
    const { id, statements } = this.#options
    const { runId = null, seq = null, at: begunAt = at } = forkedFrom ?? {}
    statements.start.run(goal.text, Math.floor(begunAt), parentRunId ?? null, runId, seq, id)
    for (const [name, value] of Object.entries(labels ?? {})) statements.label.run(id, name, value)
  }

  written(durability: Durability): void {
    this.#isUnsynced = durability !== 'power'
    if (!this.#isHidden) this.#start = undefined
    this.#rows = []
    this.#contents = []
    this.#snapshots = []
    this.#refusals = []
    if (this.#reusable.length === 0) return
    this.#reusable = []
    this.#options.reuse.trim()
  }

  #takenOver(): PlanloomError {
    const { path, runId, id, database } = this.#options
    const other = database
      .prepare('SELECT pid, host FROM owners WHERE owner = (SELECT owner FROM runs WHERE id = ?)')
      .get(id) as { readonly pid: number; readonly host: string } | undefined
    const since = database
      .prepare(`SELECT json_extract(body, '$.at') AS at FROM events WHERE run = ? AND seq = ?`)
      .get(id, this.#rows[0]?.seq ?? this.#next) as { readonly at: number } | undefined
    const by = other === undefined ? 'another one' : `process ${String(other.pid)} on ${other.host.split(' ')[0] ?? ''}`
    const when = since === undefined ? '' : ` at ${new Date(since.at).toISOString()}`
    return new PlanloomError(
      'RUN_TAKEN_OVER',
      `Run "${runId}" is no longer this process's: ${by} has taken it over${when}.`,
      {
        hint: `This process was silent for longer than its lease, and what it has done since is not recorded: planloom events --follow ${runId} tells how the run goes on.`,
        where: { runId, path },
      },
    )
  }
}
