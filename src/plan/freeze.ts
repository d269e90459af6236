// Freezing: a plan revision is one value that nobody changes.

/** Freezes a JSON value and all that is in it, in place; what is frozen already is not looked through again.
 *
 * @example
 * import { deepFreeze } from 'planloom/plan'
 * Object.isFrozen(deepFreeze({ steps: [] }).steps) // true
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}
