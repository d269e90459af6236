// Shape: fields, types, ids, and how large a plan may be.
import { z } from 'zod'
import type { Finding } from '../finding.ts'
import { deepFreeze } from '../freeze.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { readJsonValue } from '../jsonValue.ts'
import { planLimits, planSchema, stepSchema, type Plan } from '../schema.ts'
import { findingsOf } from './issues.ts'
import { planView, type PlacedStep, type PlanView } from './planView.ts'
import { problem } from './report.ts'

export interface ShapeCheck {
  /** The plan with its defaults filled in, frozen; `undefined` when its shape is wrong. */
  readonly plan: Plan | undefined
  /** As much of it as could be read. */
  readonly view: PlanView
  readonly findings: readonly Finding[]
}

const headSchema = planSchema.extend({ steps: z.array(z.unknown()) })
const largest = { maxBytes: 500_000_000, maxDepth: 200 } as const
const nothing = planView(undefined, [], [], new Set())

export function checkShape(value: unknown, mostSteps: number = planLimits.steps): ShapeCheck {
  const refuse = (finding: Finding): ShapeCheck => ({ plan: undefined, view: nothing, findings: [finding] })
  const given = isRecord(value) ? value.steps : undefined
  if (Array.isArray(given) && given.length > mostSteps) {
    const hint = 'Split the work into sub-goals, go over a list with "forEach", or raise the limit.'
    const message = `The plan has ${given.length} steps, and ${mostSteps} are allowed.`
    return refuse(problem('PLAN_TOO_LARGE', ['steps'], undefined, message, hint))
  }
  const read = readJsonValue(value, largest)
  if ('failure' in read) {
    const code = read.failure.code === 'OUTPUT_NOT_JSON' ? 'PLAN_SHAPE' : 'PLAN_TOO_LARGE'
    return refuse({
      code,
      severity: 'error',
      path: read.failure.path,
      message: read.failure.message,
      hint: read.failure.hint,
    })
  }
  if (!isJsonObject(read.value)) {
    return refuse(problem('PLAN_SHAPE', [], undefined, 'A plan is an object.', 'Give it "id", "goal" and "steps".'))
  }
  return checkParts(read.value)
}

function checkParts(value: JsonObject): ShapeCheck {
  const head = headSchema.safeParse(value)
  const findings = head.success ? [] : head.error.issues.flatMap((issue) => findingsOf(issue, value))
  const steps: PlacedStep[] = []
  const ids = new Set<string>()
  for (const [index, given] of (Array.isArray(value.steps) ? (value.steps as readonly Json[]) : []).entries()) {
    const parsed = stepSchema.safeParse(given)
    if (parsed.success) steps.push({ step: deepFreeze(parsed.data), index })
    else
      for (const issue of parsed.error.issues)
        findings.push(...findingsOf({ ...issue, path: ['steps', index, ...issue.path] }, value))
    const id = isJsonObject(given) ? given.id : undefined
    if (typeof id !== 'string') continue
    if (ids.has(id)) {
      const message = `There is more than one step with the id "${id}".`
      findings.push(problem('STEP_DUPLICATE', ['steps', index, 'id'], id, message, 'Give each step an id of its own.'))
    }
    ids.add(id)
  }
  const { goal, assumptions } = head.success ? head.data : { goal: undefined, assumptions: [] }
  const view = planView(goal, steps, assumptions, ids)
  const isWhole = head.success && steps.length === head.data.steps.length
  return { plan: isWhole ? { ...head.data, steps: steps.map(({ step }) => step) } : undefined, view, findings }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
