// `planloom runs`: the runs of a journal, newest first.
import type { RunFilter, RunSummary } from '../../runtime/index.ts'
import type { Colours } from '../colours.ts'
import { roughDuration } from '../duration.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { fill, fit } from '../fit.ts'
import { withJournal } from '../journals.ts'
import type { Output } from '../output.ts'
import { ownership, type RunOwner } from '../ownerLines.ts'

export interface RunsOptions extends Pick<RunFilter, 'goal' | 'labels' | 'limit'> {
  readonly journal: string
  readonly state?: readonly string[]
  /** Only those that were started within so many ms. */
  readonly withinMs?: number
}

export async function runs(options: RunsOptions, output: Output): Promise<number> {
  const { journal: path, state, withinMs, ...filter } = options
  return withJournal(path, (journal) => {
    const found = journal.runs({
      ...filter,
      ...(state && { state }),
      ...(withinMs !== undefined && { since: Date.now() - withinMs }),
    })
    const owners = journal.owners()
    output.print(found.length === 0 ? ['No runs.'] : runLines(found, owners, output))
    output.document({ journal: path, runs: found.map((run) => ({ ...run, ...ownership(run, owners.get(run.runId)) })) })
    return exitCodes.done
  })
}

function runLines(
  found: readonly RunSummary[],
  owners: ReadonlyMap<string, RunOwner>,
  { colours, columns = 120 }: Output,
): string[] {
  const idColumns = Math.max(...found.map(({ runId }) => runId.length))
  return found.map((run) => {
    const left = run.reason === undefined && !owners.has(run.runId) ? 'left ' : ''
    const state =
      run.reason === undefined || run.reason === 'done' ? `${left}${run.state ?? ''}` : run.reason.replaceAll('_', ' ')
    const facts = [
      fill(printable(run.runId), idColumns),
      inTone(colours, run, fill(state, 16)),
      fill(progressInWords(run), 14),
      fill(ageInWords(run), 11),
      ...((run.used?.cost ?? 0) > 0 ? [`cost ${Number(run.used?.cost.toPrecision(4))}`] : []),
    ].join('  ')
    return `${facts}  ${fit(printable(run.goal), Math.max(20, columns - idColumns - 51))}`
  })
}

function inTone(colours: Colours, { state }: RunSummary, text: string): string {
  if (state === 'completed') return colours.green(text)
  if (state === 'failed') return colours.red(text)
  return state === 'cancelled' ? colours.yellow(text) : text
}

/** Steps that ended well, of all that are known. */
function progressInWords({ counts = {} }: RunSummary): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return `${counts.succeeded ?? 0} of ${total}`
}

function ageInWords({ startedAt }: RunSummary): string {
  const ms = Date.now() - startedAt
  const days = Math.floor(ms / 86_400_000)
  return days > 1 ? `${days} days ago` : `${roughDuration(ms)} ago`
}
