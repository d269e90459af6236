// A run's journal as a file: written as the run goes on, read for a replay.
//
// F1. An event is in the file before any command that it causes goes out: whatever ends the process, what stands in the file
//     can be replayed up to there.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { PlanloomError } from '../errors.ts'
import {
  JournalLines,
  memoryJournal,
  readExport,
  type ExportedRun,
  type Journal,
  type RunEnd,
} from '../runtime/index.ts'
import { printable } from './escape.ts'
import type { Output } from './output.ts'
import { readText } from './readDocument.ts'
import { openReplacement, unwritable } from './replaceFile.ts'

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
    if (existsSync(path)) accessSync(path, constants.W_OK)
    if (found === undefined || found.isFile()) accessSync(dirname(path), constants.W_OK) // it is written beside it first
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
      const file = openReplacement(path)
      const lines = new JournalLines()
      let stood: RunEnd | undefined
      return {
        runId,
        get next() {
          return kept.next
        },
        append(event) {
          file.write(lines.of(event))
          file.show() // F1: what stood there goes with the first event of the run, and not before
          kept.append(event)
        },
        describe(progress) {
          stood = progress
          kept.describe?.(progress)
        },
        flush: () => kept.flush(),
        close() {
          if (kept.next > 0) file.write(lines.end(stood))
          file.close()
        },
      }
    },
  }
}

/** @param unchecked what there is, also of a file that was cut or changed
 * @throws `FILE_UNREADABLE`, `JOURNAL_FORMAT`, `JOURNAL_BROKEN` */
export function readJournal(
  path: string,
  { unchecked = false }: { readonly unchecked?: boolean },
  output: Output,
): ExportedRun {
  const read = readLines(path, unchecked)
  const { events, state, because } = read
  const note = (text: string): void => {
    output.note([`${output.errorColours.yellow('!')} ${printable(text)}`])
  }
  if (state === 'unchecked')
    note(`${path} is of format 1, which has neither an end nor a checksum: whether it is whole cannot be told.`)
  if (state === 'broken') note(`${because ?? path}. What is taken of it ends with event ${events.length - 1}.`)
  return read
}

function readLines(path: string, unchecked: boolean): ExportedRun {
  const text = readText(path)
  try {
    return readExport(text, { name: path, unchecked })
  } catch (error) {
    if (!(error instanceof PlanloomError)) throw error
    const { code, message, where } = error
    // Whoever calls the command has not exported anything.
    if (code === 'JOURNAL_FORMAT' && !/"planloom"/.test(text.slice(0, 200))) {
      throw new PlanloomError('JOURNAL_FORMAT', `${path} is not the journal of a run.`, {
        hint: 'planloom run … --journal run.jsonl writes one.',
        where: { path },
        cause: error,
      })
    }
    if (code !== 'JOURNAL_BROKEN') throw error
    const hint = error.hint?.replace(/importJournal\(.*\)/, 'say --unchecked')
    throw new PlanloomError(code, message, { hint, where, cause: error })
  }
}
