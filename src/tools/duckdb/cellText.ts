import type { Json } from '../../plan/json.ts'

/** A value of an answer as text; nothing for null, JSON for what is nested. */
export function cellText(value: Json | undefined): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}
