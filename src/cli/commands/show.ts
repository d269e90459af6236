// `planloom show`: one run of a journal, as it is or as it was after some event.
import { isOpenRequest, readRun, type Replay } from '../../runtime/index.ts'
import { draw } from '../drawing.ts'
import { duration } from '../duration.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { runMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'
import { lossLines, ownership, standingLines } from '../ownerLines.ts'
import { createRunClock } from '../progress/runClock.ts'
import { questionLines, refusedLines, requestLines } from '../waitingLines.ts'
import { replayedRun, revisionLines, summaryDocument, summaryLines } from '../summary.ts'

export interface ShowOptions {
  readonly journal: string
  /** Number of the last event to take in. */
  readonly at?: number
}

export async function show(run: string | undefined, options: ShowOptions, output: Output): Promise<number> {
  return withJournal(options.journal, async (journal) => {
    const summary = runMeant(journal, run)
    const { runId, events: total, lostAfter } = summary
    const { at = total - 1 } = options
    const replayed = await readRun(journal, runId, { at })
    const isLatest = at === total - 1
    const owner = journal.ownerOf(runId)
    const { colours } = output
    const standing = isLatest
      ? standingLines(summary, { owner, journal: options.journal, colours })
      : [`It was ${replayed.state}.`]
    const isLeft = isLatest && owner === undefined
    const requests = isLatest ? journal.requests(runId) : []
    const asked = requests.filter(isOpenRequest)
    const refused = requests.filter((request) => request.refused !== undefined)
    const { state, questions } = replayed
    const timeMs = timeOf(replayed)
    output.print([
      ...lines(replayed, { moment: isLatest ? '' : `, as it was after event ${at}`, standing, isLeft, timeMs }, output),
      ...(isLatest ? [...separated(lossLines(summary, colours)), ...separated(questionLines(replayed, colours))] : []),
      ...separated(requestLines(asked, Date.now())),
      ...separated(refusedLines(refused, Date.now())),
    ])
    output.document({
      ...summaryDocument(replayedRun(replayed), replayed.outcome),
      state,
      at,
      timeMs,
      ...(isLatest && { ...ownership(summary, owner), questions, requests: asked, refused }),
      ...(isLatest && lostAfter !== undefined && { lostAfter }),
    })
    return exitCodes.done
  })
}

function separated(some: readonly string[]): readonly string[] {
  return some.length === 0 ? [] : ['', ...some]
}

interface Standing {
  /** When it is shown, where that is not now. */
  readonly moment: string
  readonly standing: readonly string[]
  readonly isLeft: boolean
  readonly timeMs: number
}

function lines(replayed: Replay, { moment, standing, isLeft, timeMs }: Standing, output: Output): string[] {
  const { runId, goal, plan, outcome } = replayed
  const run = replayedRun(replayed)
  return [
    `${output.colours.bold('run')}   ${printable(runId)}${moment}`,
    `${output.colours.bold('goal')}  ${printable(goal.text)}`,
    ...(outcome
      ? summaryLines(run, outcome, output.colours, output.columns)
      : ['', ...standing, ...countLines(replayed, { isLeft, timeMs }), ...revisionLines(run, output.colours)]),
    ...(plan && !outcome ? ['', ...draw(plan, 'tree', { fold: true })] : []),
  ]
}

/** How long it had taken by its latest event. */
function timeOf({ transitions }: Replay): number {
  const clock = createRunClock()
  for (const { event } of transitions) clock.take(event)
  return clock.elapsedMs(transitions.at(-1)?.at ?? 0)
}

/** How many steps stand how, and what is known. */
function countLines(replayed: Replay, { isLeft, timeMs }: Pick<Standing, 'isLeft' | 'timeMs'>): string[] {
  const counts = new Map<string, number>()
  for (const { status } of replayed.ledger()) counts.set(status, (counts.get(status) ?? 0) + 1)
  const steps = [...counts].map(([status, count]) => `${count} ${status.replaceAll('_', ' ')}`)
  const facts = [...replayed.facts()].length
  return [
    `  time: ${duration(timeMs)}`,
    ...(steps.length > 0 ? [`  steps${isLeft ? ' when it was left' : ''}: ${steps.join(', ')}`] : []),
    `  facts: ${facts}`,
  ]
}
