// A run's journal as a file: written as the run goes on, read for a replay.
//
// F1. An event is in the file before any command that it causes goes out: whatever ends the process, what stands in the file
//     can be replayed up to there.
import { accessSync, closeSync, constants, existsSync, openSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { PlanloomError } from '../errors.ts'
import { importJournal, journalLines, memoryJournal, type Journal, type JournalEvent } from '../runtime/index.ts'
import { readText } from './readDocument.ts'

/** Found out before the run, not with its first event.
 *
 * @throws `FILE_UNWRITABLE`; `FILE_EXISTS` where something stands in the file, and it is not to be overwritten
 */
export function checkWritable(
  path: string,
  { overwrite = false }: { readonly overwrite?: boolean | undefined } = {},
): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw unwritable(path, new Error('it is a folder'))
  // A device or a pipe takes everything; an empty file has nothing to lose.
  if (found?.isFile() && found.size > 0 && !overwrite) {
    throw new PlanloomError('FILE_EXISTS', `${path} is there already: the journal of this run would take its place.`, {
      hint: 'Choose another file, or say --overwrite.',
      where: { path },
    })
  }
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
  const text = readText(path)
  try {
    return importJournal(text, { name: path })
  } catch (error) {
    // Whoever calls the command has not exported anything.
    if (!(error instanceof PlanloomError) || error.code !== 'JOURNAL_FORMAT' || /"planloom"/.test(text.slice(0, 200)))
      throw error
    throw new PlanloomError('JOURNAL_FORMAT', `${path} is not the journal of a run.`, {
      hint: 'planloom run … --journal run.jsonl writes one.',
      where: { path },
      cause: error,
    })
  }
}

/** A pipe may take less at once than it is given. */
export function writeAll(file: number, text: string): void {
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
