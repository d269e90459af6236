// Notices that other processes have asked something of runs that this one has.
//
// A1. One look for the whole file, however many runs listen: as long as nobody else has written, it costs a pragma.
// A2. It keeps no process alive, and looks only while somebody listens.
import type { Database, Statement } from './driver.ts'
import { runsAsked } from './requestsTable.ts'

const lookMs = 100

export interface RequestWatchOptions {
  /** Told when the file cannot be read; the next look tries again. */
  readonly onFault: (error: unknown) => void
}

export class RequestWatch {
  readonly #database: Database
  readonly #dataVersion: Statement
  readonly #options: RequestWatchOptions
  readonly #listeners = new Map<number, () => void>()
  #timer: ReturnType<typeof setInterval> | undefined
  #version = -1

  constructor(database: Database, options: RequestWatchOptions) {
    this.#database = database
    this.#dataVersion = database.prepare('PRAGMA data_version')
    this.#options = options
  }

  /** @param run row of the run
   * @param listener told, in a turn of its own, when the run has open requests; it may have been told of them before */
  listen(run: number, listener: () => void): void {
    this.#listeners.set(run, listener)
    this.#version = -1 // what came before it listened is looked for as well
    this.#timer ??= setInterval(() => {
      this.#look()
    }, lookMs).unref()
  }

  leave(run: number): void {
    this.#listeners.delete(run)
    if (this.#listeners.size === 0) this.close()
  }

  /** The file does not say what its own connection has written. */
  askedHere(): void {
    this.#version = -1
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#listeners.clear()
  }

  #look(): void {
    try {
      const { data_version: version } = this.#dataVersion.get() as { readonly data_version: number }
      if (version === this.#version) return
      const asked = runsAsked(this.#database)
      this.#version = version
      for (const run of asked) this.#listeners.get(run)?.()
    } catch (error) {
      this.#options.onFault(error)
    }
  }
}
