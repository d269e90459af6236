// A run's journal as a file: written as the run goes on, read for a replay.
//
// F1. An event is in the file before any command that it causes goes out: whatever ends the process, what stands in the file
//     can be replayed up to there.
import { accessSync, closeSync, constants, existsSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { PlanloomError } from '../errors.ts'
import { importJournal, journalLines, memoryJournal, type Journal, type JournalEvent } from '../runtime/index.ts'
import { readText } from './readDocument.ts'

/** Found out before the run, not with its first event. @throws `FILE_UNWRITABLE` */
export function checkWritable(path: string): void {
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK)
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** A journal that writes the first run it is given to a file; those of its sub-goals are kept in memory only.
 *
 * The file is begun anew with the run: one that is refused leaves it alone. It throws `FILE_UNWRITABLE`.
 */
export function journalInFile(path: string): Journal {
  const memory = memoryJournal()
  let isBegun = false
  return {
    ...memory,
    create(runId) {
      const kept = memory.create(runId)
      if (isBegun) return kept
      isBegun = true
      const file = tried(path, () => openSync(path, 'w'))
      return {
        runId,
        get next() {
          return kept.next
        },
        append(event) {
          tried(path, () => {
            writeAll(file, journalLines(event))
          })
          kept.append(event)
        },
        flush: () => kept.flush(),
        close() {
          tried(path, () => {
            closeSync(file)
          })
        },
      }
    },
  }
}

/** @throws `FILE_UNREADABLE`, `JOURNAL_FORMAT`, `JOURNAL_BROKEN` */
export function readJournal(path: string): readonly JournalEvent[] {
  return importJournal(readText(path), { name: path })
}

/** A pipe may take less at once than it is given. */
function writeAll(file: number, text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) rest = rest.subarray(writeSync(file, rest))
}

function tried<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw unwritable(path, error)
  }
}

function unwritable(path: string, cause: unknown): PlanloomError {
  return new PlanloomError('FILE_UNWRITABLE', `${path} cannot be written: ${(cause as Error).message}`, {
    hint: 'Choose a file in a folder that exists and may be written to.',
    where: { path },
    cause,
  })
}
