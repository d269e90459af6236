// What a check found: for a person to read and for a planner to repair from.

/** All codes of what `validatePlan` and `applyPatch` find. They are stable: callers compare them. */
export const findingCodes = [
  'PLAN_SHAPE',
  'PLAN_TOO_LARGE',
  'CACHE_INVALID',
  'STEP_DUPLICATE',
  'STEP_KIND',
  'STEP_UNKNOWN',
  'STEP_UNREACHABLE',
  'STEP_UNUSED',
  'PLAN_CYCLE',
  'TOOL_UNKNOWN',
  'INPUT_INVALID',
  'INPUT_MISSING',
  'INPUT_UNKNOWN',
  'REFERENCE_PATH',
  'REFERENCE_TYPE',
  'ITEM_OUTSIDE_FOR_EACH',
  'TEMPLATE_IN_TEXT',
  'SCHEMA_INVALID',
  'ASSUMPTION_DUPLICATE',
  'ASSUMPTION_UNKNOWN',
  'EXECUTOR_UNKNOWN',
  'BUDGET_TOO_SMALL',
  'PATCH_REFUSED',
] as const

/** Codes of what is found in answers that were to be plans: by critics and by planners that read what a model wrote. */
export const answerCodes = ['PLAN_OBJECTION', 'ANSWER_UNREADABLE', 'ANSWER_CUT_OFF'] as const

export type FindingCode = (typeof findingCodes)[number] | (typeof answerCodes)[number]

export interface Finding {
  readonly code: FindingCode
  /** `error`: the plan cannot run. `warning`: it can, and somebody should look. */
  readonly severity: 'error' | 'warning'
  /** JSON Pointer into the plan (or patch). One that would be longer than 2,000 characters leads to the nearest place above it
   * that can be named within them. */
  readonly path: string
  readonly stepId?: string
  /** What is wrong, in words; long names and values are shortened in it. */
  readonly message: string
  /** The next thing to do. */
  readonly hint: string
}
