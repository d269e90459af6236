// `planloom prune`: taking old runs out of a journal.
import { counted } from '../counted.ts'
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
}

export async function prune(options: PruneRunsOptions, output: Output): Promise<number> {
  return withJournal(options.journal, (journal) => {
    const { olderThanMs, unfinished } = options
    const { runs, outputBytes } =
      olderThanMs === undefined
        ? { runs: [], outputBytes: 0 }
        : journal.prune({ before: Date.now() - olderThanMs, ...(unfinished && { unfinished: 'remove' }) })
    const reuse = journal.reuse.drop(options.reuse ? 'all' : 'expired')
    output.print([
      `${counted(runs.length, 'run')} removed, with ${outputBytes} bytes of outputs that nobody else referred to.`,
      `${counted(reuse.entries, 'output or plan', 'outputs and plans')} kept for other runs dropped, which freed ${reuse.bytes} bytes.`,
    ])
    output.document({ journal: options.journal, runs, outputBytes, reuse })
    return exitCodes.done
  })
}
