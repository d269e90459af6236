// How a run ended: for people as lines, for programs as one document.
import { dependenciesOf, type Goal, type Json } from '../plan/index.ts'
import type {
  BudgetUsed,
  ModelUse,
  Outcome,
  Replay,
  Run,
  StepReport,
  StepStatus,
  Transition,
} from '../runtime/index.ts'
import type { Colours } from './colours.ts'
import { counted } from './counted.ts'
import { duration } from './duration.ts'
import { printable, printableLines } from './escape.ts'
import { columnsOf, fit } from './fit.ts'
import { createItemNames, type ItemNames } from './progress/itemNames.ts'
import { operationsInShort, revisionsIn, type Revision } from './progress/revisions.ts'
import { wrap } from './wrap.ts'

/** What a summary looks at: a run that is over, or one that was replayed. */
export interface EndedRun extends Pick<Run, 'goal' | 'plan' | 'ledger' | 'output' | 'fact' | 'facts'> {
  readonly id: string
  /** Of a run that holds nothing, nothing. */
  readonly modelUse: () => ModelUse | undefined
  /** The first one included. */
  readonly revisions: readonly Revision[]
}

/** A run, for its summary. */
export function endedRun(run: Run): EndedRun {
  const transitions: Transition[] = []
  run.transitions().subscribe((transition) => transitions.push(transition))
  // A run whose very first event could not be recorded holds nothing.
  if (transitions.length === 0) return { id: run.id, goal: run.goal, plan: undefined, revisions: [], ...nothing }
  return endedAs(run.id, run, transitions)
}

/** A run as it was replayed, for its summary. */
export function replayedRun(replay: Replay): EndedRun {
  return endedAs(replay.runId, replay, replay.transitions)
}

function endedAs(id: string, run: Run | Replay, transitions: readonly Transition[]): EndedRun {
  return {
    id,
    goal: run.goal,
    plan: run.plan,
    revisions: revisionsIn(transitions),
    ledger: () => run.ledger(),
    output: (id) => run.output(id),
    fact: (key) => run.fact(key),
    facts: () => run.facts(),
    modelUse: () => run.modelUse(),
  }
}

const nothing: Pick<EndedRun, 'ledger' | 'output' | 'fact' | 'facts' | 'modelUse'> = {
  ledger: () => [],
  output: () => undefined,
  fact: () => undefined,
  facts: () => [],
  modelUse: () => undefined,
}
const mostListed = 20
const longestSaying = 4_000

/** @param columns width of the terminal, where there is one: longer lines are broken between words. */
export function summaryLines(run: EndedRun, outcome: Outcome, colours: Colours, columns?: number): string[] {
  const lines = [
    '',
    headline(outcome, colours),
    ...hintLines(run, outcome, colours),
    `  ${countsInWords(outcome.counts)}${reusedInWords(run)}`,
    `  ${usageInWords(outcome.usage, outcome.revision)}`,
    ...modelLines(run),
    ...(outcome.cycle ? [`  what repeats: ${outcome.cycle.map(printable).join(' → ')}`] : []),
    ...troubleLines(run, colours),
    ...revisionLines(run, colours),
    ...resultLines(run, colours, columns ?? 120),
    ...sayingLines(run, colours),
  ]
  return columns === undefined ? lines : lines.flatMap((line) => wrap(line, columns))
}

/** The same as one JSON value; the steps in the order of the plan, those of former revisions last. */
export function summaryDocument(run: EndedRun, outcome: Outcome | undefined): object {
  const steps = run.plan?.steps ?? []
  const reports = new Map([...run.ledger()].map((report) => [report.id, report]))
  const current = steps.flatMap(({ id, title, tool }) => {
    const report = reports.get(id)
    return report ? [{ ...report, title, tool }] : []
  })
  for (const { id } of steps) reports.delete(id)
  return {
    runId: run.id,
    goal: run.goal,
    outcome,
    plan: run.plan,
    revisions: run.revisions,
    steps: [...current, ...reports.values()],
    facts: Object.fromEntries([...run.facts()].map(({ key, value }) => [key, value])),
    ...modelDocument(run),
  }
}

export function headline({ status, reason, message }: Outcome, colours: Colours): string {
  const words = reason === 'done' || reason === status ? status : `${status} (${reason.replaceAll('_', ' ')})`
  const text = message === '' ? '' : `: ${printable(message)}`
  switch (status) {
    case 'completed':
      return `${colours.green('✓')} ${colours.bold(words)}${text}`
    case 'failed':
      return `${colours.red('✗')} ${colours.bold(words)}${text}`
    case 'cancelled':
      return `${colours.yellow('■')} ${colours.bold(words)}${text}`
  }
}

/** What to do about it; where it is a step's failure, it stands with the step. */
function hintLines(run: EndedRun, { failure }: Outcome, colours: Colours): string[] {
  if (failure?.hint === undefined || brokenSteps(run).some((step) => step.failure?.hint === failure.hint)) return []
  return [`  ${colours.dim('hint')} ${printable(failure.hint)}`]
}

