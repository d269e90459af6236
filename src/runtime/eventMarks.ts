// What events of a run came to, as far as they do not say it themselves: the planner was asked to amend the plan, another revision
// came of it, an outcome was late.
//
// M1. It is found by taking them through the coordinator, from a snapshot where there is one.
// M2. Where what was before is damaged, nothing is said: the events that are intact can be looked at all the same.
import type { Journal, JournalEvent } from '../journal/journal.ts'
import { CoordinatorFold } from '../machines/coordinatorFold.ts'
import { standingOf } from './readRun.ts'

export interface EventMark {
  /** The planner was asked what to do about troubles. */
  readonly asked?: true
  /** The plan as it was amended from then on; lists that got their items are not meant. */
  readonly revision?: number
  /** It came after the attempt was over, and changed nothing. */
  readonly late?: true
}

/** Looks at the events of a run one by one, in order, from any of them on. */
export class EventMarks {
  readonly #journal: Journal
  readonly #runId: string
  #fold: CoordinatorFold | undefined
  #isLost = false

  constructor(journal: Journal, runId: string) {
    this.#journal = journal
    this.#runId = runId
  }

  async take(event: JournalEvent): Promise<EventMark> {
    if (event.type === 'run.started') {
      this.#fold = new CoordinatorFold(event)
      return {}
    }
    if (this.#fold === undefined) await this.#begin(event.seq - 1)
    if (this.#fold === undefined) return {}
    const before = this.#fold.context
    this.#fold.take(event)
    const { context } = this.#fold
    const isAsked =
      context.eventId === event.id &&
      context.commands.some((command) => command.type === 'plan.request' && command.revision !== undefined)
    const isAmended = context.patches.skip(before.patches.size).some(({ because }) => because.type !== 'expanded')
    const { revision } = context.plan ?? {}
    return {
      ...(isAsked && { asked: true }),
      ...(isAmended && revision !== undefined && { revision }),
      ...(context.late > before.late && { late: true }),
    }
  }

  /** M2 */
  async #begin(seq: number): Promise<void> {
    if (this.#isLost) return
    try {
      this.#fold = new CoordinatorFold(await standingOf(this.#journal, this.#runId, seq))
    } catch {
      this.#isLost = true
    }
  }
}
