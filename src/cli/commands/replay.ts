// `planloom replay`: tells a run again from its journal, without running anything.
import { replayJournal, type Replay } from '../../runtime/index.ts'
import { inTone } from '../colours.ts'
import { duration } from '../duration.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { readJournal } from '../journalFile.ts'
import { checkEvents, type Output } from '../output.ts'
import { lineOf } from '../progress/happenings.ts'
import { createProgressBook } from '../progress/progressBook.ts'
import { replayedRun, revisionLines, summaryDocument, summaryLines, type EndedRun } from '../summary.ts'

export interface ReplayOptions {
  /** With `--json`: every transition as a line, before the document. */
  readonly events?: boolean
  /** The end only. */
  readonly quiet?: boolean
}

export function replay(file: string, options: ReplayOptions, output: Output): number {
  checkEvents(options, output)
  const replayed = replayJournal(readJournal(file))
  const ended = replayedRun(replayed)
  if (options.events) for (const transition of replayed.transitions) output.document(transition)
  output.print([`${output.colours.bold('goal')}  ${printable(ended.goal.text)}`])
  if (!options.quiet) output.print(storyLines(replayed, ended, output))
  const { outcome, state, transitions } = replayed
  if (outcome) {
    output.print(summaryLines(ended, outcome, output.colours, output.columns))
    output.document(summaryDocument(ended, outcome))
  } else {
    output.print(['', `The journal ends while the run is ${state}, after ${transitions.length} events.`])
    output.print(revisionLines(ended, output.colours))
    output.document({ ...summaryDocument(ended, undefined), state })
  }
  return exitCodes.done
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
