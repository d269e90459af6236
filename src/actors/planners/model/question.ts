// What a model planner is asked: the goal, what is known, the limits; with trouble also the plan, how far it is, and what happened.
//
// Q1. What changes least comes first: goal and limits, facts, plan, then ledger, outputs and trouble.
// Q2. Values, texts of errors and everything else that steps or the outside gave stand in fences. The goal is the user's word.
// Q3. However large a plan or its outputs are, a question has a limit: what is left out is named, and can be asked for.
import type { FactReport, Trouble } from '../../../machines/reports.messages.ts'
import { dependenciesOf } from '../../../plan/references.ts'
import type { Goal, Plan, Step } from '../../../plan/schema.ts'
import type { PlanRequest, ReplanRequest } from '../planner.ts'
import { fence } from '../../fence.ts'
import { shorten } from './shorten.ts'

export interface Question {
  readonly text: string
  /** Something was left out that can be asked for. */
  readonly isShortened: boolean
}

/** Most characters of a prompt that each kind of thing takes. */
const room = { facts: 12_000, fact: 1_500, outputs: 16_000, output: 1_500, plan: 60_000, trouble: 8_000 } as const

export function planQuestion(request: PlanRequest): Question {
  const facts = factsInWords(request.facts)
  return {
    text: [goalInWords(request.goal), limitsInWords(request), facts.text, begunInWords(request.begun), planTask]
      .filter((part) => part !== '')
      .join('\n\n'),
    isShortened: facts.isShortened,
  }
}

