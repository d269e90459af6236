// `planloom events`: what happened in a run, event by event; with `--follow`, as it happens in whatever process has it.
import { setTimeout as wait } from 'node:timers/promises'
import type { JournalEvent } from '../../runtime/index.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { fill, fit } from '../fit.ts'
import { findRun, runMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'

export interface EventsOptions {
  readonly journal: string
  readonly from?: number
  readonly follow?: boolean
}

/** How often a journal is looked at while it is followed. */
const followMs = 200

export async function events(run: string | undefined, options: EventsOptions, output: Output): Promise<number> {
  return withJournal(options.journal, async (journal) => {
    const { runId } = runMeant(journal, run)
    let next = options.from ?? 0
    for (;;) {
      const isOver = findRun(journal, runId)?.reason !== undefined // asked first: what is written until then is read below
      for (const event of journal.read(runId, next)) {
        tell(event, output)
        next = event.seq + 1
      }
      if (!options.follow || isOver) return exitCodes.done
      await wait(followMs)
    }
  })
}

function tell(event: JournalEvent, output: Output): void {
  output.document(event)
  const time = new Date(event.at).toISOString().slice(11, 23)
  const number = String(event.seq).padStart(6)
  const text = `${output.colours.dim(`${number}  ${time}`)}  ${fill(event.type, 18)}`
  output.print([`${text}  ${fit(printable(detailsOf(event)), (output.columns ?? 120) - 42)}`.trimEnd()])
}

/** What an event is about, in one line: what is there of these, in this order. */
function detailsOf(event: JournalEvent): string {
  const { stepId, attempt, failure, because, key, goal, plan, patch, limits, by, reusedFrom, request } =
    event as Details
  const parts = [
    stepId,
    attempt !== undefined && attempt > 1 ? `attempt ${attempt}` : undefined,
    failure?.message,
    because,
    key,
    goal?.text,
    plan && `${plan.steps.length} steps`,
    patch?.because.text,
    limits && JSON.stringify(limits),
    by && `by ${by}`,
    reusedFrom && `output of ${reusedFrom.stepId} in ${reusedFrom.runId}`,
    request !== undefined ? `request ${request}` : undefined,
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

/** Whatever events say of themselves. */
interface Details {
  readonly stepId?: string
  readonly attempt?: number
  readonly failure?: { readonly message: string }
  readonly because?: string
  readonly key?: string
  readonly goal?: { readonly text: string }
  readonly plan?: { readonly steps: readonly unknown[] }
  readonly patch?: { readonly because: { readonly text: string } }
  readonly limits?: object
  readonly by?: string
  readonly reusedFrom?: { readonly runId: string; readonly stepId: string }
  readonly request?: number
}
