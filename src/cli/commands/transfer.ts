// `planloom export` and `import`: a run as one portable file, out of a journal and into one.
import { closeSync, openSync } from 'node:fs'
import {
  copyRun,
  journalLines,
  PlanloomError,
  sqliteJournal,
  type JournalEvent,
  type SqliteJournal,
} from '../../runtime/index.ts'
import { exitCodes } from '../exitCodes.ts'
import { checkWritable, readJournal, writeAll } from '../journalFile.ts'
import { runMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'

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
    const { runId, events } = runMeant(journal, run)
    if (out === undefined) {
      for (const event of journal.read(runId)) output.streams.stdout.write(journalLines(event))
      return exitCodes.done
    }
    const file = openSync(out, 'w')
    try {
      for (const event of journal.read(runId)) writeAll(file, journalLines(event))
    } finally {
      closeSync(file)
    }
    output.print([`${events} events of ${runId} are in ${out}.`])
    output.document({ runId, events, file: out })
    return exitCodes.done
  })
}

export async function importRun(file: string, options: { readonly journal: string }, output: Output): Promise<number> {
  const events = readJournal(file)
  const journal = sqliteJournal(options.journal)
  try {
    const runId = await copied(events, journal)
    output.print([`${events.length} events of ${runId} are in ${options.journal}.`])
    output.document({ runId, events: events.length, journal: options.journal })
    return exitCodes.done
  } finally {
    await journal.close()
  }
}

/** An exported run keeps its id: another one cannot be chosen. */
async function copied(events: readonly JournalEvent[], journal: SqliteJournal): Promise<string> {
  try {
    return await copyRun(events, journal)
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
