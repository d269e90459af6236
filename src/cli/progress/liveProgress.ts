// Progress on a terminal: what is worth a line scrolls up, and below it an area shows how the run stands.
import type { Run } from '../../runtime/index.ts'
import { inTone, type Colours } from '../colours.ts'
import { fit } from '../fit.ts'
import { columnsOfTerminal, rowsOfTerminal, type TerminalStream } from '../terminal.ts'
import { lineOf, type Happening, type ToneLine } from './happenings.ts'
import type { Progress } from './progress.ts'
import { createProgressBook } from './progressBook.ts'
import { progressLines } from './progressLines.ts'
import { createRedraw } from './redraw.ts'

const drawEveryMs = 100
const estimateEveryMs = 1000
/** Lines that may stay by one draw; a run that fails by the thousand does not flood the terminal. */
const mostLinesAtOnce = 10

export function showLive(run: Run, stream: TerminalStream, colours: Colours): Progress {
  const book = createProgressBook(run)
  const redraw = createRedraw(stream)
  let pending: ToneLine[] = []
  let said: readonly string[] = []
  let frame = 0
  let estimatedAt = -Infinity
  let isSuspended = false

  const draw = (isLast = false): void => {
    if (isSuspended && !isLast) return
    const now = Date.now()
    const estimateAnew = now - estimatedAt >= estimateEveryMs
    const columns = columnsOfTerminal(stream)
    const model = book.model(now, { estimateAnew })
    // An estimate that is dear (a very large plan) is made as much more rarely.
    if (estimateAnew) estimatedAt = now + Math.min(4000, 20 * (Date.now() - now))
    const above = [...staying(pending, columns, colours), ...said.map((line) => fit(line, columns))]
    pending = []
    said = []
    const area = isLast ? [] : progressLines(model, { columns, rows: rowsOfTerminal(stream), colours, frame: frame++ })
    redraw.draw(area, above)
  }

  const transitions = run.transitions().subscribe((transition) => {
    pending.push(
      ...book
        .take(transition)
        .filter(isLoud)
        .flatMap((happening) => lineOf(happening) ?? []),
    )
  })
  const progress = run.progress.subscribe((told) => {
    book.tell(told)
  })
  const timer = setInterval(draw, drawEveryMs)
  return {
    say(lines) {
      said = [...said, ...lines]
      draw()
    },
    suspend() {
      draw()
      isSuspended = true
      redraw.close()
    },
    resume() {
      isSuspended = false
      estimatedAt = -Infinity // much may have come to pass meanwhile
      draw()
    },
    close() {
      clearInterval(timer)
      transitions.unsubscribe()
      progress.unsubscribe()
      if (pending.length > 0 || said.length > 0) draw(true)
      redraw.close()
    },
  }
}

/** On a live screen the area tells of successes; lines stay for changes of the plan, failures, and what is given up. */
function isLoud(happening: Happening): boolean {
  if (happening.type !== 'step') return true
  const { status, failure } = happening.report
  return status !== 'succeeded' && status !== 'cancelled' && (status !== 'skipped' || failure !== undefined)
}

function staying(lines: readonly ToneLine[], columns: number, colours: Colours): string[] {
  const shown = lines.length <= mostLinesAtOnce ? lines : lines.slice(0, mostLinesAtOnce - 1)
  const more = lines.length - shown.length
  return [
    ...shown.map(({ tone, mark, text }) => `${inTone(colours, tone, mark)} ${fit(text, columns - 2)}`),
    ...(more > 0 ? [colours.dim(fit(`  … and ${more} more like these`, columns))] : []),
  ]
}
