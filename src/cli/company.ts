// Keeping a run company: Ctrl-C, people's approval, and errors that nobody caught.
//
// K1. The first Ctrl-C cancels the run and waits for its clean end; the second ends the process at once.
// K2. SIGTERM and SIGHUP (a deploy, a closed terminal) do so too, but leave a run unfinished that can be gone on with from its journal.
// K3. An error that nobody caught is told with the run that it came into, which is then cancelled: nobody knows what it left
//     undone. It ends like any other, with its journal and its summary.
import { defaultLimits, PlanloomError, type Outcome, type Run, type RunRequest } from '../runtime/index.ts'
import { counted } from './counted.ts'
import { createApprovals } from './approvals.ts'
import { listenForCrashes } from './crashes.ts'
import { duration } from './duration.ts'
import { exitCodeOfOutcome, exitCodes } from './exitCodes.ts'
import { errorDocument, errorLines } from './findingLines.ts'
import { listenForInterrupts } from './interrupts.ts'
import { leftDocument, leftLines, type GoOn } from './left.ts'
import type { Output } from './output.ts'
import type { Progress } from './progress/progress.ts'
import type { Questions } from './questions.ts'
import { endedRun, summaryDocument, summaryLines } from './summary.ts'

export interface CompanyOptions {
  /** Without it, nobody is asked for approval. */
  readonly questions?: Questions
  /** Finds a sub-run by its id. @default none is found */
  readonly findRun?: (id: string) => Run | undefined
  readonly output: Output
  readonly progress: Progress | undefined
  /** How long a cancel waits for the steps that are out. */
  readonly graceMs?: number | undefined
  /** File of the run's journal. */
  readonly journal?: string | undefined
  /** How the run is gone on with, where its journal outlives this process. */
  readonly goOn?: GoOn | undefined
  /** What was asked of the run before, and has come to its end as it was gone on with. */
  readonly requests?: readonly RunRequest[] | undefined
}

interface Accompanied {
  /** Undefined where the run was left. */
  readonly outcome: Outcome | undefined
  /** The first error that nobody caught. */
  readonly crash: PlanloomError | undefined
}

/** Waits for the end of a run, and says how it ended.
 *
 * @returns the exit code.
 */
export async function seeThrough(run: Run, options: CompanyOptions): Promise<number> {
  const { output, progress, goOn, requests } = options
  const { outcome, crash } = await accompany(run, options)
  progress?.close()
  if (outcome === undefined) {
    if (goOn) output.print(leftLines(run, goOn, output.colours))
    output.document({ ...(goOn && leftDocument(run, goOn)), requests, ...(crash && errorDocument(crash)) })
    return crash ? exitCodes.failed : exitCodes.left
  }
  const ended = endedRun(run)
  output.print(summaryLines(ended, outcome, output.colours, output.columns))
  output.document({ ...summaryDocument(ended, outcome), requests, ...(crash && errorDocument(crash)) })
  return crash ? exitCodes.failed : exitCodeOfOutcome(outcome)
}

/** Waits for the end of a run, with what K1, K2 and K3 ask for. */
export async function accompany(run: Run, options: CompanyOptions): Promise<Accompanied> {
  const { questions, output, progress, graceMs = defaultLimits.graceMs, findRun = () => undefined, goOn } = options
  const approvals = questions && createApprovals(run, { questions, colours: output.errorColours, findRun })
  let crash: PlanloomError | undefined
  let more = 0
  let isLeaving = false

  const note = (lines: readonly string[]): void => {
    progress?.suspend()
    output.note(lines)
    progress?.resume()
  }
  const cancel = (because: string, by: string): void => {
    approvals?.close()
    if (run.state !== 'stopping') run.cancel(because, { by })
  }

  const stopHearing = listenForCrashes((thrown) => {
    if (crash !== undefined) {
      more++
      return
    }
    crash = uncaught(run, thrown, options)
    note(errorLines(crash, output.errorColours))
    cancel('an error that nobody caught', 'planloom')
  })
  const leave = (): void => {
    approvals?.close()
    isLeaving = true
    process.exitCode = exitCodes.left // also where the terminal is gone, and nobody can be told
    run.leave().catch((error: unknown) => {
      cancel(error instanceof Error ? error.message : String(error), 'planloom')
    })
  }
  const stopListening = listenForInterrupts({
    once(signal) {
      const wait = waitInWords(run, graceMs)
      if (goOn === undefined || signal === 'SIGINT') cancel('interrupted', 'terminal')
      else leave()
      const lines = [
        isLeaving
          ? `leaving it unfinished${wait}; again to stop at once`
          : `cancelling${wait}; Ctrl-C again to stop at once`,
      ]
      if (progress) progress.say(lines)
      else output.note(lines)
    },
    twice() {
      progress?.close()
      if (isLeaving && goOn) {
        output.print(leftLines(run, goOn, output.colours))
        output.document(leftDocument(run, goOn))
        process.exit(exitCodes.left)
      }
      output.document({ ...summaryDocument(endedRun(run), undefined), ...stoppedAtOnce(run) })
      process.exit(exitCodes.cancelled)
    },
  })
  // A run that only waits for people elsewhere has nothing in this process that keeps it alive.
  const alive = setInterval(() => undefined, 60_000)
  try {
    const outcome = await endOf(run)
    if (more > 0) note([`… and ${more} more that nobody caught`])
    return { outcome, crash }
  } finally {
    clearInterval(alive)
    approvals?.close()
    stopListening()
    stopHearing()
  }
}

/** @returns how it ended; undefined where it was left */
async function endOf(run: Run): Promise<Outcome | undefined> {
  try {
    return await run.result
  } catch (error) {
    if (error instanceof PlanloomError && error.code === 'RUN_LEFT') return undefined
    throw error
  }
}

function waitInWords(run: Run, graceMs: number): string {
  const count = runningIds(run).length
  if (count === 0) return ''
  return `: waiting up to ${duration(graceMs).replace('.0 ', ' ')} for ${counted(count, 'step')}`
}

/** What can be said of a run that nobody waits for any more: not how it ended, but that it was broken off. */
function stoppedAtOnce(run: Run): { readonly state: Run['state']; readonly outcome: object } {
  const left = runningIds(run)
  const what = left.length === 0 ? '' : `, while ${left.join(', ')} had not stopped yet`
  const message = `Stopped at once, at the second interrupt${what}.`
  return { state: run.state, outcome: { status: 'cancelled', reason: 'cancelled', message } }
}

function uncaught(run: Run, thrown: unknown, { journal }: CompanyOptions): PlanloomError {
  const words = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  const ids = runningIds(run)
  const running = ids.length === 0 ? '' : `, with ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''} running`
  const record = journal === undefined ? '' : ` What happened so far stands in ${journal}.`
  return new PlanloomError('UNCAUGHT', `Nobody caught ${words}\nIt came into the run ${run.id}${running}.`, {
    hint: `A tool threw outside of its own call: from a timer, an event listener, or a promise that it does not wait for. The run is cancelled.${record}`,
    where: { runId: run.id },
    cause: thrown,
  })
}

function runningIds(run: Run): string[] {
  return [...run.ledger()].filter(({ status }) => status === 'running').map(({ id }) => id)
}
