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
import type { Run } from './run.ts'
import { RunHandle } from './runHandle.ts'
import { RunRecord } from './runRecord.ts'
import type { Parent } from './subRuns.ts'

export interface LiveRunsOptions {
  /** What every run of the runtime is carried out with. */
  readonly means: Omit<RunMeans, 'run' | 'planner'>
  readonly journalLimit: JournalLimit
  readonly keepRuns: number
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
}

export class LiveRuns {
  readonly #options: LiveRunsOptions
  readonly #handles = new Map<string, RunHandle>()
  readonly #live = new Map<string, LiveRun>()
  /** Journals of runs that are over, being closed. */
  readonly #closings = new Set<Promise<void>>()
  readonly #over: string[] = []
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
    const handle = new RunHandle(run, host, record, { tools, executors: rolesOf(executors), readAnswer })
    const inbox = new Inbox(handle, journal)
    const launched: LiveRun = { run, planner: subPlanner, host, handle }
    this.#handles.set(runId, handle)
    this.#live.set(runId, launched)
    void record.result.then(() => {
      this.#live.delete(runId)
      this.#keep(runId)
      const closing = closeJournal(journal)
      this.#closings.add(closing)
      void closing.then(() => this.#closings.delete(closing))
    })
    createActor(host.logic).start()
    inbox.open()
    return launched
  }

  /** Cancels a run when a signal fires. */
  follow({ host, handle }: LiveRun, signal: AbortSignal, because: string): void {
    const cancel = (): void => {
      this.#cancel(host, because)
    }
    if (signal.aborted)
      cancel() // by what the run has begun meanwhile
    else void handle.result.then(onAbort(signal, cancel))
  }

  async close(mode: 'cancel' | 'wait'): Promise<void> {
    // While it waits, what is live may begin sub-runs.
    while (this.#live.size > 0) {
      const now = [...this.#live.values()]
      if (mode === 'cancel') for (const { host } of now) this.#cancel(host, 'the runtime was closed')
      await Promise.all(now.map(({ handle }) => handle.result))
    }
    await Promise.all(this.#closings)
  }

  #cancel(host: RunHost, because: string): void {
    this.#cascade(() => {
      host.submit({ type: 'run.cancel', because })
    })
  }

  /** Keeps a run that is over, and lets go of the one that has been over for longest. */
  #keep(runId: string): void {
    this.#over.push(runId)
    if (this.#over.length > this.#options.keepRuns) this.#handles.delete(this.#over.shift() ?? '')
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
