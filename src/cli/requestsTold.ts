// What came of what was asked of a run while nobody had it: told by the process that goes on with it.
import { setTimeout as sleep } from 'node:timers/promises'
import { isOpenRequest, type Run, type RunRequest, type SqliteJournal } from '../runtime/index.ts'
import { withJournal } from './journals.ts'
import type { Output } from './output.ts'
import { refusalInWords, requestInWords } from './waitingLines.ts'

/** Requests that had come to their end before. */
export function endedRequests(journal: SqliteJournal, runId: string): ReadonlySet<number> {
  const ended = journal.requests(runId).filter((request) => !isOpenRequest(request))
  return new Set(ended.map(({ number }) => number))
}

/** How often the journal is looked at for what is being written, and how long at most. */
const lookMs = 10
const longestMs = 2_000

/** Says of each request that has come to its end meanwhile what became of it.
 *
 * @returns those */
export async function tellRequests(
  run: Pick<Run, 'id' | 'outcome'>,
  { journal: path, before }: { readonly journal: string; readonly before: ReadonlySet<number> },
  output: Output,
): Promise<readonly RunRequest[]> {
  const requests = await withJournal(path, async (journal) => {
    for (let waitedMs = 0; ; waitedMs += lookMs) {
      const isLast = run.outcome !== undefined || waitedMs >= longestMs // asked first
      const found = journal.requests(run.id).filter(({ number }) => !before.has(number))
      if (isLast || !found.some(isOpenRequest)) return found
      await sleep(lookMs)
    }
  })
  const ended = requests.filter((request) => !isOpenRequest(request))
  output.note(ended.map((request) => lineOf(request, output)))
  return ended
}

function lineOf(request: RunRequest, { errorColours: colours }: Output): string {
  const what = `request ${request.number}: ${requestInWords(request)}`
  return request.refused === undefined
    ? `${colours.green('✓')} ${what} is event ${request.seq ?? '?'}`
    : `${colours.red('✗')} ${what} was refused: ${refusalInWords(request.refused)}`
}
