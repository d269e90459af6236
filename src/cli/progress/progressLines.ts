// The lines that show how a run stands: a pure function of the model and the size of the terminal.
//
// P1. No line is wider than the terminal, and there are never more lines than fit on it.
// P2. What others wrote (goal, titles, messages) is printable before it is cut.
import type { StepStatus } from '../../runtime/index.ts'
import type { Colours } from '../colours.ts'
import { duration, durationRange } from '../duration.ts'
import { printable } from '../escape.ts'
import { columnsOf, fill, fit } from '../fit.ts'
import type { Estimate } from './estimate.ts'
import type { ProgressModel, RunningStep } from './progressBook.ts'

export interface Screen {
  readonly columns: number
  readonly rows: number
  readonly colours: Colours
  /** Counts up while the picture moves. */
  readonly frame: number
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Running steps that are listed at the most, however tall the terminal is. */
const mostListed = 12

export function progressLines(model: ProgressModel, screen: Screen): string[] {
  const columns = Math.max(10, screen.columns)
  const head = [titleLine(model, columns, screen), ...countLines(model, columns, screen.colours)]
  const troubles = model.troubles.slice(0, 2).map((text) => troubleLine(text, columns, screen.colours))
  const room = Math.max(0, Math.min(mostListed, screen.rows - head.length - troubles.length - 2))
  return [...head, ...troubles, ...runningLines(model.running, columns, room, screen.colours)].slice(
    0,
    Math.max(1, screen.rows - 1),
  )
}

function titleLine(model: ProgressModel, columns: number, { colours, frame }: Screen): string {
  const right = duration(model.elapsedMs)
  const mark = spinner[frame % spinner.length] ?? ''
  const left = columns - columnsOf(right) - 4
  if (left < 8) return fit(`${mark} ${right}`, columns)
  return `${colours.cyan(mark)} ${colours.bold(fill(printable(model.goal), left))}  ${colours.dim(right)}`
}

/** State, counts, bar and estimate; on a narrow terminal the estimate has a line of its own. */
function countLines(model: ProgressModel, columns: number, colours: Colours): string[] {
  const state = stateInWords(model)
  if (model.total === 0) return [`  ${colours.dim(fit(state, columns - 2))}`]
  const done = countOf(model, ['succeeded', 'skipped', 'abandoned', 'failed', 'cancelled', 'uncertain'])
  const counts = [
    `${done}/${model.total} done`,
    ...said(model.running.length, 'running'),
    ...said(countOf(model, ['failed', 'uncertain']), 'failed'),
    ...said(countOf(model, ['skipped', 'abandoned']), 'given up'),
    ...said(countOf(model, ['backing_off']), 'to try again'),
    ...said(countOf(model, ['waiting', 'ready', 'held']), 'waiting'),
    ...(model.revision > 1 ? [`revision ${model.revision}`] : []),
  ].join(' · ')
  const goesOn = !['stopping', 'paused', 'approving'].includes(model.state)
  const rest = [state, goesOn ? estimateInWords(model.estimate) : ''].filter((text) => text !== '').join(' · ')
  const bar = barOf(done / model.total, 16)
  const after = rest === '' ? '' : ` · ${rest}`
  if (columnsOf(counts + after) + 20 <= columns) return [`  ${colours.green(bar)}  ${counts}${colours.dim(after)}`]
  const first = columns < 60 ? fit(counts, columns - 2) : `${colours.green(bar)}  ${fit(counts, columns - 20)}`
  return [`  ${first}`, ...(rest === '' ? [] : [`  ${colours.dim(fit(rest, columns - 2))}`])]
}

function stateInWords({ state, total }: ProgressModel): string {
  switch (state) {
    case 'planning':
      return total === 0 ? 'planning' : 'still planning'
    case 'approving':
      return 'waiting for approval'
    case 'replanning':
      return 'replanning'
    case 'paused':
      return 'paused'
    case 'stopping':
      return 'stopping'
    case 'dispatching':
    case 'awaiting':
      return ''
    case 'completed':
    case 'failed':
    case 'cancelled':
      return state
  }
}

/** `20–40 s left`, with `or more` where not everything is known; or why nothing can be said. */
export function estimateInWords(estimate: Estimate): string {
  if (estimate.type === 'range') {
    const range = durationRange(estimate.lowMs, estimate.highMs)
    return `${range} left${estimate.orMore ? ', or more' : ''}`
  }
  return estimate.because === 'person' ? 'waiting for an answer' : 'estimating…'
}

function troubleLine(text: string, columns: number, colours: Colours): string {
  return colours.yellow(fit(`  ↻ asking the planner: ${printable(text)}`, columns))
}

function runningLines(running: readonly RunningStep[], columns: number, room: number, colours: Colours): string[] {
  if (running.length === 0 || room === 0) return []
  const listed = running.length <= room ? running : running.slice(0, Math.max(1, room - 1))
  const idColumns = Math.min(Math.max(...listed.map(({ id }) => columnsOf(id))), Math.floor(columns / 3))
  const lines = listed.map((step) => runningLine(step, columns, idColumns, colours))
  const more = running.length - listed.length
  return more > 0 && room > 1 ? [...lines, colours.dim(fit(`  … and ${more} more`, columns))] : lines
}

function runningLine(step: RunningStep, columns: number, idColumns: number, colours: Colours): string {
  const { progress } = step
  const share =
    progress?.done === undefined ? '' : `${progress.done}${progress.total === undefined ? '' : `/${progress.total}`}`
  const tried = step.attempt > 1 ? `attempt ${step.attempt}` : ''
  const right = [tried, share, duration(step.elapsedMs)].filter((text) => text !== '').join('  ')
  const id = fill(step.id, idColumns)
  const left = columns - idColumns - columnsOf(right) - 7
  if (left < 4) return fit(`  ▸ ${fit(step.id, Math.max(4, columns - columnsOf(right) - 6))}  ${right}`, columns)
  const text = [step.title === step.id ? '' : step.title, progress?.text ?? progress?.log ?? '']
    .filter((part) => part !== '')
    .join(': ')
  return `  ▸ ${id} ${colours.dim(fill(printable(text), left))}  ${right}`
}

function barOf(share: number, columns: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * columns)
  return '█'.repeat(full) + '░'.repeat(columns - full)
}

function countOf({ counts }: ProgressModel, statuses: readonly StepStatus[]): number {
  return statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
}

function said(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}`]
}
