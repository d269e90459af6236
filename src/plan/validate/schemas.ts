// The JSON Schemas that a plan brings along must be usable themselves.
import type { Finding } from '../finding.ts'
import type { JsonSchema } from '../json.ts'
import { findSchemaProblem } from '../jsonSchemaCheck.ts'
import type { Plan } from '../schema.ts'
import { problem } from './report.ts'

export function checkSchemas(plan: Plan): Finding[] {
  const findings: Finding[] = []
  const checked = new Map<JsonSchema, string | undefined>()
  const check = (schema: JsonSchema | undefined, place: readonly (string | number)[], stepId?: string): void => {
    if (schema === undefined) return
    if (!checked.has(schema)) checked.set(schema, findSchemaProblem(schema))
    const trouble = checked.get(schema)
    if (trouble === undefined) return
    findings.push(problem('SCHEMA_INVALID', place, stepId, `Not a usable JSON Schema: ${trouble}.`, 'Write a JSON Schema of draft 2020-12.'))
  }
  for (const [index, step] of plan.steps.entries()) {
    check(step.expect, ['steps', index, 'expect'], step.id)
    check(step.when?.is, ['steps', index, 'when', 'is'], step.id)
  }
  for (const [index, assumption] of plan.assumptions.entries()) check(assumption.is, ['assumptions', index, 'is'])
  for (const [index, wanted] of (plan.goal.want ?? []).entries()) check(wanted.is, ['goal', 'want', index, 'is'])
  return findings
}
