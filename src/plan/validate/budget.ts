// Whether the budget can suffice: what the steps cost at least.
import type { Finding } from '../finding.ts'
import type { Plan } from '../schema.ts'
import type { ValidateOptions } from '../validate.ts'
import { problem } from './report.ts'

export function checkBudget(plan: Plan, { limits, tools }: ValidateOptions): Finding[] {
  const most = limits?.cost
  if (most === undefined) return []
  let least = 0
  for (const step of plan.steps) {
    // What may be skipped, or was given up, may cost nothing.
    if (step.when || step.abandoned !== undefined || step.forEach) continue
    least += step.cost ?? (step.tool === undefined ? 0 : (tools?.get(step.tool)?.cost ?? 0))
  }
  if (least <= most) return []
  const message = `The steps cost at least ${String(least)}, and ${String(most)} may be spent.`
  return [problem('BUDGET_TOO_SMALL', ['steps'], undefined, message, 'Raise the limit, or find a cheaper plan.')]
}
