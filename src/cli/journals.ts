// Journals in SQLite files, as the command names them.
import { closeSync, openSync, readSync } from 'node:fs'
import { PlanloomError, sqliteJournal, type RunState, type RunSummary, type SqliteJournal } from '../runtime/index.ts'

/** Where runs are recorded, and looked for, when nothing else is said. */
export const defaultJournal = '.planloom/runs.db'

/** Whether a journal of this name is an SQLite file; other names are JSON Lines, one run each. */
export function isDatabase(path: string): boolean {
  return /\.(db|sqlite3?)$/.test(path)
}

/** Opens a journal that is there, for as long as `work` takes. @throws `JOURNAL_UNKNOWN`, and as `sqliteJournal` */
export async function withJournal<T>(path: string, work: (journal: SqliteJournal) => T | Promise<T>): Promise<T> {
  const journal = openThere(path)
  try {
    return await work(journal)
  } finally {
    await journal.close()
  }
}

function openThere(path: string): SqliteJournal {
  try {
    return sqliteJournal(path, { file: 'existing' })
  } catch (error) {
    if (!(error instanceof PlanloomError) || error.code !== 'JOURNAL_FORMAT' || !holdsLines(path)) throw error
    throw new PlanloomError(
      'JOURNAL_FORMAT',
      `"${path}" holds one run as JSON Lines, and this is done in a database.`,
      {
        hint: `Take the run into one: planloom import ${path} --journal runs.db; then name that journal.`,
        where: { path },
        cause: error,
      },
    )
  }
}

/** Whether its first words are those of an exported run. */
function holdsLines(path: string): boolean {
  const head = Buffer.alloc(200)
  const file = openSync(path, 'r')
  try {
    const text = head.toString('utf8', 0, readSync(file, head))
    return text.startsWith('{') && text.includes('"planloom"')
  } finally {
    closeSync(file)
  }
}

/** The run that is meant: by its id, by the beginning of one, or the latest where nothing is said, or "latest".
 *
 * @throws `RUN_UNKNOWN`, `RUN_AMBIGUOUS`
 */
export function runMeant(journal: SqliteJournal, wanted: string | undefined): RunSummary {
  if (wanted === undefined || wanted === 'latest') {
    const [latest] = journal.runs({ limit: 1 })
    if (latest !== undefined) return latest
    throw unknownRun(journal, 'no run at all')
  }
  const fitting = journal.runs({ idPrefix: wanted })
  const exact = fitting.find(({ runId }) => runId === wanted)
  const [first, second] = exact ? [exact] : fitting
  if (first === undefined) throw unknownRun(journal, `no run whose id is or begins with "${wanted}"`)
  if (second === undefined) return first
  throw new PlanloomError('RUN_AMBIGUOUS', `${fitting.length} runs begin with "${wanted}".`, {
    hint: `Say more of the id: ${fitting
      .slice(0, 5)
      .map(({ runId }) => runId)
      .join(', ')}.`,
    where: { path: journal.path, runId: wanted },
  })
}

export const openStates: readonly RunState[] = [
  'planning',
  'approving',
  'dispatching',
  'awaiting',
  'replanning',
  'paused',
  'stopping',
]

/** As `runMeant`; the latest is the latest that is not over, and no sub-run: those belong to the runs that began them. */
export function openRunMeant(journal: SqliteJournal, wanted: string | undefined): RunSummary {
  if (wanted !== undefined && wanted !== 'latest') return runMeant(journal, wanted)
  const open = journal.runs({ state: openStates }).find(({ parentRunId }) => parentRunId === undefined)
  if (open !== undefined) return open
  throw unknownRun(journal, 'no run that is not over')
}

/** How a run of this very id stands. */
export function findRun(journal: SqliteJournal, id: string): RunSummary | undefined {
  return journal.runs({ idPrefix: id }).find(({ runId }) => runId === id)
}

function unknownRun({ path }: SqliteJournal, what: string): PlanloomError {
  return new PlanloomError('RUN_UNKNOWN', `"${path}" holds ${what}.`, {
    hint: 'planloom runs lists those that there are.',
    where: { path },
  })
}
