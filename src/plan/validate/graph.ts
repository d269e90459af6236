// The graph: dependencies that lead nowhere, steps that wait for each other, and steps that can never run.
import type { Finding } from '../finding.ts'
import { canDoWithout } from '../graph.ts'
import { dependenciesOf, isChildOf, referencesIn } from '../references.ts'
import { findCycles } from './cycles.ts'
import type { PlacedStep, PlanView } from './planView.ts'
import { problem, warning, type Place } from './report.ts'

export function checkGraph(view: PlanView): Finding[] {
  const findings: Finding[] = []
  for (const placed of view.steps)
    findings.push(...checkKind(placed), ...findDangling(placed, view), ...findUnreachable(placed, view))
  const indexes = new Map(view.steps.map(({ step, index }) => [step.id, index]))
  for (const cycle of findCycles(
    view.steps.map(({ step }) => step),
    view.byId,
  )) {
    const [first = ''] = cycle
    const message =
      cycle.length === 2
        ? `Step "${first}" waits for itself: ${cycle.join(' → ')}.`
        : `These steps wait for each other: ${cycle.join(' → ')}.`
    findings.push(
      problem('PLAN_CYCLE', ['steps', indexes.get(first) ?? 0], first, message, 'Take one of these dependencies out.'),
    )
  }
  return [...findings, ...checkAssumptions(view)]
}

const kinds = ['tool', 'goal', 'instruction'] as const

function checkKind({ step, index }: PlacedStep): Finding[] {
  const findings: Finding[] = []
  const given = kinds.filter((kind) => step[kind] !== undefined)
  if (given.length !== 1) {
    const what = given.length === 0 ? 'does not say what to do' : `has ${given.join(' and ')} at once`
    const hint = 'Give it exactly one of "tool", "goal" and "instruction".'
    findings.push(problem('STEP_KIND', ['steps', index], step.id, `Step "${step.id}" ${what}.`, hint))
  }
  if (step.expanded !== undefined && step.forEach === undefined) {
    const message = `Step "${step.id}" is marked as expanded, and has no "forEach".`
    findings.push(problem('PLAN_SHAPE', ['steps', index, 'expanded'], step.id, message, 'Take "expanded" out.'))
  }
  return findings
}

function findDangling({ step, index }: PlacedStep, { ids, likeIds }: PlanView): Finding[] {
  if (dependenciesOf(step).every((id) => ids.has(id))) return []
  const findings: Finding[] = []
  const seen = new Set<string>()
  const look = (id: string, ...place: Place): void => {
    if (ids.has(id) || seen.has(id)) return
    seen.add(id)
    const message = `Step "${step.id}" depends on "${id}", which is not in the plan.`
    const hint = likeIds.hint(id, 'Name a step of this plan, or add it.')
    findings.push(problem('STEP_UNKNOWN', ['steps', index, ...place], step.id, message, hint))
  }
  if (step.forEach) look(step.forEach.$from, 'forEach', '$from')
  if (step.when && '$from' in step.when.value) look(step.when.value.$from, 'when', 'value', '$from')
  for (const { $from } of step.input === undefined ? [] : referencesIn(step.input)) look($from, 'input')
  for (const [nth, id] of (step.after ?? []).entries()) look(id, 'after', nth)
  for (const id of dependenciesOf(step)) if (isChildOf(id, step)) look(id, 'expanded')
  return findings
}

/** A step that needs one which was given up, and was not given up with it, will be skipped whatever happens; and so will
 * one whose condition nothing can satisfy. What hangs behind such steps, or behind a cycle, is not listed as well. */
function findUnreachable({ step, index }: PlacedStep, { byId }: PlanView): Finding[] {
  if (step.abandoned !== undefined) return []
  if (step.when?.is === false) {
    return [
      warning(
        'STEP_UNREACHABLE',
        ['steps', index, 'when', 'is'],
        step.id,
        `Step "${step.id}" never runs: nothing satisfies its condition.`,
        'Give "when" a schema that some value fits.',
      ),
    ]
  }
  const lost = dependenciesOf(step).find((id) => byId.get(id)?.abandoned !== undefined && !canDoWithout(step, id))
  if (lost === undefined) return []
  const message = `Step "${step.id}" never runs: it needs "${lost}", which was abandoned.`
  return [
    warning(
      'STEP_UNREACHABLE',
      ['steps', index],
      step.id,
      message,
      'Depend on another step, set "onSkipped" to "run", or abandon it, too.',
    ),
  ]
}

function checkAssumptions({ assumptions, ids, likeIds }: PlanView): Finding[] {
  const findings: Finding[] = []
  const seen = new Set<string>()
  for (const [index, assumption] of assumptions.entries()) {
    if (seen.has(assumption.id)) {
      const message = `There is more than one assumption with the id "${assumption.id}".`
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
      if (ids.has(id)) continue
      const message = `The assumption "${assumption.id}" names the step "${id}", which is not in the plan.`
      const hint = likeIds.hint(id, 'Name steps of this plan.')
      findings.push(problem('ASSUMPTION_UNKNOWN', ['assumptions', index, 'steps', nth], undefined, message, hint))
    }
  }
  return findings
}