function countsInWords(counts: Outcome['counts']): string {
  const order: readonly StepStatus[] = ['succeeded', 'failed', 'uncertain', 'skipped', 'abandoned', 'cancelled']
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const parts = order.flatMap((status) => (counts[status] ? [`${counts[status]} ${status}`] : []))
  return `${counted(total, 'step')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
}

/** How many took the output of an earlier run, where some did. */
function reusedInWords({ ledger }: Pick<EndedRun, 'ledger'>): string {
  const count = [...ledger()].filter(({ reusedFrom }) => reusedFrom !== undefined).length
  return count === 0 ? '' : ` (${count} with the output of an earlier run)`
}

function usageInWords({ timeMs, replans, plannerCalls, tokens, cost }: BudgetUsed, revisions: number): string {
  return [
    duration(timeMs),
    counted(revisions, 'revision'),
    counted(plannerCalls, 'planner call'),
    ...(replans > 0 ? [counted(replans, 'replanning')] : []),
    ...(tokens > 0 ? [counted(tokens, 'token')] : []),
    ...(cost > 0 ? [`cost ${Number(cost.toPrecision(6))}`] : []),
  ].join(' · ')
}

/** Where models were called: how often, and with how many tokens. */
function modelLines(run: EndedRun): string[] {
  const use = run.modelUse()
  if (use === undefined || use.total.calls === 0) return []
  const { calls, inputTokens, outputTokens, cachedTokens, isEstimated } = use.total
  const cached = cachedTokens > 0 ? `, ${cachedTokens} of them cached` : ''
  const estimated = isEstimated ? ' (partly estimated: a server did not say)' : ''
  const below = [...use.subRuns.values()].reduce((sum, { usage }) => sum + usage.calls, 0)
  const by = `${use.planner.calls} by the planner${below > 0 ? `, ${below} in ${counted(use.subRuns.size, 'sub-run')}` : ''}`
  return [
    `  ${counted(calls, 'model call')}, ${by} · ${inputTokens} tokens in${cached}, ${outputTokens} out${estimated}`,
  ]
}

function modelDocument(run: EndedRun): object {
  const use = run.modelUse()
  if (use === undefined || use.total.calls === 0) return {}
  return {
    models: { ...use, steps: Object.fromEntries(use.steps), subRuns: Object.fromEntries(use.subRuns) },
  }
}

function troubleLines(run: EndedRun, colours: Colours): string[] {
  const broken = brokenSteps(run)
  const names = createItemNames(run)
  const lines = broken.slice(0, mostListed).flatMap((report) => brokenLines(run, report, names, colours))
  const more = broken.length - mostListed
  return section('what went wrong', more > 0 ? [...lines, `… and ${more} more`] : lines, colours)
}

function brokenSteps(run: EndedRun): (StepReport & { readonly id: string })[] {
  return [...run.ledger()].filter(
    ({ status, failure }) => failure !== undefined && status !== 'succeeded' && status !== 'cancelled',
  )
}

function brokenLines(
  run: EndedRun,
  { id, attempt, failure, causedBy, status }: StepReport & { readonly id: string },
  names: ItemNames,
  colours: Colours,
): string[] {
  const title = run.plan?.steps.find((step) => step.id === id)?.title ?? names.nameOf(id)
  const tries = attempt > 1 ? ` after ${attempt} attempts` : ''
  const cause = causedBy === undefined || causedBy === id ? '' : ` (because of ${causedBy})`
  // What the failure hints at is for a run that goes on.
  const hint = status === 'uncertain' ? overAndUncertain : failure?.hint
  return [
    `${colours.red('✗')} ${id}${title === undefined ? '' : `  ${printable(title)}`}${tries}${cause}${failure ? `: ${printable(failure.message)}` : ''}`,
    ...(hint === undefined ? [] : [`    ${colours.dim('hint')} ${printable(hint)}`]),
  ]
}

const overAndUncertain =
  'Find out outside whether it was done. This run is over; planloom fork goes on from a moment of it, with what came of the step.'

/** How the plan changed, with the reasons; lists that got their length are no news. */
export function revisionLines(run: EndedRun, colours: Colours): string[] {
  const names = createItemNames(run)
  const told = run.revisions.filter(({ because }) => because.type === 'trouble' || because.type === 'edited')
  const lines = told
    .slice(0, mostListed)
    .map(
      (told) =>
        `${colours.cyan('↻')} revision ${told.revision}${operationsInShort(told)}: ${printable(names.inText(told.because.text))}`,
    )
  const more = told.length - mostListed
  return section('how the plan changed', more > 0 ? [...lines, `… and ${more} more`] : lines, colours)
}

/** The facts that the goal wants, as far as there are any: a failed run may have some of them. */
function resultLines(run: EndedRun, colours: Colours, columns: number): string[] {
  const lines = wanted(run.goal).map((key) => {
    const found = run.fact(key)
    return found
      ? `${colours.green('✓')} ${printable(key)}  ${shortened(found.value, columns - columnsOf(printable(key)) - 6)}`
      : `${colours.red('✗')} ${printable(key)}  is missing`
  })
  return section('what was wanted', lines, colours)
}

/** What steps that follow instructions have said, and nobody else uses: the answer to a goal in words. */
function sayingLines(run: EndedRun, colours: Colours): string[] {
  const steps = run.plan?.steps ?? []
  const used = new Set(steps.flatMap((step) => [...dependenciesOf(step)]))
  const said = steps.flatMap(({ id, instruction, executor }) => {
    const output = instruction === undefined || executor === 'person' || used.has(id) ? undefined : run.output(id)
    return typeof output === 'string' ? [{ id, output }] : []
  })
  return said.slice(0, mostListed).flatMap(({ id, output }) => {
    const text = output.length > longestSaying ? `${output.slice(0, longestSaying)}…` : output
    return section(id, printableLines(text), colours)
  })
}

function wanted(goal: Goal): string[] {
  return (goal.want ?? []).map(({ fact }) => fact)
}

function shortened(value: Json, columns: number): string {
  return fit(printable(typeof value === 'string' ? value : JSON.stringify(value)), Math.max(20, columns))
}

function section(title: string, lines: readonly string[], colours: Colours): string[] {
  return lines.length === 0 ? [] : ['', colours.bold(title), ...lines.map((line) => `  ${line}`)]
}
