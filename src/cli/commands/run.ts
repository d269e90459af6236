// `planloom run`: carries out a goal or a plan, shows how it goes, and says how it ended.
//
// K1. The first Ctrl-C cancels the run and waits for its clean end; the second ends the process at once.
// K2. An invalid goal or plan runs nothing.
import {
  createRuntime,
  memoryJournal,
  type Outcome,
  type Run,
  type RunLimits,
  type RuntimeOptions,
} from '../../runtime/index.ts'
import type { Plan } from '../../plan/index.ts'
import { createApprovals } from '../approvals.ts'
import type { Colours } from '../colours.ts'
import { exitCodeOfOutcome, exitCodes } from '../exitCodes.ts'
import { listenForInterrupts } from '../interrupts.ts'
import { checkWritable, writeJournal } from '../journalFile.ts'
import { loadWork, type Work, type WorkOptions } from '../loadWork.ts'
import type { Output } from '../output.ts'
import type { Progress } from '../progress/progress.ts'
import { showProgress } from '../progress/showProgress.ts'
import { createQuestions, type Questions } from '../questions.ts'
import { endedRun, summaryDocument, summaryLines } from '../summary.ts'

export interface RunOptions extends WorkOptions {
  /** Steps out at once. */
  readonly concurrency?: number
  readonly timeMs?: number
  readonly replans?: number
  readonly approval?: NonNullable<RuntimeOptions['approval']>
  /** Approve beforehand whatever wants approval. */
  readonly yes?: boolean
  /** By step id. */
  readonly answers?: ReadonlyMap<string, unknown>
  /** File that the journal is written to. */
  readonly journal?: string
  /** With `--json`: every transition as a line, before the document. */
  readonly events?: boolean
  readonly quiet?: boolean
  readonly seed?: number
}

export async function run(file: string, options: RunOptions, output: Output): Promise<number> {
  const work = await loadWork(file, options)
  if (options.journal !== undefined) checkWritable(options.journal)
  let progress: Progress | undefined
  const questions = createQuestions({
    streams: output.streams,
    colours: output.errorColours,
    answers: options.answers ?? new Map(),
    isApproved: options.yes === true,
    takeScreen: (isTaken) => {
      if (isTaken) progress?.suspend()
      else progress?.resume()
    },
  })
  const journal = memoryJournal()
  const runtime = createRuntime({ ...runtimeOptions(work, options), journal, ask: questions.ask })
  try {
    const begun = runtime.start(work.goal ?? (work.plan as Plan)) // the runtime checks what it is given (K2)
    if (options.events && output.isJson) streamTransitions(begun, output)
    if (!options.quiet) progress = showProgress(begun, output)
    const say = (lines: readonly string[]): void => {
      if (progress) progress.say(lines)
      else output.note(lines)
    }
    const outcome = await accompanied(begun, questions, say, output.errorColours)
    progress?.close()
    if (options.journal !== undefined) await writeJournal(options.journal, journal.read(begun.id))
    const ended = endedRun(begun)
    output.print(summaryLines(ended, outcome, output.colours))
    output.document(summaryDocument(ended, outcome))
    return exitCodeOfOutcome(outcome)
  } finally {
    progress?.close()
    await runtime.close()
  }
}

/** Waits for the end of a run; meanwhile Ctrl-C cancels it (K1), and what wants approval is put to a person. */
async function accompanied(run: Run, questions: Questions, say: Progress['say'], colours: Colours): Promise<Outcome> {
  const approvals = createApprovals(run, questions, colours)
  const stopListening = listenForInterrupts({
    once() {
      approvals.close()
      say(['cancelling; Ctrl-C again to stop at once'])
      run.cancel('interrupted', { by: 'terminal' })
    },
    twice() {
      process.exit(exitCodes.cancelled)
    },
  })
  try {
    return await run.result
  } finally {
    approvals.close()
    stopListening()
  }
}

function streamTransitions(run: Run, output: Output): void {
  run.transitions().subscribe((transition) => {
    output.document(transition)
  })
}

function runtimeOptions(work: Work, options: RunOptions): RuntimeOptions {
  const { goal: _goal, plan: _plan, ...chosen } = work
  const limits: Partial<RunLimits> = {
    ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
    ...(options.timeMs !== undefined && { timeMs: options.timeMs }),
    ...(options.replans !== undefined && { replans: options.replans }),
  }
  return {
    ...chosen,
    limits: { ...work.limits, ...limits },
    ...(options.approval && { approval: options.approval }),
    ...(options.seed !== undefined && { seed: options.seed }),
  }
}
