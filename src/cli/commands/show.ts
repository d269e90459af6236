// `planloom show`: one run of a journal, as it is or as it was after some event.
import { renderTree } from '../../plan/index.ts'
import { isOpenRequest, readRun, type Replay } from '../../runtime/index.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { runMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'
import { questionLines, requestLines } from '../waitingLines.ts'
import { replayedRun, revisionLines, summaryDocument, summaryLines } from '../summary.ts'

export interface ShowOptions {
  readonly journal: string
  /** Number of the last event to take in. */
  readonly at?: number
}

export async function show(run: string | undefined, options: ShowOptions, output: Output): Promise<number> {
  return withJournal(options.journal, async (journal) => {
    const { runId, events: total } = runMeant(journal, run)
    const { at = total - 1 } = options
    const replayed = await readRun(journal, runId, { at })
    const isLatest = at === total - 1
    const asked = isLatest ? journal.requests(runId).filter(isOpenRequest) : []
    const { state, questions } = replayed
    output.print([
      ...lines(replayed, { at, isLatest }, output),
      ...(isLatest ? separated(questionLines(replayed, output.colours)) : []),
      ...separated(requestLines(asked, Date.now())),
    ])
    output.document({
      ...summaryDocument(replayedRun(replayed), replayed.outcome),
      state,
      at,
      ...(isLatest && { questions, requests: asked }),
    })
    return exitCodes.done
  })
}

function separated(some: readonly string[]): readonly string[] {
  return some.length === 0 ? [] : ['', ...some]
}

function lines(
  replayed: Replay,
  { at, isLatest }: { readonly at: number; readonly isLatest: boolean },
  output: Output,
): string[] {
  const { runId, goal, plan, state, outcome } = replayed
  const run = replayedRun(replayed)
  const moment = isLatest ? '' : `, as it was after event ${at}`
  return [
    `${output.colours.bold('run')}   ${printable(runId)}${moment}`,
    `${output.colours.bold('goal')}  ${printable(goal.text)}`,
    ...(outcome
      ? summaryLines(run, outcome, output.colours, output.columns)
      : ['', `It is ${state}.`, ...standing(replayed), ...revisionLines(run, output.colours)]),
    ...(plan && !outcome ? ['', ...renderTree(plan, { fold: true }).trimEnd().split('\n')] : []),
  ]
}

/** How many steps stand how, and what is known. */
function standing(replayed: Replay): string[] {
  const counts = new Map<string, number>()
  for (const { status } of replayed.ledger()) counts.set(status, (counts.get(status) ?? 0) + 1)
  const steps = [...counts].map(([status, count]) => `${count} ${status.replaceAll('_', ' ')}`)
  const facts = [...replayed.facts()].length
  return [...(steps.length > 0 ? [`  steps: ${steps.join(', ')}`] : []), `  facts: ${facts}`]
}