export function replanQuestion(request: ReplanRequest): Question {
  const facts = factsInWords(request.facts)
  const shown = stepsInView(request)
  const outputs = outputsInWords(request, shown)
  return {
    text: [
      goalInWords(request.goal),
      limitsInWords(request),
      facts.text,
      planInWords(request.plan, shown),
      ledgerInWords(request, shown),
      outputs.text,
      troublesInWords(request.troubles),
      'Say what is to be done about the trouble.',
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    isShortened: true,
  }
}

const planTask = 'Plan it.'

function goalInWords({ text, want, partial }: Goal): string {
  return [
    `# Goal\n\n${text}`,
    ...(want === undefined || want.length === 0
      ? []
      : [`Facts that must be there at the end: ${JSON.stringify(want)}. Facts come from the tools that give them.`]),
    ...(partial === 'allow' ? ['A part of it is worth having, too.'] : []),
  ].join('\n\n')
}

function limitsInWords({ limits }: PlanRequest): string {
  return `# Limits\n\nAt most ${String(limits.steps)} steps; at most ${String(limits.concurrency)} run at once.`
}

function factsInWords(facts: readonly FactReport[]): Question {
  if (facts.length === 0) return { text: '', isShortened: false }
  const lines: string[] = []
  let left: number = room.facts
  let isShortened = false
  for (const [index, { key, value, by }] of facts.entries()) {
    if (left <= 0) {
      lines.push(`… ${String(facts.length - index)} more facts`)
      isShortened = true
      break
    }
    const shown = shorten(value, Math.min(room.fact, left))
    isShortened ||= shown.isShortened
    const line = `${JSON.stringify(key)} (from ${JSON.stringify(by)}): ${shown.text}`
    left -= line.length
    lines.push(line)
  }
  return { text: `# Facts\n\n${fence('facts', lines.join('\n'))}`, isShortened }
}

function begunInWords(begun: readonly Step[] | undefined): string {
  if (begun === undefined || begun.length === 0) return ''
  const lines = begun.map((step) => shorten(step, 4_000).text)
  return `# Steps that have begun\n\nThey are in the plan already and stay as they are. Write only the others; they may refer to these.\n\n${fence('steps', lines.join('\n'))}`
}

/** The steps that are shown as a whole: those of the trouble and around them first, then what is not over, then the rest. */
function stepsInView({ plan, situation, troubles }: ReplanRequest): ReadonlySet<string> {
  const troubled = new Set(troubles.flatMap(({ stepId, assumption }) => [stepId ?? [], assumption?.steps ?? []].flat()))
  const near = new Set<string>()
  for (const step of plan.steps) {
    const needs = dependenciesOf(step)
    if (troubled.has(step.id)) for (const id of needs) near.add(id)
    if (needs.some((id) => troubled.has(id))) near.add(step.id)
  }
  const rank = ({ id }: Step): number => {
    if (troubled.has(id)) return 0
    if (near.has(id)) return 1
    const status = situation.step(id)?.status
    return status === 'waiting' || status === 'ready' || status === 'held' || status === 'failed' ? 2 : 3
  }
  const ranked = plan.steps.map((step) => ({ step, rank: rank(step) })).sort((a, b) => a.rank - b.rank)
  const shown = new Set<string>()
  let left: number = room.plan
  for (const { step } of ranked) {
    left -= JSON.stringify(step).length
    if (left < 0 && shown.size > 0) break
    shown.add(step.id)
  }
  return shown
}

function planInWords({ steps, assumptions, revision }: Plan, shown: ReadonlySet<string>): string {
  const lines = steps.filter(({ id }) => shown.has(id)).map((step) => shorten(step, room.plan).text)
  const left = steps.length - lines.length
  if (left > 0) lines.push(`… ${String(left)} more steps`)
  if (assumptions.length > 0) lines.push(`assumptions: ${shorten(assumptions, 8_000).text}`)
  return `# The plan (revision ${String(revision)})\n\n${fence('plan', lines.join('\n'))}`
}

function ledgerInWords({ plan, situation }: ReplanRequest, shown: ReadonlySet<string>): string {
  const lines: string[] = []
  const others = new Map<string, number>()
  for (const { id } of plan.steps) {
    const report = situation.step(id)
    const status = report?.status ?? 'waiting'
    if (!shown.has(id)) others.set(status, (others.get(status) ?? 0) + 1)
    else lines.push(`${id}: ${status}${report?.causedBy === undefined ? '' : ` because of ${report.causedBy}`}`)
  }
  for (const [status, count] of others) lines.push(`${String(count)} of the steps that are not shown: ${status}`)
  return `# How far it is\n\n${fence('ledger', lines.join('\n'))}`
}

function outputsInWords({ plan, situation }: ReplanRequest, shown: ReadonlySet<string>): Question {
  const lines: string[] = []
  let left: number = room.outputs
  let unseen = 0
  for (const { id } of [...plan.steps].sort((a, b) => Number(shown.has(b.id)) - Number(shown.has(a.id)))) {
    const output = situation.output(id)
    if (output === undefined) continue
    if (left <= 0) {
      unseen += 1
      continue
    }
    const { text, isShortened } = shorten(output, Math.min(room.output, left))
    const line = `${id}${isShortened ? ' (shortened; ask for more)' : ''}: ${text}`
    left -= line.length
    lines.push(line)
  }
  if (unseen > 0) lines.push(`… outputs of ${String(unseen)} more steps; ask for them`)
  if (lines.length === 0) return { text: '', isShortened: false }
  return { text: `# What steps gave\n\n${fence('outputs', lines.join('\n'))}`, isShortened: true }
}

function troublesInWords(troubles: readonly Trouble[]): string {
  const lines = troubles.map(({ type, text, stepId, failure, output, attempts }) =>
    [
      `${type}${stepId === undefined ? '' : ` (${stepId})`}: ${text}`,
      ...(failure === undefined
        ? []
        : [`  ${failure.code}: ${failure.message}${failure.hint ? ` (${failure.hint})` : ''}`]),
      ...(attempts === undefined ? [] : [`  attempts: ${String(attempts)}`]),
      ...(output === undefined ? [] : [`  it gave ${shorten(output, room.output).text}`]),
    ].join('\n'),
  )
  return `# Trouble\n\n${fence('trouble', clip(lines.join('\n')))}`
}

function clip(text: string): string {
  return text.length <= room.trouble ? text : `${text.slice(0, room.trouble)}… (shortened)`
}
