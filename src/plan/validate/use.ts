// Steps whose result nobody uses. Said only where the goal names the facts it wants, since only then it is clear what counts;
// and only of steps that leave no trace, since any other is worth doing for its effect.
import type { Finding } from '../finding.ts'
import { dependentsById } from '../graph.ts'
import type { ToolCatalogue } from '../toolDescription.ts'
import type { PlanView } from './planView.ts'
import { warning } from './report.ts'

export function checkUse({ goal, steps, assumptions }: PlanView, tools: ToolCatalogue | undefined): Finding[] {
  if (tools === undefined || goal?.want === undefined || goal.want.length === 0) return []
  const dependents = dependentsById(steps.map(({ step }) => step))
  const used = new Set([...goal.want, ...assumptions].map(({ fact }) => nameOf(fact)))
  for (const { step } of steps) {
    if (step.goal !== undefined) return [] // a sub-plan may use any fact
    const tool = step.tool === undefined ? undefined : tools.get(step.tool)
    if (tool === undefined) continue
    for (const { fact } of [...tool.requires, ...Object.values(tool.needs)]) used.add(nameOf(fact))
  }
  return steps.flatMap(({ step, index }) => {
    const tool = step.tool === undefined ? undefined : tools.get(step.tool)
    if (tool === undefined || tool.effects === 'write' || tool.effects === 'external') return []
    if (step.abandoned !== undefined || step.expect !== undefined || step.approval !== undefined) return []
    if ((dependents.get(step.id)?.length ?? 0) > 0) return []
    const gifts = Object.keys(tool.gives)
    if (gifts.length === 0 || gifts.some((fact) => used.has(nameOf(fact)))) return []
    const message = `Nobody uses what step "${step.id}" gives (${gifts.join(', ')}), and the goal does not want it.`
    return [warning('STEP_UNUSED', ['steps', index], step.id, message, 'Refer to its output, or take it out.')]
  })
}

/** `format[3]` is about `format`. */
function nameOf(fact: string): string {
  return fact.replace(/\[[\d.]*\]$/, '')
}
