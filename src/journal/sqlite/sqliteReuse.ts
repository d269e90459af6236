// What runs keep for each other, in the journal's file.
//
// U5. An output is kept in the transaction of the event that it is of: never without it. Where it cannot be kept, that is a
//     warning, and the event is written all the same.
// U6. The size is looked at each time an eighth of the limit has come in, so that keeping one costs the same however many
//     there are; each process that writes may go over the limit by as much.
import type { StepOrigin } from '../../machines/reports.messages.ts'
import type { Json } from '../../plan/json.ts'
import {
  defaultReuseLimits,
  largestShare,
  type Reusable,
  type ReuseDropped,
  type Reused,
  type ReuseKind,
  type ReuseLimits,
  type ReuseStore,
} from '../reuse.ts'
import type { Contents, SweepOptions } from './contents.ts'
import { inTransaction, type Database, type Statement } from './driver.ts'
import { contentOf } from './eventText.ts'
import { isBusy, journalFailure } from './failures.ts'

export interface SqliteReuseOptions {
  readonly path: string
  readonly limits: ReuseLimits | undefined
  readonly now: () => number
}

interface Row {
  readonly key: Uint8Array
  readonly kept_at: number
  readonly used_at: number
  readonly bytes: number
  readonly origin: string | null
  readonly hash: Uint8Array
}

/** A use is noted no more often than this: a hit then writes nothing. */
const noteUseMs = 60_000

export class SqliteReuse implements ReuseStore {
  readonly #database: Database
  readonly #contents: Contents
  readonly #path: string
  readonly #limits: Required<ReuseLimits>
  readonly #now: () => number
  readonly #find: Statement
  readonly #insert: Statement
  readonly #use: Statement
  readonly #remove: Statement
  /** Bytes that may come in before the size is looked at again. */
  #room = 0

  constructor(database: Database, contents: Contents, { path, limits, now }: SqliteReuseOptions) {
    this.#database = database
    this.#contents = contents
    this.#path = path
    this.#limits = { ...defaultReuseLimits, ...limits }
    this.#now = now
    this.#find = database.prepare('SELECT * FROM reuse WHERE key = ?')
    this.#use = database.prepare('UPDATE reuse SET used_at = ? WHERE key = ?')
    this.#remove = database.prepare('DELETE FROM reuse WHERE key = ? RETURNING hash')
    this.#insert = database.prepare(
      'INSERT INTO reuse (key, kind, name, kept_at, used_at, bytes, origin, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
  }

  find(kind: ReuseKind, key: string): Reused | undefined {
    return this.#doing('be read', () => {
      const row = this.#find.get(keyOf(kind, key)) as Row | undefined
      const now = this.#now()
      if (row === undefined || now - row.kept_at > this.#limits.maxAgeMs) return undefined // U2
      const value = JSON.parse(this.#contents.read(row.hash)) as Json
      if (now - row.used_at >= noteUseMs) this.#unlessBusy(() => this.#use.run(now, row.key))
      const origin = row.origin === null ? {} : { origin: JSON.parse(row.origin) as StepOrigin }
      return { value, keptAt: row.kept_at, ...origin }
    })
  }

  keep(kept: Reusable): void {
    this.#doing('be written', () => {
      inTransaction(this.#database, () => {
        this.write(kept)
      })
    })
    this.trim()
  }

  /** In the transaction of the caller, which goes on where this fails (U5), and who then calls `trim`. */
  writeBeside(kept: Reusable): void {
    this.#database.exec('SAVEPOINT reuse')
    try {
      this.write(kept)
      this.#database.exec('RELEASE reuse')
    } catch (error) {
      if (!this.#database.isTransaction) throw error // what was to be written beside it is gone as well
      this.#database.exec('ROLLBACK TO reuse; RELEASE reuse')
      this.#warn(error, 'keep an output for other runs')
    }
  }

  /** In the transaction of the caller, who then calls `trim`. */
  write({ kind, key, name, value, origin }: Reusable): void {
    const content = contentOf(JSON.stringify(value))
    const id = keyOf(kind, key)
    const now = this.#now()
    const before = this.#remove.all(id) as unknown as readonly Pick<Row, 'hash'>[]
    if (Buffer.byteLength(content.text) <= this.#limits.maxBytes * largestShare) {
      const bytes = this.#contents.put(content)
      this.#contents.mend(content)
      const from = origin === undefined ? null : JSON.stringify(origin)
      this.#insert.run(id, kind, name, now, now, bytes, from, content.hash)
      this.#room -= bytes
    }
    this.#contents.sweep(before.map(({ hash }) => hash))
  }

  /** Keeps the limits. A file that cannot be written just now is trimmed the next time. */
  trim(): void {
    if (this.#room >= 0) return
    this.#unlessBusy(() => {
      inTransaction(this.#database, () => {
        this.remove('expired')
        const { maxBytes } = this.#limits
        let bytes = this.#bytes()
        if (bytes > maxBytes) {
          const all = this.#database.prepare('SELECT * FROM reuse ORDER BY used_at, kept_at, key').iterate()
          const gone: Row[] = []
          for (const row of all as unknown as Iterable<Row>) {
            if (bytes <= maxBytes * (1 - largestShare)) break
            gone.push(row)
            bytes -= row.bytes
          }
          this.#removeRows(gone)
        }
        this.#room = Math.min(maxBytes - bytes, maxBytes * largestShare)
      })
    })
  }

  forget(kind: ReuseKind, key: string): void {
    this.#doing('be written', () => {
      inTransaction(this.#database, () => {
        const rows = this.#find.all(keyOf(kind, key)) as unknown as Row[]
        this.#removeRows(rows)
      })
    })
  }

  drop(which: 'expired' | 'all'): ReuseDropped {
    return this.#doing('be written', () => inTransaction(this.#database, () => this.remove(which)))
  }

  /** In the transaction of the caller. */
  remove(which: 'expired' | 'all', sweeping: SweepOptions = {}): ReuseDropped {
    const before = which === 'all' ? Infinity : this.#now() - this.#limits.maxAgeMs
    return this.#removeRows(this.#database.prepare('SELECT * FROM reuse WHERE kept_at < ?').all(before), sweeping)
  }

  #removeRows(rows: readonly Row[], sweeping: SweepOptions = {}): ReuseDropped {
    for (const { key } of rows) this.#remove.all(key)
    const bytes = this.#contents.sweep(
      rows.map(({ hash }) => hash),
      sweeping,
    )
    return { entries: rows.length, bytes }
  }

  #bytes(): number {
    const { sum } = this.#database.prepare('SELECT coalesce(sum(bytes), 0) AS sum FROM reuse').get() as {
      readonly sum: number
    }
    return sum
  }

  #unlessBusy(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (isBusy(error)) return
      this.#warn(error, 'be trimmed')
    }
  }

  #warn(error: unknown, what: string): void {
    process.emitWarning(journalFailure(error, this.#path, what).message, { code: 'JOURNAL_REUSE' })
  }

  #doing<T>(what: string, work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw journalFailure(error, this.#path, what)
    }
  }
}

function keyOf(kind: ReuseKind, key: string): Buffer {
  return contentOf(`${kind} ${key}`).hash
}
