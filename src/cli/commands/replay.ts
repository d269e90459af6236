// `planloom replay`: tells a run again from its journal, without running anything, and says whether today's code would decide as
// the code did that it was recorded with.
import { existsSync } from 'node:fs'
import { checkReplay, replayJournal, type Replay, type ReplayCheck, type RunEnd } from '../../runtime/index.ts'
import { inTone } from '../colours.ts'
import { duration } from '../duration.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { readJournal } from '../journalFile.ts'
import { runMeant, withJournal } from '../journals.ts'
import { checkEvents, type Output } from '../output.ts'
import { lineOf } from '../progress/happenings.ts'
import { createProgressBook } from '../progress/progressBook.ts'
import { replayedRun, revisionLines, summaryDocument, summaryLines, type EndedRun } from '../summary.ts'

export interface ReplayOptions {
  /** With `--json`: every transition as a line, before the document. */
  readonly events?: boolean
  /** The end only. */
  readonly quiet?: boolean
  readonly journal: string
  /** Take what there is of a file that was cut or changed. */
  readonly unchecked?: boolean
}

/** @param named a file that a run was exported to, or a run of the journal
 * @returns 1 where decisions differ */
export async function replay(named: string, options: ReplayOptions, output: Output): Promise<number> {
  checkEvents(options, output)
  const { events, stood } = existsSync(named)
    ? readJournal(named, options, output)
    : await withJournal(options.journal, (journal) => {
        const summary = runMeant(journal, named)
        return { events: [...journal.read(summary.runId)].slice(0, summary.events), stood: summary }
      })
  const replayed = replayJournal(events)
  const check = checkReplay(events, stood)
  const ended = replayedRun(replayed)
  if (options.events) for (const transition of replayed.transitions) output.document(transition)
  output.print([`${output.colours.bold('goal')}  ${printable(ended.goal.text)}`])
  if (!options.quiet) output.print(storyLines(replayed, ended, output))
  const { outcome, state, transitions } = replayed
  if (outcome) {
    output.print(summaryLines(ended, outcome, output.colours, output.columns))
    output.document({ ...summaryDocument(ended, outcome), replay: check })
  } else {
    output.print(['', `The journal ends while the run is ${state}, after ${transitions.length} events.`])
    output.print(revisionLines(ended, output.colours))
    output.document({ ...summaryDocument(ended, undefined), state, replay: check })
  }
  output.print(['', checkLine(check, output)])
  return check.difference === undefined ? exitCodes.done : exitCodes.failed
}

function checkLine({ compared, comparesEnd, difference }: ReplayCheck, { colours }: Output): string {
  if (difference === undefined) {
    if (compared === 0 && !comparesEnd) return 'What was decided then is not in the record; it cannot be compared.'
    const end = comparesEnd
      ? ', and comes to the same end'
      : ', up to the last one: how the run ended is not in this record'
    return compared === 0
      ? `${colours.green('✓')} comes to the same end; what was decided before that is not in the record`
      : `${colours.green('✓')} decides as it did then, at all of ${compared} events${end}`
  }
  const { seq, then, now, isOverNow, end } = difference
  if (end !== undefined)
    return `${colours.red('✗')} decides otherwise at event ${seq}, the last one: then ${endInWords(end.then)}; today ${endInWords(end.now)}`
  const words = (decisions: readonly string[]): string => (decisions.length === 0 ? 'nothing' : decisions.join(', '))
  const today = isOverNow ? 'the run is over' : words(now)
  return `${colours.red('✗')} decides otherwise at event ${seq}: then ${printable(words(then))}; today ${printable(today)}`
}

function endInWords({ state, reason }: RunEnd): string {
  return `the run was ${state}${reason === undefined ? '' : ` (${reason.replaceAll('_', ' ')})`}`
}

/** What happened, with the time since the start. */
function storyLines({ transitions }: Replay, ended: EndedRun, { colours }: Output): string[] {
  const book = createProgressBook({ ...ended, troubles: [] })
  return transitions.flatMap((transition) =>
    book.take(transition).flatMap((happening) => {
      const line = lineOf(happening)
      const stamp = duration(book.elapsedMs(transition.at)).padStart(8)
      return line ? [`${colours.dim(stamp)} ${inTone(colours, line.tone, line.mark)} ${line.text}`] : []
    }),
  )
}
