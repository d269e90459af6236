// Why a value does not fit a tool's schema, in words: the place, what was expected, and what came.
import type { z } from 'zod'
import type { Failure } from '../machines/reports.messages.ts'
import type { Json } from '../plan/json.ts'
import { formatPointer, getPointer } from '../plan/pointer.ts'

type Issue = z.core.$ZodIssue

/** Makes the failure of a value that broke a schema. Trying again gives the same, so it is not retryable.
 *
 * @param whose begins the message: `The input of tool "file_read"`.
 */
export function schemaFailure(
  code: 'INPUT_INVALID' | 'OUTPUT_INVALID' | 'ANSWER_INVALID',
  whose: string,
  issues: readonly Issue[],
  value: Json,
  hint: string,
): Failure {
  const deepest = issues.map((issue) => innermost(issue)).reduce((a, b) => (b.path.length > a.path.length ? b : a))
  const path = formatPointer(deepest.path)
  const place = path === '' ? '' : ` at "${path}"`
  const more = issues.length > 1 ? ` (and ${String(issues.length - 1)} more)` : ''
  const message = `${whose} does not fit${place}: ${deepest.message}${more}. What came there: ${wordsFor(getPointer(value, path))}.`
  return { code, message, hint, path, retryable: false }
}

interface Place {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Of a union, the alternative that went furthest: what it says there is most to the point. */
function innermost(issue: Issue, above: readonly (string | number)[] = []): Place {
  const path = [...above, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  const own = { path, message: issue.message.replace(/^Invalid input: /, '') }
  if (issue.code !== 'invalid_union') return own
  const inner = issue.errors.flatMap((issues) => issues.map((one) => innermost(one, path)))
  const deepest = inner.reduce<Place>((a, b) => (b.path.length > a.path.length ? b : a), own)
  if (deepest !== own) return deepest
  const choices = [...new Set(inner.map(({ message }) => message))]
  return choices.length === 0 ? own : { path, message: choices.slice(0, 4).join(', or ') }
}

/** What a value is, in a few words: however large it is, it is not printed whole. */
function wordsFor(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string')
    return value.length > 100 ? `${JSON.stringify(value.slice(0, 100))}…` : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `an array of ${String(value.length)}`
  const keys = Object.keys(value)
  const shown = keys.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 50)))
  return keys.length === 0 ? 'an empty object' : `an object with ${shown.join(', ')}${keys.length > 5 ? ', …' : ''}`
}
