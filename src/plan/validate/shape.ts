// Shape: fields, types, ids, and how large a plan may be.
import type { z } from 'zod'
import type { Finding } from '../finding.ts'
import { isJsonObject } from '../json.ts'
import { planLimits, planSchema, type Plan } from '../schema.ts'
import type { ValidateOptions } from '../validate.ts'
import { problem } from './report.ts'

export function checkShape(value: unknown, options: ValidateOptions): { readonly plan?: Plan; readonly findings: readonly Finding[] } {
  const most = options.limits?.steps ?? planLimits.steps
  if (isJsonObject(value) && Array.isArray(value.steps) && value.steps.length > most) {
    const hint = `Split the work into sub-goals, go over a list with forEach, or raise the limit of ${String(most)}.`
    return { findings: [problem('PLAN_TOO_LARGE', ['steps'], undefined, `The plan has ${String(value.steps.length)} steps.`, hint)] }
  }
  const parsed = planSchema.safeParse(value)
  if (!parsed.success) return { findings: parsed.error.issues.flatMap((issue) => findingsOf(issue, value)) }
  const plan = parsed.data
  return { plan, findings: [...checkIds(plan), ...checkKinds(plan), ...checkDepth(plan)] }
}

function findingsOf(issue: z.core.$ZodIssue, value: unknown): Finding[] {
  const place = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  const stepId = stepIdAt(value, place)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) =>
      problem('PLAN_SHAPE', [...place, key], stepId, `There is no field "${key}" here.`, 'See the plan format for the fields there are; take this one out.'),
    )
  }
  const came = describe(valueAt(value, place))
  return [problem('PLAN_SHAPE', place, stepId, `${issue.message}; got ${came}.`, 'See the plan format for what belongs here.')]
}

function stepIdAt(value: unknown, place: readonly (string | number)[]): string | undefined {
  if (place[0] !== 'steps' || place.length < 2) return undefined
  const step = valueAt(value, place.slice(0, 2))
  return isJsonObject(step) && typeof step.id === 'string' ? step.id : undefined
}

function valueAt(value: unknown, place: readonly (string | number)[]): unknown {
  let at: unknown = value
  for (const part of place) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string | number, unknown>)[part]
  }
  return at
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value) ?? typeof value
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

function checkIds(plan: Plan): Finding[] {
  const findings: Finding[] = []
  const first = new Map<string, number>()
  for (const [index, { id }] of plan.steps.entries()) {
    const before = first.get(id)
    if (before === undefined) first.set(id, index)
    else {
      const message = `Steps ${String(before)} and ${String(index)} have the same id, "${id}".`
      findings.push(problem('STEP_DUPLICATE', ['steps', index, 'id'], id, message, 'Give each step an id of its own.'))
    }
  }
  return findings
}

function checkKinds(plan: Plan): Finding[] {
  const findings: Finding[] = []
  for (const [index, step] of plan.steps.entries()) {
    const kinds = (['tool', 'goal', 'instruction'] as const).filter((kind) => step[kind] !== undefined)
    if (kinds.length === 1) continue
    const message = kinds.length === 0 ? `Step "${step.id}" says nothing to do.` : `Step "${step.id}" has ${kinds.join(' and ')}.`
    findings.push(problem('STEP_KIND', ['steps', index], step.id, message, 'A step has exactly one of "tool", "goal" and "instruction".'))
  }
  return findings
}

function checkDepth(plan: Plan): Finding[] {
  const findings: Finding[] = []
  for (const [index, step] of plan.steps.entries()) {
    if (step.input === undefined || !isDeeperThan(step.input, planLimits.inputDepth)) continue
    const message = `The input of step "${step.id}" is nested deeper than ${String(planLimits.inputDepth)} levels.`
    findings.push(problem('PLAN_TOO_LARGE', ['steps', index, 'input'], step.id, message, 'Flatten it, or hand the value over as the output of a step.'))
  }
  return findings
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1))
}
