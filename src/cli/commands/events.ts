// `planloom events`: what happened in a run, event by event; with `--follow`, as it happens in whatever process has it.
import { setTimeout as wait } from 'node:timers/promises'
import { EventMarks, type EventMark, type JournalEvent, type RunRequest } from '../../runtime/index.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { fill, fit } from '../fit.ts'
import { findRun, runMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'
import { refusalInWords, requestInWords } from '../waitingLines.ts'

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
    const { from = 0 } = options
    const told = new Set<number>()
    const marks = new EventMarks(journal, runId)
    const hasRefused = journal.requests(runId).some(({ refused }) => refused !== undefined)
    let next = hasRefused ? Math.max(0, from - 1) : from // the one before says since when requests count
    for (;;) {
      const isOver = findRun(journal, runId)?.reason !== undefined // asked first: what is written until then is read below
      const refused = journal.requests(runId).filter((request) => request.refused && !told.has(request.number))
      const tellRefused = (until: number, isShown: boolean): void => {
        while (refused[0] !== undefined && refused[0].at < until) {
          const request = refused.shift()
          if (request === undefined) return
          told.add(request.number)
          if (isShown) tellRefusal(request, output)
        }
      }
      for (const event of journal.read(runId, next)) {
        tellRefused(event.at, event.seq >= from && event.seq > 0)
        if (event.seq >= from) tell(event, await marks.take(event), output)
        next = event.seq + 1
      }
      tellRefused(Infinity, true)
      if (!options.follow || isOver) return exitCodes.done
      await wait(followMs)
    }
  })
}

function tell(event: JournalEvent, mark: EventMark, output: Output): void {
  const { late, ...replan } = mark
  const marks = marksOf(mark)
  output.document({ ...event, ...(Object.keys(replan).length > 0 && { replan }), ...(late && { late }) })
  const { seq, at, type } = event
  const text = [...marks, printable(detailsOf(event))].filter((part) => part !== '').join(' · ')
  output.print([lineOf({ number: String(seq), at, type, text }, output)])
}

/** Before all else, so that they are not cut off: forks are made at such events. */
function marksOf({ asked, revision, late }: EventMark): string[] {
  return [
    ...(revision === undefined ? [] : [`↻ revision ${revision}`]),
    ...(asked ? ['↻ the planner is asked to replan'] : []),
    ...(late ? ['too late to count'] : []),
  ]
}

function lineOf(
  {
    number,
    at,
    type,
    text,
  }: { readonly number: string; readonly at: number; readonly type: string; readonly text: string },
  { colours, columns = 120 }: Output,
): string {
  const time = new Date(at).toISOString().slice(11, 23)
  const head = `${colours.dim(`${number.padStart(6)}  ${time}`)}  ${fill(type, 18)}`
  return `${head}  ${fit(text, columns - 42)}`.trimEnd()
}

/** Of a request that became no event there is its own line, at the time at which it was made. */
function tellRefusal(request: RunRequest, output: Output): void {
  const { number, at, by, command, refused } = request
  if (refused === undefined) return
  output.document({ type: 'request.refused', at, request: number, ...(by !== undefined && { by }), command, refused })
  const text = `${requestInWords(request)} · request ${number} · ${refusalInWords(refused)}`
  output.print([lineOf({ number: '', at, type: 'request.refused', text }, output)])
}

/** What an event is about, in one line: what is there of these, in this order. */
function detailsOf(event: JournalEvent): string {
  if (event.type === 'model.called') return callInWords(event)
  const { stepId, step, attempt, failure, because, key, goal, plan, patch, limits, by, reusedFrom, request } =
    event as Details
  const parts = [
    stepId ?? step?.id,
    attempt !== undefined && attempt > 1 ? `attempt ${attempt}` : undefined,
    event.type === 'step.asked' ? event.text : undefined,
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

function callInWords({ caller, model, usage, code }: Extract<JournalEvent, { type: 'model.called' }>): string {
  const who = 'stepId' in caller ? caller.stepId : 'the planner'
  const tokens = `${usage.inputTokens} tokens in, ${usage.outputTokens} out`
  return [who, model, tokens, ...(code === undefined ? [] : [code])].join(' · ')
}

/** Whatever events say of themselves. */
interface Details {
  readonly stepId?: string
  readonly step?: { readonly id: string }
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
