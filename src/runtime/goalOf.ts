// What start() is given: a goal in words, a goal, or a plan.
import { PlanloomError } from '../errors.ts'
import { isJsonObject } from '../plan/json.ts'
import { goalSchema, type Goal, type Plan } from '../plan/schema.ts'

export function isPlan(value: string | Goal | Plan): value is Plan {
  return isJsonObject(value) && 'steps' in value
}

/** @throws `GOAL_INVALID` with everything that is wrong with it. */
export function goalOf(goal: string | Goal | Plan): Goal {
  const parsed = goalSchema.safeParse(typeof goal === 'string' ? { text: goal } : goal)
  if (parsed.success) return parsed.data
  throw new PlanloomError(
    'GOAL_INVALID',
    `The goal is not valid: ${parsed.error.issues.map((issue) => `${issue.path.length > 0 ? `${issue.path.join('/')}: ` : ''}${issue.message}`).join('; ')}`,
    {
      hint: 'A goal is a text, or an object with "text" and perhaps "want", "facts" and "partial".',
      cause: parsed.error,
    },
  )
}
