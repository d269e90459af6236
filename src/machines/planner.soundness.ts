// Soundness of what a planner proposed: the plan room's checks, as the planner's chart needs them. Only errors count.
import type { z } from 'zod'
import type { Finding } from '../plan/finding.ts'
import type { Json } from '../plan/json.ts'
import { readJsonValue } from '../plan/jsonValue.ts'
import { applyPatch, PatchRefusedError } from '../plan/patch.ts'
import { formatPointer } from '../plan/pointer.ts'
import type { Patch, Plan } from '../plan/schema.ts'
import { validatePlan, type ValidateOptions } from '../plan/validate.ts'

/** Largest answer of a planner: a plan of 100,000 steps has its place in it. */
const mostBytes = 200_000_000

export type Validated = { readonly plan: Plan; readonly errors: readonly [] } | { readonly errors: readonly Finding[] }

/** Checks a whole plan, its shape first. @returns the plan with its defaults filled in, frozen. */
export function validate(draft: unknown, options: ValidateOptions): Validated {
  const { plan, findings } = validatePlan(draft, options)
  return plan === undefined ? { errors: errorsAmong(findings) } : { plan, errors: [] }
}

/** Applies a patch and checks what becomes of the plan. @returns what is wrong with it. */
export function validatePatch(plan: Plan, patch: Patch, options: ValidateOptions): readonly Finding[] {
  try {
    return errorsAmong(validatePlan(applyPatch(plan, patch), options).findings)
  } catch (error) {
    if (error instanceof PatchRefusedError) return error.findings
    throw error
  }
}

/** Takes over as plain JSON what a planner gave. @returns what is wrong with it, where it is none. */
export function takeOver(given: unknown): { readonly value: Json } | { readonly finding: Finding } {
  const reading = readJsonValue(given, { maxBytes: mostBytes })
  if ('value' in reading) return reading
  const { path, message, hint } = reading.failure
  return { finding: { code: 'PLAN_SHAPE', severity: 'error', path, message, hint } }
}

export function shapeFinding(message: string): Finding {
  const hint = 'Answer with { steps } or { giveUp } to a goal, and with { patch }, { keep } or { giveUp } to trouble.'
  return { code: 'PLAN_SHAPE', severity: 'error', path: '', message, hint }
}

export function shapeFindings(error: z.ZodError): readonly Finding[] {
  return error.issues.map(({ path, message }) => {
    const pointer = formatPointer(path.map((key) => (typeof key === 'symbol' ? String(key) : key)))
    return {
      code: 'PLAN_SHAPE',
      severity: 'error',
      path: pointer,
      message: `At "${pointer}": ${message}`,
      hint: 'Look up the plan format.',
    }
  })
}

function errorsAmong(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ severity }) => severity === 'error')
}
