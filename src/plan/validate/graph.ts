// The graph: dependencies that lead nowhere, steps that wait for each other, and steps that can never run.
import type { Finding } from '../finding.ts'
import { canDoWithout } from '../graph.ts'
import { dependenciesOf, referencesIn } from '../references.ts'
import { findCycles } from './cycles.ts'
import { everythingUnread, idOfStep, nameOfStep, unreadId, type PlacedStep, type PlanView } from './planView.ts'
import { problem, quoted, warning, type Place } from './report.ts'

export function checkGraph(view: PlanView): Finding[] {
  const findings: Finding[] = []
  for (const placed of view.steps)
    findings.push(...checkKind(placed), ...findDangling(placed, view), ...findUnreachable(placed, view))
  findings.push(...checkCycles(view))
  return [...findings, ...checkAssumptions(view)]
}

function checkCycles(view: PlanView): Finding[] {
  const steps = view.steps.filter(({ step }) => view.byId.get(step.id) === step)
  const indexes = new Map(steps.map(({ step, index }) => [step.id, index]))
  const cycles = findCycles(
    steps.map(({ step }) => step),
    view.byId,
  )
  return cycles.map((cycle) => {
    const [first = ''] = cycle
    const way = wayOf(cycle)
    const message =
      cycle.length === 2
        ? `Step ${quoted(first)} waits for itself: ${way}.`
        : `These steps wait for each other: ${way}.`
    return problem(
      'PLAN_CYCLE',
      ['steps', indexes.get(first) ?? 0],
      first,
      message,
      'Take one of these dependencies out.',
    )
  })
}

/** A long cycle is shown by its beginning and its end. */
function wayOf(cycle: readonly string[]): string {
  const left = cycle.length - 10
  const shown = left > 1 ? [...cycle.slice(0, 7), `… ${left} more …`, ...cycle.slice(-3)] : cycle
  return shown.map((id) => (id.length > 60 ? `${id.slice(0, 59)}…` : id)).join(' → ')
}

const kinds = ['tool', 'goal', 'instruction'] as const
const kindHint =
  'Give it one of "tool": "read_file", "goal": {"text": "what is to be reached"} and "instruction": "what a person is to do".'
const toolsHint =
  'Give it an "instruction": what a model is to do with them, in words; or one of them as its "tool", which is called with the "input".'

function checkKind(placed: PlacedStep): Finding[] {
  const { step, index, unread, misnamed } = placed
  if (unread === everythingUnread) return []
  const findings: Finding[] = []
  const given = kinds.filter((kind) => step[kind] !== undefined || (unread.has(kind) && !misnamed.has(kind)))
  if (given.length > 1 || (given.length === 0 && !kinds.some((kind) => misnamed.has(kind)))) {
    const what = given.length === 0 ? 'does not say what to do' : `has ${given.join(' and ')} at once`
    const lack = step.tools === undefined ? kindHint : toolsHint
    const hint = given.length === 0 ? lack : 'Keep one of them, and make a step of its own of each other.'
    findings.push(problem('STEP_KIND', ['steps', index], idOfStep(placed), `${nameOfStep(placed)} ${what}.`, hint))
  } else if (step.tools !== undefined && given.length === 1 && given[0] !== 'instruction') {
    const message = `${nameOfStep(placed)} has "tools", which are what a model may use, and asks none: it has a "${given[0] ?? ''}".`
    const hint = `Take "tools" out, or give it an "instruction" in place of the "${given[0] ?? ''}".`
    findings.push(problem('STEP_KIND', ['steps', index, 'tools'], idOfStep(placed), message, hint))
  }
  if (step.expanded !== undefined && step.forEach === undefined && !unread.has('forEach')) {
    const message = `${nameOfStep(placed)} is marked as expanded, and has no "forEach".`
    const hint = 'Take "expanded" out.'
    findings.push(problem('PLAN_SHAPE', ['steps', index, 'expanded'], idOfStep(placed), message, hint))
  }
  return findings
}

function findDangling(placed: PlacedStep, { has, likeIds }: PlanView): Finding[] {
  const { step, index } = placed
  if (dependenciesOf(step).every(has)) return []
  const findings: Finding[] = []
  const seen = new Set<string>()
  const look = (id: string, ...place: Place): void => {
    if (has(id) || seen.has(id)) return
    seen.add(id)
    const message = `${nameOfStep(placed)} depends on ${quoted(id)}, which is not in the plan.`
    const hint = likeIds.hint(id, 'Name a step of this plan, or add it.', step.id)
    findings.push(problem('STEP_UNKNOWN', ['steps', index, ...place], idOfStep(placed), message, hint))
  }
  if (step.forEach) look(step.forEach.$from, 'forEach', '$from')
  if (step.when && '$from' in step.when.value) look(step.when.value.$from, 'when', 'value', '$from')
  for (const { $from } of step.input === undefined ? [] : referencesIn(step.input)) look($from, 'input')
  for (const [nth, id] of (step.after ?? []).entries()) look(id, 'after', nth)
  return findings
}

/** A step that needs one which was given up, and was not given up with it, will be skipped whatever happens; and so will
 * one whose condition nothing can satisfy. What hangs behind such steps, or behind a cycle, is not listed as well. */
function findUnreachable(placed: PlacedStep, { byId }: PlanView): Finding[] {
  const { step, index, unread } = placed
  if (step.abandoned !== undefined || unread.has('abandoned')) return []
  if (step.when?.is === false) {
    return [
      warning(
        'STEP_UNREACHABLE',
        ['steps', index, 'when', 'is'],
        idOfStep(placed),
        `${nameOfStep(placed)} never runs: nothing satisfies its condition.`,
        'Give "when" a schema that some value fits.',
      ),
    ]
  }
  if (unread.has('onSkipped') || unread.has('expanded')) return []
  const lost = dependenciesOf(step).find((id) => byId.get(id)?.abandoned !== undefined && !canDoWithout(step, id))
  if (lost === undefined) return []
  const message = `${nameOfStep(placed)} never runs: it needs ${quoted(lost)}, which was abandoned.`
  return [
    warning(
      'STEP_UNREACHABLE',
      ['steps', index],
      idOfStep(placed),
      message,
      'Depend on another step, set "onSkipped" to "run", or abandon it, too.',
    ),
  ]
}

function checkAssumptions({ assumptions, has, likeIds }: PlanView): Finding[] {
  const findings: Finding[] = []
  const seen = new Set<string>()
  for (const { assumption, index } of assumptions) {
    if (assumption.id !== unreadId && seen.has(assumption.id)) {
      const message = `There is more than one assumption with the id ${quoted(assumption.id)}.`
      findings.push(
        problem(
          'ASSUMPTION_DUPLICATE',
          ['assumptions', index, 'id'],
          undefined,
          message,
          'Give each assumption an id of its own.',
        ),
      )
    }
    seen.add(assumption.id)
    for (const [nth, id] of assumption.steps.entries()) {
      if (has(id)) continue
      const message = `The assumption ${quoted(assumption.id)} names the step ${quoted(id)}, which is not in the plan.`
      const hint = likeIds.hint(id, 'Name steps of this plan.')
      findings.push(problem('ASSUMPTION_UNKNOWN', ['assumptions', index, 'steps', nth], undefined, message, hint))
    }
  }
  return findings
}
