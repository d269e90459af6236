// What a goal planner works with: its options, with their defaults filled in.
import type { Json } from '../../../plan/json.ts'

export interface GoalPlannerSettings {
  readonly budget: number
  readonly sizeOf: (item: Json) => number | undefined
}
