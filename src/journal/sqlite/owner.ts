// Who may write a run: one process at a time, by a lease that it keeps up with a heartbeat.
//
// W1. A run has at most one owner. Each change of owner raises the run's fence, and whoever writes shows the fence that it
//     got: a former owner that was only asleep is refused, whatever it believes.
// W2. A lease ends when its owner gives it back, when it was not renewed in time, or when its process is known to be dead.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { PlanloomError } from '../../errors.ts'
import { runOwnedHere } from '../runErrors.ts'
import type { Database } from './driver.ts'
import { isBusy } from './failures.ts'
import { processExists } from './processExists.ts'

export interface OwnerOptions {
  readonly path: string
  readonly now: () => number
  /** How long an owner that gives no sign of life keeps its runs. */
  readonly leaseMs: number
}

interface OwnerRow {
  readonly owner: string
  readonly host: string
  readonly pid: number
  readonly beat_at: number
}

/** A process that has a run. */
export interface RunOwner {
  readonly pid: number
  readonly host: string
  /** It is this very process. */
  readonly isHere: boolean
}

/** This process as an owner of runs in one file. Its row is there as long as it holds a run. */
export class Owner {
  readonly id = randomUUID()
  readonly #database: Database
  readonly #options: OwnerOptions
  readonly #heart: ReturnType<typeof setInterval>
  readonly #onFault: (error: unknown) => void
  #isSigned = false

  constructor(database: Database, options: OwnerOptions, onFault: (error: unknown) => void) {
    this.#database = database
    this.#options = options
    this.#onFault = onFault
    ownersHere.add(this.id)
    this.#heart = setInterval(() => {
      this.#beat()
    }, options.leaseMs / 3)
    this.#heart.unref()
  }

  /** Takes a run, in the transaction of the caller. @returns the fence to write with. @throws `RUN_OWNED` */
  take(run: {
    readonly id: number
    readonly runId: string
    readonly owner: string | null
    readonly fence: number
  }): number {
    const other = run.owner === null ? undefined : this.#find(run.owner)
    if (other !== undefined && this.#isAlive(other)) throw this.#owned(run.runId, other)
    this.sign()
    const fence = run.fence + 1
    this.#database.prepare('UPDATE runs SET owner = ?, fence = ? WHERE id = ?').run(this.id, fence, run.id)
    return fence
  }

  /** An owner that lives, as far as can be told. */
  find(owner: string): RunOwner | undefined {
    const other = this.#find(owner)
    return other !== undefined && this.#isAlive(other) ? inShort(other) : undefined
  }

  /** All owners that live, as far as can be told, by their id. */
  living(): ReadonlyMap<string, RunOwner> {
    const all = this.#database.prepare('SELECT * FROM owners').all() as unknown as readonly OwnerRow[]
    return new Map(all.filter((row) => this.#isAlive(row)).map((row) => [row.owner, inShort(row)]))
  }

  /** Says that this process is there. */
  sign(): void {
    this.#isSigned = true
    const { now } = this.#options
    this.#database
      .prepare(
        'INSERT INTO owners (owner, host, pid, beat_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET beat_at = excluded.beat_at',
      )
      .run(this.id, thisHost(), process.pid, now())
  }

  close(): void {
    clearInterval(this.#heart)
    ownersHere.delete(this.id)
    if (!this.#isSigned) return // it has only looked at others
    this.#database.prepare('UPDATE runs SET owner = NULL WHERE owner = ?').run(this.id)
    this.#database.prepare('DELETE FROM owners WHERE owner = ?').run(this.id)
  }

  #beat(): void {
    if (!this.#isSigned) return
    try {
      this.#database.prepare('UPDATE owners SET beat_at = ? WHERE owner = ?').run(this.#options.now(), this.id)
    } catch (error) {
      if (!isBusy(error)) this.#onFault(error) // the next beat tries again
    }
  }

  #find(owner: string): OwnerRow | undefined {
    return this.#database.prepare('SELECT * FROM owners WHERE owner = ?').get(owner) as OwnerRow | undefined
  }

  #isAlive({ owner, host, pid, beat_at: beatAt }: OwnerRow): boolean {
    if (owner === this.id) return true
    if (beatAt + this.#options.leaseMs <= this.#options.now()) return false
    return !isKnownDead(owner, host, pid)
  }

  #owned(runId: string, { owner, host, pid, beat_at: beatAt }: OwnerRow): PlanloomError {
    const { path, leaseMs } = this.#options
    if (owner === this.id) return runOwnedHere(runId, path)
    const ends = new Date(beatAt + leaseMs).toISOString()
    const machine = host === thisHost() ? '' : ` on ${host.split(' ')[0] ?? host}`
    return new PlanloomError(
      'RUN_OWNED',
      `Run "${runId}" belongs to process ${String(pid)}${machine}, which is alive.`,
      {
        hint: `Stop that process, or wait: without a sign of life its lease ends at ${ends}.`,
        where: { runId, path },
      },
    )
  }
}

function inShort({ owner, pid, host }: OwnerRow): RunOwner {
  return { pid, host: host.split(' ')[0] ?? host, isHere: ownersHere.has(owner) }
}

/** Owners in this process: several journals may be open at once. */
const ownersHere = new Set<string>()

/** Processes can be looked for only on the machine, and in the boot of it, that they ran in. */
function isKnownDead(owner: string, host: string, pid: number): boolean {
  const [name, boot] = host.split(' ')
  const [ourName, ourBoot] = thisHost().split(' ')
  if (name !== ourName || boot === undefined || ourBoot === undefined) return false
  if (boot !== ourBoot) return true
  return pid === process.pid ? !ownersHere.has(owner) : !processExists(pid)
}

let host: string | undefined

/** The machine's name, and which boot of it this is where that can be told. */
function thisHost(): string {
  host ??= `${hostname()} ${bootId()}`.trim()
  return host
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return '' // not Linux: the lease alone decides
  }
}
