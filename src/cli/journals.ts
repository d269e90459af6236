// Journals in SQLite files, as the command names them.
import { PlanloomError, sqliteJournal, type RunSummary, type SqliteJournal } from '../runtime/index.ts'

/** Where runs are recorded, and looked for, when nothing else is said. */
export const defaultJournal = '.planloom/runs.db'

/** Whether a journal of this name is an SQLite file; other names are JSON Lines, one run each. */
export function isDatabase(path: string): boolean {
  return /\.(db|sqlite3?)$/.test(path)
}

/** Opens a journal that is there, for as long as `work` takes. @throws `JOURNAL_UNKNOWN`, and as `sqliteJournal` */
export async function withJournal<T>(path: string, work: (journal: SqliteJournal) => T | Promise<T>): Promise<T> {
  const journal = sqliteJournal(path, { file: 'existing' })
  try {
    return await work(journal)
  } finally {
    await journal.close()
  }
}

/** The run that is meant: by its id, by the beginning of one, or the latest where nothing is said.
 *
 * @throws `RUN_UNKNOWN`, `RUN_AMBIGUOUS`
 */
export function runMeant(journal: SqliteJournal, wanted: string | undefined): RunSummary {
  const runs = journal.runs()
  const [latest] = runs
  if (wanted === undefined && latest !== undefined) return latest
  const exact = runs.find(({ runId }) => runId === wanted)
  const fitting = exact ? [exact] : runs.filter(({ runId }) => wanted !== undefined && runId.startsWith(wanted))
  const [first, second] = fitting
  if (first !== undefined && second === undefined) return first
  const where = { path: journal.path, ...(wanted !== undefined && { runId: wanted }) }
  if (first === undefined) {
    const what = wanted === undefined ? 'no run at all' : `no run whose id is or begins with "${wanted}"`
    throw new PlanloomError('RUN_UNKNOWN', `"${journal.path}" holds ${what}.`, {
      hint: 'planloom runs lists those that there are.',
      where,
    })
  }
  throw new PlanloomError('RUN_AMBIGUOUS', `${fitting.length} runs begin with "${wanted ?? ''}".`, {
    hint: `Say more of the id: ${fitting
      .slice(0, 5)
      .map(({ runId }) => runId)
      .join(', ')}.`,
    where,
  })
}
