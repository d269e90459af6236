// Steps whose result nobody uses. Said only where the goal names the facts it wants, since then it is clear what counts.
import type { Finding } from '../finding.ts'
import { dependentsById } from '../graph.ts'
import type { Plan } from '../schema.ts'
import type { ValidateOptions } from '../validate.ts'
import { warning } from './report.ts'

export function checkUse(plan: Plan, { tools }: ValidateOptions): Finding[] {
  const wanted = new Set(plan.goal.want?.map(({ fact }) => nameOf(fact)))
  if (wanted.size === 0 || !tools) return []
  const dependents = dependentsById(plan.steps)
  const assumed = new Set(plan.assumptions.map(({ fact }) => nameOf(fact)))
  const findings: Finding[] = []
  for (const [index, step] of plan.steps.entries()) {
    const tool = step.tool === undefined ? undefined : tools.get(step.tool)
    if (!tool || tool.effects === 'write' || tool.effects === 'external') continue
    if (step.abandoned !== undefined || (dependents.get(step.id)?.length ?? 0) > 0) continue
    const gifts = Object.keys(tool.gives)
    if (gifts.length === 0 || gifts.some((fact) => wanted.has(fact) || assumed.has(fact))) continue
    const message = `Nobody uses what step "${step.id}" gives (${gifts.join(', ')}), and the goal does not want it.`
    findings.push(warning('STEP_UNUSED', ['steps', index], step.id, message, 'Refer to its output, or take it out.'))
  }
  return findings
}

/** `format[3]` is about `format`. */
function nameOf(fact: string): string {
  return fact.replace(/\[[\d.]*\]$/, '')
}
