// Looking a journal file through: SQLite's own check of its pages, then each run's chain and each output's hash.
import { PlanloomError } from '../../errors.ts'
import type { JournalEvent } from '../journal.ts'
import type { Database } from './driver.ts'
import { journalFailure } from './failures.ts'
import type { CutShort } from './fileLength.ts'
import type { Contents } from './contents.ts'
import { knownRuns, type KnownRun } from './intactRuns.ts'
import { readEvents } from './readEvents.ts'

export interface JournalFault {
  /** The run that has it; absent for faults of the file as a whole. */
  readonly runId?: string
  /** Events before this one are intact. */
  readonly seq?: number
  /** Events that the run had; absent where the file does not tell any more. */
  readonly of?: number
  readonly code: string
  readonly message: string
}

export interface VerifyReport {
  /** Runs that the file still tells of. */
  readonly runs: number
  /** Events that are intact. */
  readonly events: number
  readonly faults: readonly JournalFault[]
  /** The file has lost its end. */
  readonly cutShort?: CutShort
}

export interface OpenedFile {
  readonly database: Database
  readonly contents: Contents
  /** As messages name it. */
  readonly path: string
}

export function verifyFile(file: OpenedFile): VerifyReport {
  const { database, path } = file
  const faults: JournalFault[] = checkPages(database, path)
  const { runs, fault } = knownRuns(database)
  if (fault !== undefined) faults.push(listFault(fault, path))
  let events = 0
  for (const run of runs) {
    const { seq, fault: found } = checkRun(file, run)
    if (found !== undefined) faults.push(found)
    events += seq
  }
  return { runs: runs.length, events, faults }
}

/** The list of runs cannot be read as a whole. */
export function listFault(fault: unknown, path: string): JournalFault {
  const { code, message } = faultOf(fault, path)
  return { code, message: `The list of runs is damaged: there may have been more. ${message}` }
}

/** Reads a run as far as it is intact. @returns how many events that are, and what ended it */
export function checkRun(
  file: OpenedFile,
  run: KnownRun,
  take?: (event: JournalEvent) => void,
): { readonly seq: number; readonly fault?: JournalFault } {
  const { run_id: runId, events: of } = run
  let seq = 0
  const inRun = (fault: Pick<JournalFault, 'code' | 'message'>): JournalFault => ({
    runId,
    seq,
    ...(of !== undefined && { of }),
    ...fault,
  })
  try {
    for (const event of readEvents({ ...file, run, from: 0 })) {
      take?.(event)
      seq += 1
    }
  } catch (error) {
    const found = faultOf(error, file.path)
    if (seq === of && found.code !== 'JOURNAL_BROKEN') return { seq } // what cannot be read stands behind its last event
    if (found.code !== 'JOURNAL_DAMAGED') return { seq, fault: inRun(found) }
    const message = `Event ${String(seq)}, or a large value of it, cannot be read: pages of the file are lost or damaged.`
    return { seq, fault: inRun({ code: found.code, message }) }
  }
  if (of !== undefined) return { seq }
  const message = `The row of run "${runId}" in the list of runs is lost: how many events it had is not known.`
  return { seq, fault: inRun({ code: 'JOURNAL_DAMAGED', message }) }
}

function checkPages(database: Database, path: string): JournalFault[] {
  try {
    const rows = database.prepare('PRAGMA integrity_check(20)').all() as readonly { readonly integrity_check: string }[]
    return rows
      .map(({ integrity_check: said }) => said)
      .filter((said) => said !== 'ok')
      .map((message) => ({ code: 'JOURNAL_DAMAGED', message }))
  } catch (error) {
    return [faultOf(error, path)]
  }
}

function faultOf(error: unknown, path: string): Pick<JournalFault, 'code' | 'message'> {
  const { code, message } = error instanceof PlanloomError ? error : journalFailure(error, path, 'be read')
  return { code, message }
}
