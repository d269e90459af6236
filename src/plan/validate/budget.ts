// Whether the budget can suffice: what the steps cost, and how long they take, at least.
import type { Finding } from '../finding.ts'
import { dependenciesOf } from '../references.ts'
import type { Step } from '../schema.ts'
import type { ToolCatalogue } from '../toolDescription.ts'
import type { PlanView } from './planView.ts'
import { problem } from './report.ts'

export interface BudgetLimits {
  /** In the unit of the tools' costs. */
  readonly cost?: number
  /** Wall time of the run. Looked at only with `leastMs`. */
  readonly timeMs?: number
  /** The least time that a step takes, where it is known. */
  readonly leastMs?: (step: Step) => number | undefined
}

export function checkBudget(
  view: PlanView,
  { cost, timeMs, leastMs }: BudgetLimits,
  tools: ToolCatalogue | undefined,
): Finding[] {
  const findings: Finding[] = []
  const least = cost === undefined ? 0 : leastCost(view, tools)
  if (cost !== undefined && least > cost) {
    const message = `The steps cost at least ${least}, and ${cost} may be spent.`
    findings.push(
      problem('BUDGET_TOO_SMALL', ['steps'], undefined, message, 'Raise the limit, or find a cheaper plan.'),
    )
  }
  const longest = timeMs === undefined || leastMs === undefined ? 0 : criticalPathMs(view, leastMs)
  if (timeMs !== undefined && longest > timeMs) {
    const message = `The steps take at least ${longest} ms one after the other, and ${timeMs} ms are allowed.`
    findings.push(
      problem(
        'BUDGET_TOO_SMALL',
        ['steps'],
        undefined,
        message,
        'Raise the limit, or let fewer steps wait for each other.',
      ),
    )
  }
  return findings
}

/** Steps that may be skipped, were given up, or only gather what others gave need not cost anything. */
function mayBeFree({ when, abandoned, forEach, onFailure }: Step): boolean {
  return when !== undefined || abandoned !== undefined || forEach !== undefined || onFailure === 'skip'
}

/** Fields that can make a step free, or its cost unknown: where one cannot be read, nothing is counted. */
const telling = ['when', 'abandoned', 'forEach', 'onFailure', 'after', 'input', 'expanded', 'cost', 'tool', 'goal']

/** What depends on a step that may be skipped may be skipped itself. */
function certainSteps({ byId, unreadOf }: PlanView): ReadonlySet<string> {
  const isFree = new Map<string, boolean>()
  for (const step of dependenciesFirst(byId)) {
    const unread = unreadOf(step)
    const waitsForFree = step.onSkipped !== 'run' && dependenciesOf(step).some((id) => isFree.get(id) !== false)
    isFree.set(step.id, mayBeFree(step) || waitsForFree || telling.some((field) => unread.has(field)))
  }
  return new Set([...isFree].filter(([, free]) => !free).map(([id]) => id))
}

function leastCost(view: PlanView, tools: ToolCatalogue | undefined): number {
  const certain = certainSteps(view)
  let sum = 0
  for (const step of view.byId.values()) {
    if (certain.has(step.id)) sum += step.cost ?? (step.tool === undefined ? 0 : (tools?.get(step.tool)?.cost ?? 0))
  }
  return sum
}

/** @see Kelley & Walker 1959, Critical-Path Planning and Scheduling. */
function criticalPathMs(view: PlanView, leastMs: (step: Step) => number | undefined): number {
  const certain = certainSteps(view)
  const ends = new Map<string, number>()
  let longest = 0
  for (const step of dependenciesFirst(view.byId)) {
    const start = dependenciesOf(step).reduce((latest, id) => Math.max(latest, ends.get(id) ?? 0), 0)
    const isCounted = certain.has(step.id) && view.unreadOf(step).size === 0
    const end = start + (isCounted ? (leastMs(step) ?? 0) : 0)
    ends.set(step.id, end)
    longest = Math.max(longest, end)
  }
  return longest
}

/** Every step after all that it depends on; those that wait for each other are left out. */
function dependenciesFirst(byId: ReadonlyMap<string, Step>): Step[] {
  const steps = [...byId.values()]
  const waiting = new Map<string, number>()
  const users = new Map<string, Step[]>()
  for (const step of steps) {
    const dependencies = dependenciesOf(step).filter((id) => byId.has(id))
    waiting.set(step.id, dependencies.length)
    for (const id of dependencies) {
      const list = users.get(id)
      if (list) list.push(step)
      else users.set(id, [step])
    }
  }
  const order = steps.filter((step) => waiting.get(step.id) === 0)
  for (const step of order) {
    for (const user of users.get(step.id) ?? []) {
      const left = (waiting.get(user.id) ?? 0) - 1
      waiting.set(user.id, left)
      if (left === 0) order.push(user)
    }
  }
  return order
}
