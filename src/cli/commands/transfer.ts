// `planloom export` and `import`: a run as one portable file, out of a journal and into one.
import {
  copyRun,
  JournalLines,
  PlanloomError,
  sqliteJournal,
  type ExportedRun,
  type SqliteJournal,
} from '../../runtime/index.ts'
import { exitCodes } from '../exitCodes.ts'
import { printable } from '../escape.ts'
import { checkWritable, readJournal } from '../journalFile.ts'
import { runMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'
import { replaceFile } from '../replaceFile.ts'

export interface ExportOptions {
  readonly journal: string
  /** File to write; stdout without one. */
  readonly out?: string
  readonly overwrite?: boolean
}

export async function exportRun(run: string | undefined, options: ExportOptions, output: Output): Promise<number> {
  const { out, overwrite } = options
  if (out !== undefined) checkWritable(out, { overwrite })
  return withJournal(options.journal, (journal) => {
    const meant = runMeant(journal, run)
    const { runId, events } = meant
    const write = (put: (text: string) => void): void => {
      const lines = new JournalLines()
      for (const event of journal.read(runId)) {
        if (event.seq >= events) break // since then, its process has gone on
        put(lines.of(event))
      }
      put(lines.end(meant))
    }
    if (out === undefined) {
      write((text) => output.streams.stdout.write(text))
      return exitCodes.done
    }
    replaceFile(out, write)
    output.print([`${events} events of ${printable(runId)} are in ${printable(out)}.`])
    output.document({ runId, events, file: out })
    return exitCodes.done
  })
}

export interface ImportCommandOptions {
  readonly journal: string
  /** Take what there is of a file that was cut or changed. */
  readonly unchecked?: boolean
}

export async function importRun(file: string, options: ImportCommandOptions, output: Output): Promise<number> {
  const read = readJournal(file, options, output)
  const { events } = read
  const journal = sqliteJournal(options.journal)
  try {
    const runId = await copied(read, journal)
    output.print([`${events.length} events of ${printable(runId)} are in ${printable(options.journal)}.`])
    output.document({ runId, events: events.length, journal: options.journal })
    return exitCodes.done
  } finally {
    await journal.close()
  }
}

/** An exported run keeps its id: another one cannot be chosen. */
async function copied({ events, because, stood }: ExportedRun, journal: SqliteJournal): Promise<string> {
  try {
    // What the run did after the last event that could be taken, nobody knows.
    return await copyRun(events, journal, {
      ...(because !== undefined && { lost: { because } }),
      ...(stood && { stood }),
    })
  } catch (error) {
    if (!(error instanceof PlanloomError) || error.code !== 'RUN_EXISTS') throw error
    const { runId = '' } = error.where
    throw new PlanloomError('RUN_EXISTS', `The journal "${journal.path}" has a run "${runId}" already.`, {
      hint: `planloom show ${runId} shows that one; name another journal with --journal to have both.`,
      where: error.where,
      cause: error,
    })
  }
}
