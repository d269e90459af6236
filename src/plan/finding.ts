// What a check found: for a person to read and for a planner to repair from.

export type FindingCode =
  | 'PLAN_SHAPE'
  | 'PLAN_TOO_LARGE'
  | 'STEP_DUPLICATE'
  | 'STEP_KIND'
  | 'STEP_UNKNOWN'
  | 'STEP_UNREACHABLE'
  | 'STEP_UNUSED'
  | 'PLAN_CYCLE'
  | 'TOOL_UNKNOWN'
  | 'INPUT_INVALID'
  | 'INPUT_MISSING'
  | 'INPUT_UNKNOWN'
  | 'REFERENCE_PATH'
  | 'REFERENCE_TYPE'
  | 'ITEM_OUTSIDE_FOR_EACH'
  | 'TEMPLATE_IN_TEXT'
  | 'SCHEMA_INVALID'
  | 'ASSUMPTION_DUPLICATE'
  | 'ASSUMPTION_UNKNOWN'
  | 'EXECUTOR_UNKNOWN'
  | 'BUDGET_TOO_SMALL'
  | 'PATCH_STALE'
  | 'PATCH_REFUSED'

export interface Finding {
  readonly code: FindingCode
  /** `error`: the plan cannot run. `warning`: it can, and somebody should look. */
  readonly severity: 'error' | 'warning'
  /** JSON Pointer into the plan (or patch). */
  readonly path: string
  readonly stepId?: string
  readonly message: string
  readonly hint: string
}
