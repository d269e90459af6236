// What happens in a run that is worth a line of its own, and that line.
import type { RunState, StepReport } from '../../runtime/index.ts'
import { counted } from '../counted.ts'
import { duration } from '../duration.ts'
import { printable } from '../escape.ts'
import { operationsInShort, type Revision } from './revisions.ts'

export type Happening =
  | { readonly type: 'planned'; readonly steps: number; readonly planner: string }
  | ({ readonly type: 'revision' } & Revision)
  | {
      readonly type: 'step'
      readonly id: string
      readonly title: string
      readonly report: StepReport
      readonly ms: number | undefined
    }
  /** A step that is out, as one of a model, asks a person something; and what came of it. */
  | { readonly type: 'asked'; readonly id: string; readonly text: string }
  | { readonly type: 'answered'; readonly id: string; readonly by: string | undefined; readonly failure?: string }
  | { readonly type: 'state'; readonly from: RunState; readonly to: RunState }

export type Tone = 'good' | 'bad' | 'change' | 'quiet'

/** A line without its colours, and not yet cut to any width. */
export interface ToneLine {
  readonly tone: Tone
  readonly mark: string
  readonly text: string
}

/** The line for a happening; undefined where there is nothing to say. What others wrote in it is printable. */
export function lineOf(happening: Happening): ToneLine | undefined {
  switch (happening.type) {
    case 'planned': {
      const steps = counted(happening.steps, 'step')
      return { tone: 'change', mark: '◆', text: `planned ${steps} (${printable(happening.planner)})` }
    }
    case 'revision':
      return revisionLine(happening)
    case 'step':
      return stepLine(happening.id, happening.title, happening.report, happening.ms)
    case 'asked':
      return { tone: 'change', mark: '?', text: `${happening.id} asks: ${printable(happening.text)}` }
    case 'answered':
      return answeredLine(happening)
    case 'state':
      return stateLine(happening.from, happening.to)
  }
}

function revisionLine(change: Revision): ToneLine | undefined {
  const { because } = change
  const revision = `revision ${change.revision}${operationsInShort(change)}`
  const text = printable(because.text)
  switch (because.type) {
    case 'trouble':
      return { tone: 'change', mark: '↻', text: `replanned, ${revision}: ${text}` }
    case 'expanded': {
      // A planner that elaborates answers to what the coordinator has told just before.
      const isAnswer = change.by !== undefined && change.by.planner !== 'coordinator'
      return {
        tone: 'change',
        mark: '◆',
        text: `${revision}: ${isAnswer ? 'planned for each item, since ' : ''}${text}`,
      }
    }
    case 'edited':
      return { tone: 'change', mark: '✎', text: `edited, ${revision}: ${text}` }
    case 'forked':
      return { tone: 'change', mark: '◆', text: `forked, ${revision}: ${text}` }
    case 'first':
    case 'streamed':
      return undefined
  }
}

function stepLine(id: string, title: string, report: StepReport, ms: number | undefined): ToneLine | undefined {
  const name = title === '' || title === id ? id : `${id}  ${printable(title)}`
  const took = ms === undefined ? '' : `  ${duration(ms)}`
  const failure = report.failure ? `: ${printable(report.failure.message)}` : ''
  const cause = report.causedBy === undefined || report.causedBy === id ? '' : ` because of ${report.causedBy}`
  switch (report.status) {
    case 'succeeded':
      return { tone: 'good', mark: '✓', text: `${name}${report.reusedFrom ? reusedInWords(report.reusedFrom) : took}` }
    case 'failed':
      return { tone: 'bad', mark: '✗', text: `${name} failed${cause}${failure}` }
    case 'backing_off':
      return {
        tone: 'change',
        mark: '↺',
        text: `${name} will be tried again (attempt ${report.attempt} failed)${failure}`,
      }
    case 'uncertain':
      return { tone: 'bad', mark: '?', text: `${name}: whether it was done is uncertain${failure}` }
    case 'abandoned':
      return { tone: 'change', mark: '⊘', text: `${name} abandoned${cause}` }
    case 'skipped':
      return { tone: 'quiet', mark: '–', text: `${name} skipped${cause}${failure}` }
    case 'cancelled':
      return { tone: 'quiet', mark: '–', text: `${name} cancelled` }
    case 'waiting':
    case 'ready':
    case 'held':
    case 'running':
      return undefined
  }
}

function answeredLine({ id, by, failure }: Extract<Happening, { readonly type: 'answered' }>): ToneLine {
  if (failure !== undefined) return { tone: 'bad', mark: '?', text: `${id} got no answer: ${printable(failure)}` }
  return { tone: 'change', mark: '▸', text: `${id} was answered${by === undefined ? '' : ` by ${printable(by)}`}` }
}

function reusedInWords({ runId, stepId }: NonNullable<StepReport['reusedFrom']>): string {
  return `  (output of ${printable(stepId)} in ${printable(runId)})`
}

function stateLine(from: RunState, to: RunState): ToneLine | undefined {
  if (to === 'paused') return { tone: 'change', mark: '‖', text: 'paused: nothing new is started' }
  if (to === 'stopping') return { tone: 'change', mark: '■', text: 'stopping' }
  if (to === 'approving') return { tone: 'change', mark: '?', text: 'the plan waits for approval' }
  if (from === 'paused') return { tone: 'change', mark: '▸', text: 'resumed' }
  return undefined
}
