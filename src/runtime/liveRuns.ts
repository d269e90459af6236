// The runs of one runtime: launched, followed while they are alive, kept for a while when they are over.
//
// L1. What is live is found by its id until its result is told; its journal is closed after that.
// L2. Closing lets in what live runs begin meanwhile, and leaves nothing alive.
import type { Planner } from '../actors/planners/planner.ts'
import { onAbort } from '../actors/onAbort.ts'
import type { RunJournal } from '../journal/journal.ts'
import type { RunRequest } from '../journal/requests.ts'
import type { RunStarted } from '../machines/coordinator.messages.ts'
import { createActor } from '../machines/xstate.ts'
import { BoundedRunJournal, isStall, type JournalLimit } from './boundedJournal.ts'
import { createCascade } from './cascade.ts'
import type { RunMeans } from './delivery.ts'
import { rolesOf } from './executors.ts'
import { RunHost, type Recovery } from './host.ts'
import { Inbox } from './inbox.ts'
import { isLeft, leavesNothing, leftWithParent } from './leaving.ts'
import type { Run } from './run.ts'
import { RunHandle } from './runHandle.ts'
import { RunRecord } from './runRecord.ts'
import type { Parent } from './subRuns.ts'

export interface LiveRunsOptions {
  /** What every run of the runtime is carried out with. */
  readonly means: Omit<RunMeans, 'run' | 'planner'>
  readonly journalLimit: JournalLimit
  readonly keepRuns: number
  /** Whether others find in the journal what is left. */
  readonly mayLeave: boolean
}

export interface Launch {
  readonly run: RunStarted
  readonly planner: Planner
  /** Plans for sub-goals: a plan that was given is a plan for its own goal only. */
  readonly subPlanner: Planner
  readonly runJournal: RunJournal
  readonly recovery?: Recovery
  /** What was asked of the run while nobody had it. */
  readonly waiting?: readonly RunRequest[]
}

export interface LiveRun extends Pick<Parent, 'run' | 'planner'> {
  readonly host: RunHost
  readonly handle: RunHandle
  /** Fulfilled when it is over, or was left, and its journal is closed. */
  readonly closed: Promise<void>
}

/** What becomes of live runs when their runtime is closed. */
export type CloseMode = 'cancel' | 'wait' | 'leave'

export class LiveRuns {
  readonly #options: LiveRunsOptions
  readonly #handles = new Map<string, RunHandle>()
  readonly #live = new Map<string, LiveRun>()
  /** Journals of runs that are over, being closed. */
  readonly #closings = new Set<Promise<void>>()
  readonly #over = new Set<string>()
  readonly #cascade = createCascade()

  constructor(options: LiveRunsOptions) {
    this.#options = options
  }

  /** Those that are live, and the latest that are over. */
  get handles(): readonly Run[] {
    return [...this.#handles.values()]
  }

  find(runId: string): LiveRun | undefined {
    return this.#live.get(runId)
  }

  launch({ run, planner, subPlanner, recovery, waiting = [], runJournal }: Launch): LiveRun {
    const { means, journalLimit } = this.#options
    const { runId } = run
    const record = new RunRecord()
    const journal = new BoundedRunJournal(runJournal, journalLimit)
    const onRestored = (): void => {
      inbox.take(waiting)
    }
    const host = new RunHost({
      ...means,
      run,
      recovery: recovery && { ...recovery, onRestored },
      journal,
      planner,
      watch: record,
    })
    const { tools, executors, readAnswer } = means
    const leave = (): Promise<void> => this.#leave(launched)
    const handle = new RunHandle(run, host, record, { tools, executors: rolesOf(executors), readAnswer, leave })
    const inbox = new Inbox(handle, journal, () => host.isLeft)
    const closed = record.ended.then(() => {
      this.#live.delete(runId)
      this.#keep(runId)
      const closing = closeJournal(journal)
      this.#closings.add(closing)
      return closing.then(() => {
        this.#closings.delete(closing)
      })
    })
    const launched: LiveRun = { run, planner: subPlanner, host, handle, closed }
    this.#over.delete(runId)
    this.#handles.set(runId, handle)
    this.#live.set(runId, launched)
    createActor(host.logic).start()
    inbox.open()
    return launched
  }

  /** Cancels a run when a signal fires; a sub-run is left where its parent is. */
  follow({ host, handle, closed }: LiveRun, signal: AbortSignal, because: string): void {
    const stop = (): void => {
      if (handle.parent !== undefined && isLeft(signal.reason)) this.#cascade(() => host.leave())
      else this.#cancel(host, because)
    }
    if (signal.aborted)
      stop() // by what the run has begun meanwhile
    else void closed.then(onAbort(signal, stop))
  }

  async close(mode: CloseMode): Promise<void> {
    // While it waits, what is live may begin sub-runs.
    while (this.#live.size > 0) {
      const now = [...this.#live.values()]
      for (const { host, handle } of now) {
        if (mode === 'cancel') this.#cancel(host, 'the runtime was closed')
        if (mode === 'leave' && handle.parent === undefined) host.leave()
      }
      await Promise.all(now.map(({ closed }) => closed))
    }
    await Promise.all(this.#closings)
  }

  /** @throws `LEAVE_REFUSED` */
  checkLeave(): void {
    if (!this.#options.mayLeave) throw leavesNothing()
  }

  async #leave({ host, handle: { id, parent }, closed }: LiveRun): Promise<void> {
    this.checkLeave()
    if (parent !== undefined) throw leftWithParent(id, parent.runId)
    host.leave()
    await closed
  }

  #cancel(host: RunHost, because: string): void {
    this.#cascade(() => {
      host.submit({ type: 'run.cancel', because })
    })
  }

  /** Keeps a run that is over, and lets go of the one that has been over for longest. */
  #keep(runId: string): void {
    this.#over.add(runId)
    if (this.#over.size <= this.#options.keepRuns) return
    const [oldest = ''] = this.#over
    this.#over.delete(oldest)
    this.#handles.delete(oldest)
  }
}

/** Never rejects: the outcome is told and durable, so nobody else is there to hear it, and it must not take the process down. */
async function closeJournal(journal: BoundedRunJournal): Promise<void> {
  try {
    await journal.close()
  } catch (error) {
    if (isStall(error)) return
    const why = error instanceof Error ? error.message : String(error)
    process.emitWarning(`The journal of run "${journal.runId}" could not be closed: ${why}`, { code: 'JOURNAL_CLOSE' })
  }
}
