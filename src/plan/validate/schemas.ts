// The JSON Schemas that a plan brings along must be usable themselves.
import type { Finding } from '../finding.ts'
import type { JsonSchema } from '../json.ts'
import { schemaProblems, type SchemaProblem } from '../schemaProblems.ts'
import type { Goal } from '../schema.ts'
import { idOfStep, type PlanView } from './planView.ts'
import { problem } from './report.ts'

type Place = readonly (string | number)[]

export function checkSchemas({ steps, assumptions, goal, badSchemas }: PlanView): Finding[] {
  const findings: Finding[] = []
  const known = new Map<JsonSchema, readonly SchemaProblem[]>()
  const check = (schema: JsonSchema | undefined, place: Place, stepId?: string): void => {
    if (schema === undefined) return
    const problems = known.get(schema) ?? schemaProblems(schema)
    known.set(schema, problems)
    if (problems.length > 0) badSchemas.add(schema)
    for (const { path, message } of problems) {
      const hint = 'Write a JSON Schema of draft 2020-12, as in {"type": "object", "required": ["rows"]}.'
      findings.push(
        problem('SCHEMA_INVALID', place, stepId, `This is not a usable JSON Schema: ${message}.`, hint, path),
      )
    }
  }
  const checkGoal = (of: Goal | undefined, place: Place, stepId?: string): void => {
    for (const [index, wanted] of (of?.want ?? []).entries()) check(wanted.is, [...place, 'want', index, 'is'], stepId)
  }
  for (const placed of steps) {
    const { step, index } = placed
    check(step.expect, ['steps', index, 'expect'], idOfStep(placed))
    check(step.when?.is, ['steps', index, 'when', 'is'], idOfStep(placed))
    checkGoal(step.goal, ['steps', index, 'goal'], idOfStep(placed))
  }
  for (const { assumption, index } of assumptions) check(assumption.is, ['assumptions', index, 'is'])
  checkGoal(goal, ['goal'])
  return findings
}
