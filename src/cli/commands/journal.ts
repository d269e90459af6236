// `planloom journal` and `prune`: looking a journal file through, saving what is intact, and taking old runs out.
import { repairJournal, type JournalFault } from '../../runtime/index.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { withJournal } from '../journals.ts'
import type { Output } from '../output.ts'

export async function verify(path: string, output: Output): Promise<number> {
  return withJournal(path, (journal) => {
    const { runs, events, faults } = journal.verify()
    output.document({ journal: path, runs, events, faults })
    const { colours } = output
    output.print([
      ...faults.map((fault) => `${colours.red('✗')} ${faultInWords(fault)}`),
      faults.length === 0
        ? `${colours.green('✓')} ${runs} runs with ${events} events are intact.`
        : `${events} events of ${runs} runs are intact. planloom journal repair ${path} --out <file> saves them.`,
    ])
    return faults.length === 0 ? exitCodes.done : exitCodes.failed
  })
}

function faultInWords({ runId, seq, message }: JournalFault): string {
  const where = runId === undefined ? '' : `${printable(runId)}, from event ${seq ?? 0} on: `
  return `${where}${printable(message)}`
}

export async function repair(path: string, options: { readonly out: string }, output: Output): Promise<number> {
  return withJournal(path, async (journal) => {
    const { runs } = await repairJournal(journal, options.out)
    const lost = runs.filter(({ because }) => because !== undefined)
    output.print([
      `${runs.length - lost.length} runs are whole in ${options.out}.`,
      ...lost.map(
        ({ runId, kept, of, because = '' }) => `${printable(runId)}: ${kept} of ${of} events. ${printable(because)}`,
      ),
    ])
    output.document({ from: path, to: options.out, runs })
    return lost.length === 0 ? exitCodes.done : exitCodes.failed
  })
}

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

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
