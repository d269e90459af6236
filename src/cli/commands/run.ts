// `planloom run`: carries out a goal or a plan, shows how it goes, and says how it ended.
//
// K1. The first Ctrl-C cancels the run and waits for its clean end; the second ends the process at once.
// K2. An invalid goal or plan runs nothing.
import { renderTree } from '../../plan/index.ts'
import { createRuntime, type Outcome, type Run, type RuntimeOptions } from '../../runtime/index.ts'
import { exitCodeOfOutcome, exitCodes } from '../exitCodes.ts'
import { listenForInterrupts } from '../interrupts.ts'
import { loadWork, type Work, type WorkOptions } from '../loadWork.ts'
import type { Output } from '../output.ts'
import { showProgress, type Progress } from '../progress/showProgress.ts'
import { createQuestions, type Questions } from '../questions.ts'
import { summaryDocument, summaryLines } from '../summary.ts'
import { writeJournal } from '../writeJournal.ts'

export interface RunOptions extends WorkOptions {
  /** Steps out at once. */
  readonly concurrency?: number
  readonly timeMs?: number
  readonly replans?: number
  readonly approval?: NonNullable<RuntimeOptions['approval']>
  /** Approve beforehand whatever wants approval. */
  readonly yes?: boolean
  /** By step id. */
  readonly answers: ReadonlyMap<string, unknown>
  /** File that the journal is written to. */
  readonly journal?: string
  /** With `--json`: every transition as a line, before the document. */
  readonly events?: boolean
  readonly quiet?: boolean
  readonly seed?: number
}

export async function run(file: string, options: RunOptions, output: Output): Promise<number> {
  const work = await loadWork(file, options)
  let progress: Progress | undefined
  const questions = createQuestions({
    streams: output.streams,
    colours: output.errorColours,
    answers: options.answers,
    isApproved: options.yes === true,
    takeScreen: (isTaken) => {
      if (isTaken) progress?.suspend()
      else progress?.resume()
    },
  })
  const runtime = createRuntime(runtimeOptions(work, options, questions))
  try {
    const begun = runtime.start(work.plan ?? work.goal)
    if (options.events) streamEvents(begun, output)
    if (!options.quiet) progress = showProgress(begun, screenOf(output))
    const outcome = await accompanied(begun, questions, output)
    progress?.close()
    if (options.journal !== undefined) await writeJournal(runtime, begun.id, options.journal)
    output.print(summaryLines(begun, outcome, output.colours))
    output.document(summaryDocument(begun, outcome))
    return exitCodeOfOutcome(outcome)
  } finally {
    progress?.close()
    await runtime.close()
  }
}

/** Waits for the end of a run; meanwhile Ctrl-C cancels it, and what wants approval is put to a person. */
async function accompanied(run: Run, questions: Questions, output: Output): Promise<Outcome> {
  const over = new AbortController()
  const stopListening = listenForInterrupts({
    once() {
      output.note([output.errorColours.yellow('cancelling; Ctrl-C again to stop at once')])
      run.cancel('interrupted', { by: 'terminal' })
    },
    twice() {
      process.exit(exitCodes.cancelled)
    },
  })
  const approvals = putApprovals(run, questions, output, over.signal)
  try {
    return await run.result
  } finally {
    over.abort()
    approvals.unsubscribe()
    stopListening()
  }
}
