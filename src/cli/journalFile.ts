// A run's journal as a file: written at its end, read for a replay.
import { accessSync, constants, createWriteStream, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PlanloomError } from '../errors.ts'
import { exportJournal, importJournal, type JournalEvent } from '../runtime/index.ts'
import { readText } from './readDocument.ts'

/** Found out before the run, not after it. @throws `FILE_UNWRITABLE` */
export function checkWritable(path: string): void {
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK)
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** @throws `FILE_UNWRITABLE` */
export async function writeJournal(
  path: string,
  events: Iterable<JournalEvent> | AsyncIterable<JournalEvent>,
): Promise<void> {
  try {
    await pipeline(Readable.from(exportJournal(events)), createWriteStream(path))
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** @throws `FILE_UNREADABLE`, `JOURNAL_FORMAT`, `JOURNAL_BROKEN` */
export function readJournal(path: string): readonly JournalEvent[] {
  return importJournal(readText(path), { name: path })
}

function unwritable(path: string, cause: unknown): PlanloomError {
  return new PlanloomError('FILE_UNWRITABLE', `${path} cannot be written: ${(cause as Error).message}`, {
    hint: 'Choose a file in a folder that exists and may be written to.',
    where: { path },
    cause,
  })
}
