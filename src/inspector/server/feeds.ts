// The feeds of the runs of a runtime: made when somebody first asks for a run, and let go of with the run.
import type { Runtime } from '../../runtime/index.ts'
import { RunFeed } from '../feed/runFeed.ts'

export class Feeds {
  readonly #runtime: Pick<Runtime, 'runs'>
  readonly #feeds = new Map<string, RunFeed>()

  constructor(runtime: Pick<Runtime, 'runs'>) {
    this.#runtime = runtime
  }

  /** `undefined` where the runtime has no such run, or has let go of it. */
  find(runId: string): RunFeed | undefined {
    const run = this.#runtime.runs.find(({ id }) => id === runId)
    const known = this.#feeds.get(runId)
    if (known !== undefined && known.run === run) return known
    known?.close()
    this.#feeds.delete(runId)
    if (run === undefined) return undefined
    const feed = new RunFeed(run)
    this.#feeds.set(runId, feed)
    return feed
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed.close()
    this.#feeds.clear()
  }
}
