// Large values by the hash of their content: one copy, however many events and runs refer to it.
//
// C1. A content is in the file, or beside it, before any event that names it.
// C2. What nobody refers to any more goes with whoever referred to it last: a run, or what is kept for reuse.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PlanloomError } from '../../errors.ts'
import { replaceFileSync } from '../../replaceFile.ts'
import type { Database, Statement } from './driver.ts'
import { contentOf, type Content } from './eventText.ts'

export interface ContentsOptions {
  /** Folder beside the database for values that are larger than `fileOverBytes`. */
  readonly folder: string
  readonly fileOverBytes: number
}

export interface SweepOptions {
  /** For a transaction that is rolled back: what stands beside the database stays. @default false */
  readonly keepFiles?: boolean
}

interface Row {
  readonly body: string | null
}

export class Contents {
  readonly #options: ContentsOptions
  readonly #database: Database
  readonly #find: Statement
  readonly #isThere: Statement
  readonly #insert: Statement
  readonly #use: Statement

  constructor(database: Database, options: ContentsOptions) {
    this.#options = options
    this.#database = database
    this.#find = database.prepare('SELECT body FROM contents WHERE hash = ?')
    this.#isThere = database.prepare('SELECT 1 FROM contents WHERE hash = ?')
    this.#insert = database.prepare('INSERT INTO contents (hash, bytes, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    this.#use = database.prepare('INSERT INTO uses (run, hash) VALUES (?, ?) ON CONFLICT DO NOTHING')
  }

  /** Keeps a content for a run, in the transaction of the caller. */
  keep(run: number, content: Content): void {
    this.put(content)
    this.#use.run(run, content.hash)
  }

  /** Keeps a content that the caller refers to, in the transaction of the caller. @returns its bytes */
  put({ hash, text }: Content): number {
    const bytes = Buffer.byteLength(text)
    const isLarge = bytes > this.#options.fileOverBytes
    if (isLarge && this.#find.get(hash) === undefined) this.#writeFile(hash, text)
    this.#insert.run(hash, bytes, isLarge ? null : text)
    return bytes
  }

  /** Keeps a content for one more run, in the transaction of the caller. @returns whether it is in the file */
  use(run: number, hash: Uint8Array): boolean {
    if (this.#isThere.get(hash) === undefined) return false
    this.#use.run(run, hash)
    return true
  }

  /** Puts a content that is there already right, should it be damaged. */
  mend(content: Content): void {
    try {
      this.read(content.hash)
    } catch {
      const { hash, text } = content
      const isBeside = (this.#find.get(hash) as Row | undefined)?.body === null
      if (isBeside) this.#writeFile(hash, text)
      else this.#database.prepare('UPDATE contents SET body = ? WHERE hash = ?').run(text, hash)
    }
  }

  /** The text of a content. @throws `JOURNAL_BROKEN` where it is missing or is not what its hash says. */
  read(hash: Uint8Array): string {
    const row = this.#find.get(hash) as Row | undefined
    const text = row === undefined ? undefined : (row.body ?? this.#readFile(hash))
    if (text === undefined) throw this.#broken(hash, 'is missing')
    if (!contentOf(text).hash.equals(hash)) throw this.#broken(hash, 'has been changed')
    return text
  }

  /** Lets go of what nobody refers to any more, in the transaction of the caller; call it when the uses are gone, and last:
   * files go at once, while nobody else can write, so that nobody has just found one of them there.
   *
   * @returns how many bytes that freed */
  sweep(hashes: readonly Uint8Array[], { keepFiles = false }: SweepOptions = {}): number {
    const isUsed = this.#database.prepare(
      `SELECT 1 FROM uses WHERE hash = ?1 UNION ALL SELECT 1 FROM reuse WHERE hash = ?1 LIMIT 1`,
    )
    const remove = this.#database.prepare('DELETE FROM contents WHERE hash = ? RETURNING bytes, body IS NULL AS beside')
    const files: string[] = []
    let freed = 0
    for (const hash of hashes) {
      if (isUsed.get(hash) !== undefined) continue
      const gone = remove.get(hash) as { readonly bytes: number; readonly beside: number } | undefined
      freed += gone?.bytes ?? 0
      if (gone?.beside === 1) files.push(this.#fileOf(hash))
    }
    if (!keepFiles) for (const file of files) rmSync(file, { force: true })
    return freed
  }

  #fileOf(hash: Uint8Array): string {
    const name = Buffer.from(hash).toString('hex')
    return join(this.#options.folder, name.slice(0, 2), `${name}.json`)
  }

  /** Written under another name, made durable, and only then given its own: a file with its name is whole. */
  #writeFile(hash: Uint8Array, text: string): void {
    replaceFileSync(this.#fileOf(hash), text)
  }

  #readFile(hash: Uint8Array): string | undefined {
    try {
      return readFileSync(this.#fileOf(hash), 'utf8')
    } catch {
      return undefined
    }
  }

  #broken(hash: Uint8Array, what: string): PlanloomError {
    return new PlanloomError(
      'JOURNAL_BROKEN',
      `An output that the journal refers to ${what} (${this.#fileOf(hash)}).`,
      {
        hint: 'Look with "planloom journal verify".',
      },
    )
  }
}
