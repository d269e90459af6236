// The JSON Schemas that a plan brings along must be usable themselves.
import type { Finding } from '../finding.ts'
import type { JsonSchema } from '../json.ts'
import { schemaProblems, type SchemaProblem } from '../schemaProblems.ts'
import type { Goal } from '../schema.ts'
import type { PlanView } from './planView.ts'
import { problem } from './report.ts'

type Place = readonly (string | number)[]

export function checkSchemas({ steps, assumptions, goal }: PlanView): Finding[] {
  const findings: Finding[] = []
  const known = new Map<JsonSchema, readonly SchemaProblem[]>()
  const check = (schema: JsonSchema | undefined, place: Place, stepId?: string): void => {
    if (schema === undefined) return
    const problems = known.get(schema) ?? schemaProblems(schema)
    known.set(schema, problems)
    for (const { path, message } of problems) {
      const hint = 'Write a JSON Schema of draft 2020-12.'
      findings.push(
        problem('SCHEMA_INVALID', place, stepId, `This is not a usable JSON Schema: ${message}.`, hint, path),
      )
    }
  }
  const checkGoal = (of: Goal | undefined, place: Place, stepId?: string): void => {
    for (const [index, wanted] of (of?.want ?? []).entries()) check(wanted.is, [...place, 'want', index, 'is'], stepId)
  }
  for (const { step, index } of steps) {
    check(step.expect, ['steps', index, 'expect'], step.id)
    check(step.when?.is, ['steps', index, 'when', 'is'], step.id)
    checkGoal(step.goal, ['steps', index, 'goal'], step.id)
  }
  for (const [index, assumption] of assumptions.entries()) check(assumption.is, ['assumptions', index, 'is'])
  checkGoal(goal, ['goal'])
  return findings
}
