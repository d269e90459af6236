// Steps whose result nobody uses. Said only where the goal names the facts it wants, since only then it is clear what counts;
// and only of steps that leave no trace, since any other is worth doing for its effect.
import type { Finding } from '../finding.ts'
import { dependentsById } from '../graph.ts'
import { dependenciesOf } from '../references.ts'
import { changesSomething, type ToolCatalogue } from '../toolDescription.ts'
import { idOfStep, nameOfStep, unreadId, type PlanView } from './planView.ts'
import { warning } from './report.ts'

export function checkUse(view: PlanView, tools: ToolCatalogue | undefined): Finding[] {
  const { goal, steps, assumptions } = view
  if (tools === undefined || goal?.want === undefined || goal.want.length === 0) return []
  if (mayBeUsedUnseen(view, tools)) return []
  const dependents = dependentsById(steps.map(({ step }) => step))
  const used = new Set(
    [...goal.want, ...assumptions.map(({ assumption }) => assumption)].map(({ fact }) => nameOf(fact)),
  )
  for (const { step } of steps) {
    if (step.goal !== undefined) return [] // a sub-plan may use any fact
    const tool = step.tool === undefined ? undefined : tools.get(step.tool)
    if (tool === undefined) continue
    for (const { fact } of [...tool.requires, ...Object.values(tool.needs)]) used.add(nameOf(fact))
  }
  return steps.flatMap((placed) => {
    const { step, index, unread } = placed
    const tool = step.tool === undefined ? undefined : tools.get(step.tool)
    if (tool === undefined || changesSomething(tool.effects)) return []
    if (step.abandoned !== undefined || step.expect !== undefined || step.approval !== undefined) return []
    if (quiet.some((field) => unread.has(field))) return []
    if ((dependents.get(step.id)?.length ?? 0) > 0) return []
    const gifts = Object.keys(tool.gives)
    if (gifts.length === 0 || gifts.some((fact) => used.has(nameOf(fact)))) return []
    const message = `Nobody uses what ${nameOfStep(placed).replace(/^S/, 's')} gives (${gifts.join(', ')}), and the goal does not want it.`
    return [warning('STEP_UNUSED', ['steps', index], idOfStep(placed), message, 'Refer to its output, or take it out.')]
  })
}

/** Fields that make a step worth doing for itself. */
const quiet = ['abandoned', 'expect', 'approval']
/** Fields that lead to other steps, or to the tool that says which facts are needed. */
const links = ['id', 'after', 'input', 'when', 'forEach', 'expanded', 'tool', 'goal']

/** Whether there is something in the plan that cannot be read or followed, and may use any step. */
function mayBeUsedUnseen(view: PlanView, tools: ToolCatalogue): boolean {
  if (view.unread.size > 0 || view.isAnyId || view.mistakes.size > 0 || view.guessedIds.size > 0) return true
  if (view.doubledIds.size > 0 || view.assumptions.some(({ unread }) => unread.has('fact'))) return true
  return view.steps.some(({ step, unread }) => {
    if (links.some((field) => unread.has(field))) return true
    if (step.tool !== undefined && !tools.has(step.tool)) return true
    return dependenciesOf(step).some((id) => id === unreadId || !view.has(id))
  })
}

/** `format[3]` is about `format`. */
function nameOf(fact: string): string {
  return fact.replace(/\[[\d.]*\]$/, '')
}
