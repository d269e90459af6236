// Opening a journal file to look it through and to save what is intact, also one that was cut short.
//
// V1. Nothing is written into the file: a file that was cut short is looked at in a copy.
import { resolve } from 'node:path'
import { PlanloomError } from '../../errors.ts'
import type { JournalEvent } from '../journal.ts'
import { Contents } from './contents.ts'
import { openFile, type Database } from './driver.ts'
import { cutShort, headerLost, journalFailure, tooLittleLeft } from './failures.ts'
import { cutOf, headerBytes, lengthOf, type CutShort } from './fileLength.ts'
import { knownRuns, type KnownRun } from './intactRuns.ts'
import { makePaddedCopy } from './paddedCopy.ts'
import { checkPresence } from './presence.ts'
import { checkVersion, notJournal } from './schema.ts'
import { checkRun, listFault, verifyFile, type JournalFault, type OpenedFile, type VerifyReport } from './verify.ts'

/** A run as far as it can be saved. */
export interface SalvagedRun {
  readonly runId: string
  readonly events: readonly JournalEvent[]
  /** Events that it had; absent where the file does not tell any more. */
  readonly of?: number
  /** What is wrong with the rest of it, where something is. */
  readonly fault?: JournalFault
}

/** A journal file, opened to be looked through. Close it: there may be a copy behind it. */
export class Salvage {
  readonly #file: OpenedFile
  readonly #cut: CutShort | undefined
  readonly #remove: () => void

  constructor(file: OpenedFile, cut: CutShort | undefined, remove: () => void) {
    this.#file = file
    this.#cut = cut
    this.#remove = remove
  }

  verify(): VerifyReport {
    const report = verifyFile(this.#file)
    if (this.#cut === undefined) return report
    const { code, message } = cutShort(this.#file.path, this.#cut)
    return { ...report, faults: [{ code, message }, ...report.faults], cutShort: this.#cut }
  }

  /** Each run as far as it is intact, the first that was begun first; and what is wrong with the file as a whole. */
  runs(): { readonly runs: Iterable<SalvagedRun>; readonly cutShort?: CutShort; readonly fault?: JournalFault } {
    const file = this.#file
    const { runs, fault } = knownRuns(file.database)
    return {
      runs: salvaged(file, runs),
      ...(this.#cut !== undefined && { cutShort: this.#cut }),
      ...(fault !== undefined && { fault: listFault(fault, file.path) }),
    }
  }

  close(): void {
    try {
      this.#file.database.close()
    } finally {
      this.#remove()
    }
  }
}

function* salvaged(file: OpenedFile, runs: readonly KnownRun[]): Generator<SalvagedRun> {
  for (const run of runs) {
    const events: JournalEvent[] = []
    const { fault } = checkRun(file, run, (event) => events.push(event))
    const { run_id: runId, events: of } = run
    yield { runId, events, ...(of !== undefined && { of }), ...(fault !== undefined && { fault }) }
  }
}

/** @throws `JOURNAL_UNKNOWN`, `JOURNAL_FORMAT`, `JOURNAL_NEWER`, `JOURNAL_UNCOPIED`, `JOURNAL_DAMAGED` where too little is
 *   left to tell what was in it. */
export function openSalvage(given: string): Salvage {
  const path = resolve(given)
  const length = lengthOf(path)
  if (length !== undefined && length.bytes < headerBytes) throw headerLost(path, length.bytes)
  checkPresence(path, 'existing')
  const cut = cutOf(length)
  if (cut === undefined) return new Salvage(openToRead(path, path), undefined, nothing)
  const copy = makePaddedCopy(path, { bytes: cut.of, pageBytes: length?.pageBytes ?? 1 })
  try {
    const file = openToRead(path, copy.path)
    return new Salvage(file, isWholeWithLog(file, length?.logBytes ?? 0) ? undefined : cut, () => {
      copy.remove()
    })
  } catch (error) {
    copy.remove()
    throw error instanceof PlanloomError && error.code === 'JOURNAL_DAMAGED' ? tooLittleLeft(path, cut, error) : error
  }
}

/** @param place where it stands: at its path, or in the copy. */
function openToRead(path: string, place: string): OpenedFile {
  let database: Database | undefined
  try {
    database = openFile({ path: place, busyMs: 1_000 })
    if (checkVersion(database, path) === 0) throw notJournal(path)
    return { database, contents: new Contents(database, { folder: `${path}-outputs`, fileOverBytes: Infinity }), path }
  } catch (error) {
    database?.close()
    throw journalFailure(error, path, 'be opened')
  }
}

/** A process that ends while it folds the log into the file leaves it short as well; the log has the rest then. */
function isWholeWithLog(file: OpenedFile, logBytes: number): boolean {
  if (logBytes === 0) return false
  try {
    const { log: frames } = file.database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as { readonly log: number }
    return frames > 0 && verifyFile(file).faults.length === 0
  } catch {
    return false
  }
}

function nothing(): void {
  // The file itself stays.
}
