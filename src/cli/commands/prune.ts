// `planloom prune`: taking old runs out of a journal.
import { counted } from '../counted.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { withJournal } from '../journals.ts'
import type { Output } from '../output.ts'

export interface PruneRunsOptions {
  readonly journal: string
  /** Without it, no run is removed. */
  readonly olderThanMs?: number
  /** Those that are not over as well. */
  readonly unfinished?: boolean
  /** Also what is kept for other runs, old or not. */
  readonly reuse?: boolean
  /** Remove nothing. */
  readonly dryRun?: boolean
}

export async function prune(options: PruneRunsOptions, output: Output): Promise<number> {
  return withJournal(options.journal, (journal) => {
    const { olderThanMs, unfinished, dryRun = false } = options
    const { runs, outputBytes, reuse } = journal.prune({
      ...(olderThanMs !== undefined && { before: Date.now() - olderThanMs }),
      ...(unfinished && { unfinished: 'remove' }),
      reuse: options.reuse ? 'all' : 'expired',
      dryRun,
    })
    const [would, frees] = dryRun ? ['would be ', 'would free'] : ['', 'freed']
    output.print([
      ...(dryRun ? runs.map((runId) => printable(runId)) : []),
      `${counted(runs.length, 'run')} ${would}removed, with ${outputBytes} bytes of outputs that nobody else referred to.`,
      `${counted(reuse.entries, 'output or plan', 'outputs and plans')} kept for other runs ${would}dropped, which ${frees} ${reuse.bytes} bytes.`,
    ])
    output.document({ journal: options.journal, dryRun, runs, outputBytes, reuse })
    return exitCodes.done
  })
}
